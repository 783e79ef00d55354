// SPDX-License-Identifier: Apache-2.0
// Text of instructions.

#include "delegates/vta/simulator/disassemble.h"

#include <gtest/gtest.h>

namespace lutra::vta::sim {
namespace {

TEST(Line01, InstructionsAreALineOfText) {
  const Config config;
  Instruction load = {.push_next = 1, .memory = Memory::kInp, .sram_base = 4, .dram_base = 0x1F0};
  load.y_size = 1, load.x_size = 8, load.x_stride = 8, load.pop_next = 1;
  EXPECT_EQ(Disassemble(config, load),
            "LOAD INP sram_base=4 dram_base=0x1f0 y_size=1 x_size=8 x_stride=8; pop_next, push_next");
  Instruction alu = {.opcode = Opcode::kAlu, .uop_end = 1, .iter_out = 1, .iter_in = 16, .dst_factor_in = 1};
  alu.alu_opcode = AluOpcode::kShr;
  EXPECT_EQ(Disassemble(config, alu), "ALU SHR uop_end=1 iter_out=1 iter_in=16 dst_factor_in=1");
  alu.use_imm = 1;
  alu.imm = Instruction::ImmediateField(-8);
  EXPECT_EQ(Disassemble(config, alu), "ALU SHR uop_end=1 iter_out=1 iter_in=16 dst_factor_in=1 imm=-8");
  EncodedInstruction encoded;
  ASSERT_EQ(Encode(config, {.opcode = Opcode::kGemm, .pop_prev = 1, .reset = 1}, &encoded),
            InstructionFault::kNone);
  EXPECT_EQ(Disassemble(config, encoded), "GEMM reset; pop_prev");
  const EncodedInstruction unknown = {{0xFF, 1, 2, 3, 4}};
  EXPECT_EQ(Disassemble(config, unknown), "???? 030201ff 00000004 00000000 00000000; unknown opcode");
  EXPECT_EQ(ToString(Uop{3, 0, 7}), "dst 3 src 0 wgt 7");
}

}  // namespace
}  // namespace lutra::vta::sim
