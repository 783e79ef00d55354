// SPDX-License-Identifier: Apache-2.0
// Says what cases cost to run, so that the shards of a run are of equal work.
//
//   const Work work(golden / kTimesFile);
//   for (const size_t i : host::WorkOfShard(work.CostsOf(cases), shard)) ...
//
// golden/times.txt holds times that `conformance run --record-times` recorded once. It is part of the
// sources, so that every machine makes the same shards. The cost of a case without a row follows from its
// multiply-accumulates.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "conformance/generator/case.h"

namespace lutra::conformance {

inline constexpr char kTimesFile[] = "times.txt";

class Work {
 public:
  // No rows if there is no such file. Throws BadInput for a line that is none.
  explicit Work(const std::filesystem::path& file);

  // Microseconds of each case.
  std::vector<int64_t> CostsOf(const std::vector<Case>& cases) const;

 private:
  int64_t CostOf(const Case& test) const;

  std::map<std::string, int64_t, std::less<>>
      rows_;  // Microseconds of a case, or of each of a family's others.
};

// The file, from microseconds by id: a row for each case that takes long, and for each family ("int8.add")
// the mean of its others. `where`: what they were recorded on, for its first line.
std::string TimesText(const std::map<std::string, int64_t>& times, const std::string& where);

}  // namespace lutra::conformance
