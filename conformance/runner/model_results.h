// SPDX-License-Identifier: Apache-2.0
// Writes the result file of `conformance model`, and merges those of shards.
//
//   output.Write(ModelResultsText({report, shard, trial}, environment));
//   const MergedModel merged = MergeModel({"1.json", "2.json"}, {.is_partial = false});

#pragma once

#include <string>
#include <vector>

#include "conformance/runner/model_report.h"
#include "conformance/runner/shard_files.h"
#include "host/result.h"

namespace lutra::conformance {

// All shards of one trial have equal identities.
struct TrialIdentity {
  std::string model_sha256, inputs_sha256;
  int samples = 0;  // Of all shards.
};

struct ModelResults {
  ModelReport report;
  host::Shard shard;
  TrialIdentity trial;
};

// Writes the report of --json and where it was made; for a shard, what MergeModel needs.
std::string ModelResultsText(const ModelResults& results, const host::Environment& environment);

extern const ShardKind kModelShards;

struct MergedModel {
  std::string json;  // What one run would have written; of a partial result, its shards' files.
  ModelReport report;
  std::string shards;  // "1,3/16"; empty: all of them.
};

// Throws BadInput as ShardFiles::Read does.
MergedModel MergeModel(const std::vector<std::string>& paths, const MergeOptions& options);

}  // namespace lutra::conformance
