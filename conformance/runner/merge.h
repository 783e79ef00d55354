// SPDX-License-Identifier: Apache-2.0
// Merges the results of shards.
//
//   std::vector<ShardFile> files = {{path, host::ParseResultJson(text, path)}, ...};
//   const host::ResultFile whole = Merge(std::move(files), manifest, {.is_partial = false});
//
// A partial result keeps its parts (Selection::parts) and can be merged again: neither the order of the files
// nor a file that is named twice changes the result.

#pragma once

#include <string>
#include <vector>

#include "conformance/runner/manifest.h"
#include "host/result.h"

namespace lutra::conformance {

struct MergeOptions {
  bool is_partial = false;  // Shards may be missing.
  std::string since;        // Older results are refused: "2026-11-27T10:40:40Z"; empty: of any age are taken.
};

// Throws BadInput for a file whose date is later than now or earlier than `since`, by more than a minute: the
// clock of the machine that ran it is wrong, or the file is of another run. `date`: of the file's context.
void RequireDate(const std::string& path, const std::string& date, const MergeOptions& options);

struct ShardFile {
  std::string path;
  host::ResultFile file;
};

// Throws BadInput, naming the file, unless all are of one run of one commit, each is whole and has the cases
// that were selected for it, no two of one shard differ, dates are right, and, unless it is partial, no shard
// is missing. `manifest`: of the cases from which the run selected; empty: it is not at hand. The context is
// that of the first shard.
host::ResultFile Merge(std::vector<ShardFile> files, const Manifest& manifest, const MergeOptions& options);

}  // namespace lutra::conformance
