// SPDX-License-Identifier: Apache-2.0
// Simulator: runs a stream of instructions on VTA's three modules, in any order that their tokens allow.
//
//   Simulator simulator(config, Profile::kReference);
//   Result result = simulator.Run({instructions.data(), instructions.size()}, dram, {.seed = 7});
//   if (!result.ok()) ... result.findings.back().text ...
//
// An error names the instruction and ends the run. The next run starts with the data in SRAM, but no tokens.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "delegates/vta/simulator/findings.h"
#include "delegates/vta/simulator/machine.h"
#include "delegates/vta/simulator/timing.h"

namespace lutra::vta::sim {

struct RunOptions {
  // The order of the modules among those that can go on: random by the seed, or, if given, always the first
  // of these.
  uint64_t seed = 0;
  std::optional<std::array<Stage, 3>> priority = std::nullopt;
  bool finds_races = true;
  bool estimates_cycles = true;
  uint64_t most_uops = UINT64_MAX;  // kTooLong beyond.
  CycleModel model = {};
};

struct Counters {
  std::array<uint64_t, kOpcodeCount> instructions = {};
  uint64_t no_ops = 0;  // Among them.
  std::array<uint64_t, kMemoryCount> bytes = {};
  uint64_t gemm_uops = 0, reset_uops = 0, alu_uops = 0;
  uint64_t macs = 0;
};

struct Result {
  std::vector<Finding> findings;  // An error is the last.
  uint64_t warnings = 0;
  Counters counters;
  Timing timing;                    // If it was asked for, and there is no error.
  std::vector<Instruction> stream;  // Decoded, as far as that was possible.
  std::array<uint32_t, kQueueCount> most_tokens = {};

  bool ok() const { return findings.empty() || findings.back().severity != Severity::kError; }
};

class Simulator {
 public:
  // The Config is valid.
  explicit Simulator(const Config& config, Profile profile = Profile::kReference)
      : machine_(config), profile_(profile) {}

  Result Run(Span<const EncodedInstruction> instructions, Dram& dram, const RunOptions& options = {});
  Machine& machine() { return machine_; }

 private:
  Machine machine_;
  Profile profile_;
};

}  // namespace lutra::vta::sim
