// SPDX-License-Identifier: Apache-2.0
// Merges the results of the shards of a campaign of random cases.
//
//   const MergedFuzz merged = MergeFuzz({"1.json", "2.json"}, {.is_partial = false});
//   output.Write(merged.json);

#pragma once

#include <string>
#include <vector>

#include "conformance/fuzz/fuzz.h"
#include "conformance/runner/shard_files.h"

namespace lutra::conformance {

extern const ShardKind kFuzzShards;

struct MergedFuzz {
  std::string json;  // As one run would have written it; for a partial result, its shards' files.
  FuzzResult result;
  uint64_t seed = 0;
  std::vector<std::string> required;  // Operators that the runtime must have.
  std::string shards;                 // "1,3/16"; empty: all of them.
};

// Throws BadInput as ShardFiles::Read does.
MergedFuzz MergeFuzz(const std::vector<std::string>& paths, const MergeOptions& options);

}  // namespace lutra::conformance
