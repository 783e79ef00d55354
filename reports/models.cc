// SPDX-License-Identifier: Apache-2.0
// Orders runs by model and platform.

#include "reports/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace lutra::reports {

const host::ModelResult* PlainRunOf(const Model& model, const RunOfModel& run, const std::string& kernels,
                                    const std::vector<Model>& models) {
  for (const Model& other : models) {
    if (other.group != model.group || other.compressed) continue;
    for (const RunOfModel& r : other.runs) {
      if (r.run != run.run && r.platform == run.platform && r.run->kernels == kernels &&
          r.run->memory == run.run->memory) {
        return r.run;
      }
    }
  }
  return nullptr;
}

namespace {

// Joins the words that are not empty, separated by commas.
std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

// The rows of tables and the bars of charts: one for each platform and setting. Their names leave out words
// that all runs of a platform share.
class Rows {
 public:
  explicit Rows(const std::vector<PlacedRun>& runs) {
    for (const PlacedRun& placed : runs) {
      const std::vector<std::string> words = WordsOf(*placed.run);
      std::vector<std::set<std::string>>& seen = by_platform_[placed.file->platform];
      seen.resize(words.size());
      for (size_t i = 0; i < words.size(); ++i) seen[i].insert(words[i]);
    }
    // Models that are not compressed have no policy.
    for (auto& [platform, seen] : by_platform_) seen.back().erase("");
  }

  std::string NameOf(const PlacedRun& placed) const {
    const std::vector<std::set<std::string>>& seen = by_platform_.at(placed.file->platform);
    std::vector<std::string> words = WordsOf(*placed.run);
    for (size_t i = 0; i < words.size(); ++i) {
      if (seen[i].size() < 2) words[i].clear();
    }
    words.insert(words.begin(), placed.file->platform);
    return Joined(words);
  }

 private:
  std::map<std::string, std::vector<std::set<std::string>>> by_platform_;
};

}  // namespace

std::vector<Model> Models(const std::vector<ResultFile>& files) {
  const std::vector<PlacedRun> runs = AllRuns(files);
  const std::vector<std::string> platforms = Platforms(files);
  const Rows rows(runs);
  std::map<std::string, std::set<std::string>> hashes;
  for (const auto& [file, run] : runs) hashes[NameOf(*run)].insert(run->sha256);

  using ModelKey = std::tuple<bool, std::string, bool, std::string>;
  using RunKey = std::tuple<size_t, bool, std::string>;
  std::map<ModelKey, std::map<RunKey, RunOfModel>> placed;
  const auto place = [&](const ModelKey& model, size_t platform, const RunOfModel& run) {
    // Several runs of one setting, for example of other days, have rows of their own.
    for (int number = 1;; ++number) {
      const std::string again = number == 1 ? "" : fmt::format(" (run {})", number);
      const RunKey key = {platform, run.run->kernels != "ref", run.setting + again};
      const auto [other, is_new] = placed[model].try_emplace(key, run);
      if (is_new) {
        for (std::string* name : {&other->second.row, &other->second.setting}) *name += again;
        return;
      }
      if (*other->second.run == *run.run) return;
    }
  };
  for (const auto& [file, run] : runs) {
    const host::ModelResult* plain = run->decompression ? PlainFormOf(*run, runs) : nullptr;
    const std::string group = plain != nullptr ? NameOf(*plain) : NameOf(*run);
    const std::string name = hashes[NameOf(*run)].size() == 1
                                 ? NameOf(*run)
                                 : NameOf(*run) + " (" + run->sha256.substr(0, 8) + ")";
    const auto platform = std::find(platforms.begin(), platforms.end(), file->platform);
    place({!IsBundled(group), group, run->decompression.has_value(), name},
          static_cast<size_t>(platform - platforms.begin()),
          {file->platform, rows.NameOf({file, run}), file->platform, Joined(WordsOf(*run)), run});
  }
  std::vector<Model> models;
  for (auto& [key, by_platform] : placed) {
    const auto& [other, group, compressed, name] = key;
    Model model = {.name = name, .group = group, .compressed = compressed, .bundled = !other};
    std::map<std::string, int> settings;
    for (const auto& [place, run] : by_platform) ++settings[run.platform];
    for (auto& [place, run] : by_platform) {
      if (settings[run.platform] > 1) run.label += ", " + run.setting;
      model.runs.push_back(std::move(run));
    }
    models.push_back(std::move(model));
  }
  return models;
}

}  // namespace lutra::reports
