// SPDX-License-Identifier: Apache-2.0
// Puts runs in order.

#include "reports/models.h"

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

// The rows of tables and the bars of charts: one for each platform, kernels, memory policy and decompression
// policy. What all runs of a platform share is left out.
class Rows {
 public:
  explicit Rows(const std::vector<PlacedRun>& runs) {
    for (const PlacedRun& placed : runs) {
      Settings& settings = by_platform_[placed.file->platform];
      settings.kernels.insert(placed.run->kernels);
      settings.memory.insert(placed.run->memory);
      if (placed.run->decompression) settings.policies.insert(PolicyOf(*placed.run));
    }
  }

  std::string NameOf(const PlacedRun& placed) const {
    const Settings& settings = by_platform_.at(placed.file->platform);
    const host::ModelResult& run = *placed.run;
    std::string name = placed.file->platform;
    const bool has_memories = settings.memory.size() > 1, has_policies = settings.policies.size() > 1;
    if (settings.kernels.size() > 1 || has_memories || has_policies) {
      name += ", " + (run.kernels.empty() ? "kernels unknown" : run.kernels);
    }
    if (has_memories) name += ", " + (run.memory.empty() ? "memory unknown" : run.memory);
    if (has_policies && run.decompression) name += ", decoded " + PolicyOf(run);
    return name;
  }

 private:
  struct Settings {
    std::set<std::string> kernels, memory, policies;
  };
  std::map<std::string, Settings> by_platform_;
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
  for (const auto& [file, run] : runs) {
    const host::ModelResult* plain = run->decompression ? PlainFormOf(*run, runs) : nullptr;
    const std::string group = plain != nullptr ? NameOf(*plain) : NameOf(*run);
    const std::string name = hashes[NameOf(*run)].size() == 1
                                 ? NameOf(*run)
                                 : NameOf(*run) + " (" + run->sha256.substr(0, 8) + ")";
    const auto platform = std::find(platforms.begin(), platforms.end(), file->platform);
    const std::string setting = SettingOf(*run);
    placed[{!IsBundled(group), group, run->decompression.has_value(), name}].insert_or_assign(
        RunKey{platform - platforms.begin(), run->kernels != "ref", setting},
        RunOfModel{file->platform, rows.NameOf({file, run}), file->platform, setting, run});
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
