// SPDX-License-Identifier: Apache-2.0
// Checks and adds up what `prove_kernels` printed (platforms/proofs/proofs.h).
//
//   ProofRun run = RunProofProgram({.command = "./prove_kernels.elf", .table = "lookup"});
//   for (const Proof& proof : run.proofs) fmt::print("{} {}: {}\n", proof.table, proof.variant, proof.wrong);

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/shard.h"

namespace lutra::conformance {

// A variant of a kernel's table.
struct ProvedVariant {
  std::string table, variant;
  friend auto operator<=>(const ProvedVariant&, const ProvedVariant&) = default;
};

struct Proof : ProvedVariant {
  int64_t blocks = 0;                // How many blocks were tried,
  int64_t of = 0;                    // and how many there are.
  int64_t cases = 0;                 // Outputs that were compared.
  int64_t reference = 0;             // Of these, those that the variant leaves to the table's reference.
  std::array<uint32_t, 8> values{};  // A bit for each byte that is the lowest one of an output.
  int64_t wrong = 0;

  bool IsWhole() const { return blocks == of; }
  int DistinctValues() const;
  // Adds another part of the same proof.
  void Add(const Proof& part);
};

struct ProofRun {
  std::string platform, rounding, compiler;  // Of the program that ran the kernels.
  std::vector<Proof> proofs;
  std::vector<ProvedVariant> skipped;        // The processor cannot run them.
  std::vector<std::string> counterexamples;  // The first few, in words.
};

struct ProofRequest {
  std::string command;  // For the shell.
  std::string table = "all", variant = "all";
  host::Shard shard;
  int jobs = 1;
  int sample = 1;  // One block of so many, by the seed.
  uint32_t seed = 0;
};

// Runs the program in as many processes as there are jobs, each with a part. Throws BadInput if one prints
// other lines than those of proofs.h, or if its exit code contradicts its lines.
ProofRun RunProofProgram(const ProofRequest& request);

// The lines of one process. `name` is what messages begin with.
ProofRun ParseProofLines(const std::string& text, const std::string& name);

// Adds the results of another process with another part. Throws BadInput if it ran another program or other
// proofs.
void AddPart(const ProofRun& part, const std::string& name, ProofRun* whole);

}  // namespace lutra::conformance
