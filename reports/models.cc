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

std::vector<Model> Models(const std::vector<ResultFile>& files) {
  const std::vector<PlacedRun> runs = AllRuns(files);
  const std::vector<std::string> platforms = Platforms(files);
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
        RunOfModel{file->platform, file->platform, setting, run});
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
