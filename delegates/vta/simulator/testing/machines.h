// SPDX-License-Identifier: Apache-2.0
// Machines and streams for tests.

#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "delegates/vta/simulator/machine.h"

namespace lutra::vta::sim {

inline constexpr Config kShipped = kConfigs[0].config;
inline constexpr Config kSmall = kConfigs[1].config;

// A machine with memories full of noise, and its findings.
struct Bench {
  explicit Bench(const Config& config = kShipped, Profile profile = Profile::kReference)
      : machine(config), findings(profile) {
    uint32_t noise = 42;
    const auto fill = [&noise](auto lanes, auto narrow) {
      for (auto& lane : lanes)
        lane = static_cast<decltype(narrow)>((noise = noise * 1664525 + 1013904223) >> 8);
    };
    for (uint32_t i = 0; i < config.Depth(Memory::kAcc); ++i) {
      fill(machine.Accumulator(i), int32_t{});
      fill(machine.Output(i), int8_t{});
      fill(machine.Input(i), int8_t{});
    }
    for (uint32_t i = 0; i < config.Depth(Memory::kWgt); ++i) fill(machine.Weights(i), int8_t{});
  }

  // An allocation of noise; returns its address.
  uint64_t Noise(uint64_t bytes) {
    const uint64_t address = dram.Allocate(bytes);
    std::mt19937_64 random(bytes);
    for (uint8_t& byte : dram.Bytes(address, bytes)) byte = static_cast<uint8_t>(random());
    return address;
  }

  bool Execute(const Instruction& instruction) {
    const InstructionFault fault = Check(machine.config(), instruction);
    EXPECT_TRUE(fault == InstructionFault::kNone || fault == InstructionFault::kEmptyLoop)
        << vta::ToString(fault);
    return machine.Execute(instruction, number++, dram, findings);
  }

  bool Found(Issue issue) const {
    for (const Finding& finding : findings.list()) {
      if (finding.issue == issue) return true;
    }
    return false;
  }
  std::string LastText() const { return findings.list().empty() ? "" : findings.list().back().text; }

  Machine machine;
  Dram dram;
  Findings findings;
  uint32_t number = 0;
};

// A GEMM or ALU instruction of the first `uops` micro-ops, once.
inline Instruction Compute(Opcode opcode, uint32_t uops = 1) {
  Instruction instruction = {.opcode = opcode, .uop_end = uops, .iter_out = 1, .iter_in = 1};
  return instruction;
}

inline Instruction AluRegister(AluOpcode code, uint32_t uops = 1) {
  Instruction instruction = Compute(Opcode::kAlu, uops);
  instruction.alu_opcode = code;
  return instruction;
}

inline Instruction AluImmediate(AluOpcode code, int32_t value, uint32_t uops = 1) {
  Instruction instruction = AluRegister(code, uops);
  instruction.use_imm = 1;
  instruction.imm = Instruction::ImmediateField(value);
  return instruction;
}

}  // namespace lutra::vta::sim
