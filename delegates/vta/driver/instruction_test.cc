// SPDX-License-Identifier: Apache-2.0
// The layout of instructions, against words that were put together by hand from the instruction set's table.
// A suite has the number of its line in delegates/vta/README.md's list.

#include "delegates/vta/driver/instruction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace lutra::vta {
namespace {

constexpr Config kShipped = kConfigs[0].config;

EncodedInstruction Bytes(uint64_t low, uint64_t high) {
  EncodedInstruction encoded;
  for (int i = 0; i < 8; ++i) {
    encoded.bytes[i] = static_cast<uint8_t>(low >> 8 * i);
    encoded.bytes[8 + i] = static_cast<uint8_t>(high >> 8 * i);
  }
  return encoded;
}

bool Equal(const EncodedInstruction& a, const EncodedInstruction& b) {
  return std::equal(a.bytes, a.bytes + sizeof a.bytes, b.bytes);
}

struct Golden {
  Instruction instruction;
  uint64_t low, high;
};

std::vector<Golden> GoldenWords() {
  Instruction load = {.opcode = Opcode::kLoad, .pop_next = 1, .push_next = 1, .memory = Memory::kInp};
  load.sram_base = 0x123, load.dram_base = 0x456789AB;
  load.y_size = 0x11, load.x_size = 0x2233, load.x_stride = 0x4455;
  load.y_pad_0 = 1, load.y_pad_1 = 2, load.x_pad_0 = 3, load.x_pad_1 = 4;
  Instruction store = {.opcode = Opcode::kStore, .pop_prev = 1, .push_prev = 1, .memory = Memory::kOut};
  store.sram_base = 0x7FF, store.dram_base = 0xFFFFFFFF;
  store.y_size = 0xFFFF, store.x_size = 1, store.x_stride = 0x8000;
  Instruction gemm = {.opcode = Opcode::kGemm, .pop_prev = 1, .push_prev = 1, .reset = 1};
  gemm.uop_bgn = 0x1234, gemm.uop_end = 0x2000, gemm.iter_out = 0x3FFF, gemm.iter_in = 0x1555;
  gemm.dst_factor_out = 0x7FF, gemm.dst_factor_in = 0x401;
  gemm.src_factor_out = 0x3A5, gemm.src_factor_in = 0x255;
  gemm.wgt_factor_out = 0x3FF, gemm.wgt_factor_in = 0x201;
  Instruction alu = {.opcode = Opcode::kAlu, .pop_next = 1, .push_next = 1};
  alu.uop_bgn = 1, alu.uop_end = 2, alu.iter_out = 3, alu.iter_in = 4;
  alu.dst_factor_out = 5, alu.dst_factor_in = 6, alu.src_factor_out = 7, alu.src_factor_in = 8;
  alu.alu_opcode = AluOpcode::kShr, alu.use_imm = 1, alu.imm = Instruction::ImmediateField(-17);
  const Instruction finish = {.opcode = Opcode::kFinish, .pop_prev = 1, .pop_next = 1};
  return {{load, 0x01159E26AC048D50, 0x4321445522330011},
          {store, 0x03FFFFFFFC1FFE29, 0x000080000001FFFF},
          {gemm, 0x2AABFFFC001234AA, 0x807FF4AAE9600FFF},
          {alu, 0x0008001800400154, 0xFFEFB01001C03005},
          {finish, 0x1B, 0}};
}

TEST(Line01, InstructionsAreTheWordsOfTheTable) {
  for (const Golden& golden : GoldenWords()) {
    SCOPED_TRACE(ToString(golden.instruction.opcode));
    EncodedInstruction encoded;
    ASSERT_EQ(Encode(kShipped, golden.instruction, &encoded), InstructionFault::kNone);
    EXPECT_TRUE(Equal(encoded, Bytes(golden.low, golden.high)));
    Instruction decoded;
    ASSERT_EQ(Decode(kShipped, Bytes(golden.low, golden.high), &decoded), InstructionFault::kNone);
    EXPECT_EQ(decoded, golden.instruction);
  }
}

TEST(Line01, UopsAreTheWordsOfTheTable) {
  const Uop uop = {0x5A5, 0x3C3, 0x2AA};
  EXPECT_EQ(EncodeUop(kShipped, uop), 0xAA9E1DA5u);
  EXPECT_EQ(DecodeUop(kShipped, 0xAA9E1DA5u), uop);
  for (const NamedConfig& named : kConfigs) {
    const Uop last = {named.config.Depth(Memory::kAcc) - 1, named.config.Depth(Memory::kInp) - 1,
                      named.config.Depth(Memory::kWgt) - 1};
    EXPECT_TRUE(FitsFields(named.config, last)) << named.name;
    EXPECT_EQ(DecodeUop(named.config, EncodeUop(named.config, last)), last) << named.name;
    EXPECT_FALSE(FitsFields(named.config, {last.dst + 1, 0, 0})) << named.name;
    EXPECT_FALSE(FitsFields(named.config, {0, last.src + 1, 0})) << named.name;
    EXPECT_FALSE(FitsFields(named.config, {0, 0, last.wgt + 1})) << named.name;
    EXPECT_EQ(DecodeUop(named.config, EncodeUop(named.config, {last.dst + 1, last.src, 0})).dst, 0u);
  }
}

// Each field alone, at 0, 1 and its largest value, changes only its own bits and is decoded to the same
// value; larger values are refused.
TEST(Line01, EveryFieldRoundTrips) {
  for (const NamedConfig& named : kConfigs) {
    for (int opcode = 0; opcode < kOpcodeCount; ++opcode) {
      const FieldList fields = FieldsOf(named.config, static_cast<Opcode>(opcode));
      uint32_t end = 0;
      for (const Field& field : fields) {
        SCOPED_TRACE(std::string(named.name) + ToString(static_cast<Opcode>(opcode)) + field.name);
        EXPECT_GE(field.bit, end) << "fields overlap";
        end = uint32_t{field.bit} + field.width;
        EXPECT_EQ(field.bit / 64, (end - 1) / 64) << "across the halves";
        EXPECT_LE(end, 128u);
        const uint64_t largest = (uint64_t{1} << field.width) - 1;
        if (std::string(field.name) == "opcode") continue;
        for (const uint64_t value : {uint64_t{0}, uint64_t{1}, largest}) {
          Instruction instruction = {.opcode = static_cast<Opcode>(opcode)};
          field.set(instruction, static_cast<uint32_t>(value));
          EncodedInstruction encoded;
          const InstructionFault fault = Encode(named.config, instruction, &encoded);
          const bool is_code = std::string(field.name) == "memory" || std::string(field.name) == "alu_opcode";
          if (is_code && value == largest) {
            EXPECT_NE(fault, InstructionFault::kNone);
            continue;
          }
          ASSERT_EQ(fault, InstructionFault::kNone);
          const uint64_t place = value << field.bit % 64;
          EXPECT_TRUE(Equal(encoded, field.bit < 64 ? Bytes(place | static_cast<uint64_t>(opcode), 0)
                                                    : Bytes(static_cast<uint64_t>(opcode), place)));
          Instruction decoded;
          EXPECT_EQ(Decode(named.config, encoded, &decoded), InstructionFault::kNone);
          EXPECT_EQ(decoded, instruction);
        }
        if (field.width == 32) continue;
        Instruction beyond = {.opcode = static_cast<Opcode>(opcode)};
        field.set(beyond, static_cast<uint32_t>(largest + 1));
        EncodedInstruction encoded;
        EXPECT_NE(Encode(named.config, beyond, &encoded), InstructionFault::kNone);
      }
    }
  }
}

// Bits that are decoded without a fault are encoded to the same bits.
TEST(Line01, RandomBitsRoundTripOrAreRefused) {
  std::mt19937_64 random(1);
  for (const NamedConfig& named : kConfigs) {
    int accepted = 0;
    for (int i = 0; i < 20000; ++i) {
      const uint64_t low = random();
      const EncodedInstruction encoded = Bytes(i % 2 != 0 ? low & ~(uint64_t{0x3F} << 58) : low, random());
      Instruction instruction;
      if (Decode(named.config, encoded, &instruction) != InstructionFault::kNone) continue;
      ++accepted;
      EncodedInstruction again;
      ASSERT_EQ(Encode(named.config, instruction, &again), InstructionFault::kNone);
      EXPECT_TRUE(Equal(encoded, again));
    }
    EXPECT_GT(accepted, 1000) << named.name;
  }
}

TEST(Line01, CodesThatDoNotExistAreRefused) {
  Instruction decoded;
  for (const uint64_t opcode : {5, 6, 7}) {
    EXPECT_EQ(Decode(kShipped, Bytes(opcode, 0), &decoded), InstructionFault::kOpcode);
  }
  for (const uint64_t memory : {6, 7}) {
    EXPECT_EQ(Decode(kShipped, Bytes(memory << 7, 0), &decoded), InstructionFault::kMemory);
  }
  for (const uint64_t code : {5, 6, 7}) {
    EXPECT_EQ(Decode(kShipped, Bytes(4, code << 44), &decoded), InstructionFault::kAluOpcode);
  }
  EXPECT_EQ(Decode(kShipped, Bytes(uint64_t{1} << 58, 0), &decoded), InstructionFault::kUnusedBits);
  EXPECT_EQ(Decode(kShipped, Bytes(2 | uint64_t{1} << 63, 0), &decoded), InstructionFault::kUnusedBits);
  EXPECT_EQ(Decode(kShipped, Bytes(3, 1), &decoded), InstructionFault::kUnusedBits);
}

TEST(Line01, TheFieldThatIsTooLargeIsNamed) {
  Instruction load;
  load.y_pad_1 = 16;
  EncodedInstruction encoded;
  const char* field = nullptr;
  EXPECT_EQ(Encode(kShipped, load, &encoded, &field), InstructionFault::kFieldRange);
  EXPECT_STREQ(field, "y_pad_1");
}

InstructionFault CheckOf(Instruction instruction, uint32_t Instruction::*flag) {
  instruction.*flag = 1;
  return Check(kShipped, instruction);
}

TEST(Line01, FlagsTowardsNoModuleAreRefused) {
  using I = Instruction;
  for (const Memory memory : {Memory::kInp, Memory::kWgt}) {
    const Instruction load = {.memory = memory};
    EXPECT_EQ(StageOf(load), Stage::kLoad);
    EXPECT_EQ(CheckOf(load, &I::pop_prev), InstructionFault::kDependency);
    EXPECT_EQ(CheckOf(load, &I::push_prev), InstructionFault::kDependency);
    EXPECT_EQ(CheckOf(load, &I::pop_next), InstructionFault::kNone);
    EXPECT_EQ(CheckOf(load, &I::push_next), InstructionFault::kNone);
  }
  const Instruction store = {.opcode = Opcode::kStore, .memory = Memory::kOut};
  EXPECT_EQ(StageOf(store), Stage::kStore);
  EXPECT_EQ(CheckOf(store, &I::pop_next), InstructionFault::kDependency);
  EXPECT_EQ(CheckOf(store, &I::push_next), InstructionFault::kDependency);
  EXPECT_EQ(CheckOf(store, &I::pop_prev), InstructionFault::kNone);
  EXPECT_EQ(CheckOf(store, &I::push_prev), InstructionFault::kNone);
  for (const Memory memory : {Memory::kUop, Memory::kAcc, Memory::kAcc8}) {
    for (auto flag : {&I::pop_prev, &I::pop_next, &I::push_prev, &I::push_next}) {
      EXPECT_EQ(StageOf({.memory = memory}), Stage::kCompute);
      EXPECT_EQ(CheckOf({.memory = memory}, flag), InstructionFault::kNone);
    }
  }
}

TEST(Line01, TransfersStayInTheirMemory) {
  EXPECT_EQ(Check(kShipped, {.memory = Memory::kOut}), InstructionFault::kMemory);
  EXPECT_EQ(Check(kShipped, {.opcode = Opcode::kStore, .memory = Memory::kAcc}), InstructionFault::kMemory);
  EXPECT_EQ(Check(kShipped, {.opcode = Opcode::kStore, .memory = Memory::kOut, .x_pad_1 = 1}),
            InstructionFault::kStorePadding);
  for (const NamedConfig& named : kConfigs) {
    for (int memory = 0; memory < kMemoryCount; ++memory) {
      Instruction transfer = {.memory = static_cast<Memory>(memory), .y_size = 2, .x_size = 3};
      if (transfer.memory == Memory::kOut) transfer.opcode = Opcode::kStore;
      transfer.sram_base = named.config.Depth(transfer.memory) - 6;
      EXPECT_EQ(Check(named.config, transfer), InstructionFault::kNone);
      ++transfer.sram_base;
      EXPECT_EQ(Check(named.config, transfer), InstructionFault::kSramRange);
      transfer.x_size = 0;
      EXPECT_EQ(Check(named.config, transfer), InstructionFault::kNone) << "nothing is transferred";
    }
  }
}

TEST(Line01, RangesOfUopsAreChecked) {
  Instruction gemm = {.opcode = Opcode::kGemm, .uop_end = 8192, .iter_out = 1, .iter_in = 1};
  EXPECT_EQ(Check(kShipped, gemm), InstructionFault::kNone);
  gemm.uop_end = 8193;
  EXPECT_EQ(Check(kShipped, gemm), InstructionFault::kUopRange);
  gemm.uop_end = gemm.uop_bgn = 5;
  EXPECT_EQ(Check(kShipped, gemm), InstructionFault::kEmptyLoop);
  gemm.uop_bgn = 6;
  EXPECT_EQ(Check(kShipped, gemm), InstructionFault::kEmptyLoop);
  gemm.uop_bgn = 4;
  gemm.iter_in = 0;
  EXPECT_EQ(Check(kShipped, gemm), InstructionFault::kEmptyLoop);
}

// With small buffers, factors fit the first half, where TVM's functional simulator and the HLS design read
// them.
TEST(Line01, FieldsOfSmallBuffersFillTheFirstHalf) {
  const FieldList fields = FieldsOf(kConfigs[1].config, Opcode::kAlu);
  const std::map<std::string, int> expected = {{"uop_bgn", 8},
                                               {"uop_end", 15},
                                               {"iter_out", 23},
                                               {"iter_in", 37},
                                               {"dst_factor_out", 51},
                                               {"dst_factor_in", 56},
                                               {"src_factor_out", 64},
                                               {"src_factor_in", 69},
                                               {"alu_opcode", 74},
                                               {"use_imm", 77},
                                               {"imm", 78}};
  size_t found = 0;
  for (const Field& field : fields) {
    const auto place = expected.find(field.name);
    if (place == expected.end()) continue;
    EXPECT_EQ(field.bit, place->second) << field.name;
    ++found;
  }
  EXPECT_EQ(found, expected.size());
}

TEST(Line01, SizesFollowFromTheConfiguration) {
  EXPECT_EQ(kShipped.Depth(Memory::kUop), 8192u);
  EXPECT_EQ(kShipped.Depth(Memory::kInp), 2048u);
  EXPECT_EQ(kShipped.Depth(Memory::kWgt), 1024u);
  EXPECT_EQ(kShipped.Depth(Memory::kAcc), 2048u);
  EXPECT_EQ(kShipped.Depth(Memory::kOut), 2048u);
  EXPECT_EQ(kShipped.ElementBytes(Memory::kUop), 4u);
  EXPECT_EQ(kShipped.ElementBytes(Memory::kInp), 16u);
  EXPECT_EQ(kShipped.ElementBytes(Memory::kWgt), 256u);
  EXPECT_EQ(kShipped.ElementBytes(Memory::kAcc), 64u);
  EXPECT_EQ(kShipped.ElementBytes(Memory::kOut), 16u);
  EXPECT_EQ(kShipped.ElementBytes(Memory::kAcc8), 16u);
  EXPECT_EQ(kConfigs[2].config.Depth(Memory::kWgt), 256u);
  EXPECT_EQ(kConfigs[2].config.Depth(Memory::kAcc), 1024u);
}

// Every kind of configuration that is refused, and one a step before it that is valid.
TEST(Line01, ConfigurationsThatDoNotFitAreRefused) {
  const struct {
    Config good, bad;
    ConfigFault fault;
  } cases[] = {
      {{}, {.log_inp_width = 2}, ConfigFault::kWidth},
      {{}, {.log_acc_width = 4}, ConfigFault::kWidth},
      {{.log_batch = 1}, {.log_batch = 5}, ConfigFault::kShape},
      {{.log_block = 5}, {.log_block = 0}, ConfigFault::kShape},
      {{.log_uop_buff_size = 3}, {.log_uop_buff_size = 2}, ConfigFault::kBuffer},
      {{.log_wgt_buff_size = 9}, {.log_wgt_buff_size = 8}, ConfigFault::kBuffer},
      {{.log_inp_buff_size = 14, .log_acc_buff_size = 16}, {.log_inp_buff_size = 14}, ConfigFault::kDepths},
      {{}, {.log_wgt_buff_size = 19}, ConfigFault::kUop},
      {{}, {.log_uop_buff_size = 16}, ConfigFault::kFields},
      {{}, {.log_inp_buff_size = 16, .log_wgt_buff_size = 16, .log_acc_buff_size = 18}, ConfigFault::kFields},
      {{.log_bus_width = 5}, {.log_bus_width = 4}, ConfigFault::kBus},
      {{.log_bus_width = 10}, {.log_bus_width = 11}, ConfigFault::kBus},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(Check(one.good), ConfigFault::kNone) << ToString(one.fault);
    EXPECT_EQ(ToString(Check(one.bad)), ToString(one.fault));
  }
}

}  // namespace
}  // namespace lutra::vta
