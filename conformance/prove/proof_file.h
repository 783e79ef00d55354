// SPDX-License-Identifier: Apache-2.0
// proof.json: what was proved, of which sources, by which compiler.
//
//   output.Write(ProofJson({.run = run, .shard = shard}, environment));
//   const ProofFile earlier = ParseProofJson(text, path);

#pragma once

#include <map>
#include <string>
#include <vector>

#include "conformance/prove/proof.h"
#include "conformance/runner/shard_files.h"
#include "host/result.h"

namespace lutra::conformance {

struct ProofFile {
  ProofRun run;
  std::string command;  // That ran the kernels.
  host::Shard shard;
  int sample = 1;                                // One block of so many was tried,
  uint32_t seed = 0;                             // chosen by this seed.
  std::map<ProvedVariant, std::string> sources;  // Hashes; without a source tree, none.
};

std::string ProofJson(const ProofFile& file, const host::Environment& environment);

// Throws BadInput, naming the path, for what ProofJson did not write.
ProofFile ParseProofJson(const std::string& text, const std::string& path);

extern const ShardKind kProofShards;

struct MergedProofs {
  std::string json;  // As one run would have written it; of a partial result, its shards' files.
  ProofFile whole;   // The sum of the parts; of a partial result, of the parts so far.
};

// Throws BadInput as ShardFiles::Read does.
MergedProofs MergeProofs(const std::vector<std::string>& paths, const MergeOptions& options);

}  // namespace lutra::conformance
