// SPDX-License-Identifier: Apache-2.0

#include "reports/model_rows.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace lutra::reports {

std::vector<ModelRow> ModelRows(const std::vector<ResultFile>& files) {
  const std::vector<PlacedRun> runs = AllRuns(files);
  std::map<std::string, std::set<std::string>> hashes;
  for (const auto& [file, run] : runs) hashes[run->name].insert(run->sha256);

  using Key = std::tuple<std::string, bool, std::string, bool, std::string>;
  std::map<Key, ModelRow> rows;
  for (const PlacedRun& placed : runs) {
    const ModelRun& run = *placed.run;
    const ModelRun* plain = run.decompression ? PlainFormOf(run, runs) : nullptr;
    const std::string group = plain != nullptr ? plain->name : run.name;
    const std::string model =
        hashes[run.name].size() == 1 ? run.name : run.name + " (" + run.sha256.substr(0, 8) + ")";
    const std::string setting = SettingOf(run);
    const Key key = {group, run.decompression.has_value(), model, run.kernels != "ref", setting};
    ModelRow& row = rows.try_emplace(key, ModelRow{model, setting, group, {}}).first->second;
    row.by_platform.insert_or_assign(placed.file->platform, placed);
  }
  std::vector<ModelRow> list;
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  return list;
}

}  // namespace lutra::reports
