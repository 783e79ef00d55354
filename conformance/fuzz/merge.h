// SPDX-License-Identifier: Apache-2.0
// Results of the shards of a campaign of random cases, put together.
//
//   const MergedFuzz merged = MergeFuzz({{"1.json", text}, {"2.json", other}}, {.is_partial = false});
//   output.Write(merged.json);
//
// A partial result is the list of its shards' files, and is merged like them: the order in which files are
// put together, and how often one is named, change nothing.

#pragma once

#include <string>
#include <vector>

#include "conformance/fuzz/fuzz.h"
#include "conformance/runner/merge.h"

namespace lutra::conformance {

struct FuzzFile {
  std::string path, text;
};

struct MergedFuzz {
  std::string json;  // What one run would have written; of a partial result, its shards' files.
  FuzzResult result;
  uint64_t seed = 0;
  std::vector<std::string> required;  // Operators that the runtime must have.
  std::string shards;                 // "1,3/16"; empty: all of them.
};

// Throws BadInput, naming the file, unless all are of one campaign and one commit, each shard is whole, no
// two of one shard differ, dates are right, and, unless it is partial, none is missing.
MergedFuzz MergeFuzz(const std::vector<FuzzFile>& files, const MergeOptions& options);

// Whether the file is for MergeFuzz: what `fuzz --results` or MergeFuzz wrote. False for what is no JSON.
bool IsFuzzFile(const FuzzFile& file);

}  // namespace lutra::conformance
