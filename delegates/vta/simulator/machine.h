// SPDX-License-Identifier: Apache-2.0
// Machine: VTA's memories, and what each instruction does to them, one instruction at a time. The Simulator
// schedules the modules.
//
//   Machine machine(config);
//   machine.Execute(instruction, 0, dram, findings);
//
// The output memory is separate from the accumulators. GEMM and ALU write both; a STORE reads it. Each of its
// elements is fresh while it holds the low bytes of its accumulator.

#pragma once

#include <cstdint>
#include <vector>

#include "delegates/vta/driver/instruction.h"
#include "delegates/vta/simulator/dram.h"
#include "delegates/vta/simulator/findings.h"

namespace lutra::vta::sim {

class Machine {
 public:
  // The Config is valid.
  explicit Machine(const Config& config);

  const Config& config() const { return config_; }

  // Executes an instruction whose vta::Check found nothing, or kEmptyLoop. `number` is for findings. Returns
  // false after an error: then the memories are as they were.
  bool Execute(const Instruction& instruction, uint32_t number, Dram& dram, Findings& findings);

  // The micro-ops that a GEMM or ALU instruction would execute now.
  const std::vector<Uop>& UopsOf(const Instruction& instruction);

  // For tests: what an element holds.
  Span<int32_t> Accumulator(uint32_t index) {
    return {&acc_[index * size_t{config_.lanes()}], config_.lanes()};
  }
  Span<int8_t> Output(uint32_t index) { return {&out_[index * size_t{config_.lanes()}], config_.lanes()}; }
  Span<int16_t> Input(uint32_t index) { return {&inp_[index * size_t{config_.lanes()}], config_.lanes()}; }
  Span<int16_t> Weights(uint32_t index) {
    const size_t count = size_t{config_.block()} * config_.block();
    return {&wgt_[index * count], count};
  }
  uint32_t& UopWord(uint32_t index) { return uop_[index]; }
  bool IsFresh(uint32_t index) const { return fresh_[index] != 0; }

 private:
  struct Job;

  bool Load(const Job& job);
  bool Store(const Job& job);
  bool Gemm(const Job& job);
  bool Alu(const Job& job);
  bool CheckDram(const Job& job);
  bool CheckLoop(const Job& job);
  bool CheckUops(const Job& job, bool reads_inputs);
  bool CheckAdjacent(const Job& job);
  bool CheckTransferProfile(const Job& job);
  void Fill(Memory memory, uint64_t at, uint64_t count, const uint8_t* bytes);
  void WriteOut(size_t index, bool fresh);

  Config config_;
  // Operands are stored widened: compilers vectorise products of 16 bits.
  std::vector<uint32_t> uop_;
  std::vector<int16_t> inp_, wgt_;
  std::vector<int32_t> acc_;
  std::vector<int8_t> out_;
  std::vector<uint8_t> fresh_;
  std::vector<Uop> uops_;  // Of the instruction at work.
};

// SHR of a value. `immediate_field` is the instruction's, also where the amount comes from a register.
int32_t Shift(Profile profile, int32_t value, int32_t amount, int32_t immediate_field);
// Returns whether every other implementation would give the same result.
bool IsPortableShift(Profile profile, int32_t amount, int32_t immediate_field);

}  // namespace lutra::vta::sim
