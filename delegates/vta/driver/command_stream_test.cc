// SPDX-License-Identifier: Apache-2.0
// Tests which instructions the runtime API writes, the cache of micro-ops, and buffers that are full.

#include "delegates/vta/driver/command_stream.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace lutra::vta {
namespace {

constexpr Config kSmall = kConfigs[1].config;  // 128 micro-ops.

// Buffers of these sizes, and what is in them.
struct Recorder {
  explicit Recorder(size_t instructions = 100, size_t uops = 1000, size_t kernels = 50, bool counts = false)
      : instructions(instructions), uops(uops * 4), recorded(200), kernels(kernels) {
    buffers = {.instructions = {this->instructions.data(), instructions},
               .uops = {this->uops.data(), this->uops.size()},
               .uop_dram_index = 0x400,
               .recorded = {recorded.data(), recorded.size()},
               .kernels = {this->kernels.data(), kernels},
               .counts = counts};
  }

  std::vector<Instruction> Decoded(const CommandStream& commands) const {
    std::vector<Instruction> decoded(commands.instruction_count());
    for (size_t i = 0; i < decoded.size(); ++i) {
      EXPECT_EQ(Decode(kSmall, instructions[i], &decoded[i]), InstructionFault::kNone);
    }
    return decoded;
  }

  std::vector<EncodedInstruction> instructions;
  std::vector<uint8_t> uops;
  std::vector<uint32_t> recorded;
  std::vector<UopKernel> kernels;
  CommandBuffers buffers;
};

// `count` micro-ops from accumulator `first`, added to themselves; returns the status.
Status Add(CommandStream& commands, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    (void)commands.UopPush({(first + i) % 32, 0, 0});
  }
  return commands.PushAluOp(AluOpcode::kAdd);
}

TEST(Line09, TransfersAreWrittenAsTheyAreSaid) {
  Recorder recorder;
  CommandStream commands(kSmall, recorder.buffers);
  ASSERT_EQ(commands.LoadBuffer2D({.memory = Memory::kInp,
                                   .sram_index = 1,
                                   .dram_index = 2,
                                   .x_size = 3,
                                   .y_size = 2,
                                   .x_stride = 4,
                                   .x_pad_before = 1,
                                   .y_pad_before = 2,
                                   .x_pad_after = 0,
                                   .y_pad_after = 1}),
            Status::kOk);
  ASSERT_EQ(commands.StoreBuffer2D({.memory = Memory::kOut, .sram_index = 5, .dram_index = 6}), Status::kOk);
  Instruction load = {.memory = Memory::kInp, .sram_base = 1, .dram_base = 2};
  load.y_size = 2, load.x_size = 3, load.x_stride = 4;
  load.x_pad_0 = 1, load.y_pad_0 = 2, load.y_pad_1 = 1;
  Instruction store = {.opcode = Opcode::kStore, .memory = Memory::kOut, .sram_base = 5, .dram_base = 6};
  store.y_size = store.x_size = 1;
  EXPECT_EQ(recorder.Decoded(commands), (std::vector<Instruction>{load, store}));
}

TEST(Line09, LoopsStandWhereVtaPutsThem) {
  for (const uint32_t loops : {0, 1, 2}) {
    for (const bool is_gemm : {true, false}) {
      Recorder recorder;
      CommandStream commands(kSmall, recorder.buffers);
      if (loops > 0) (void)commands.UopLoopBegin(3, 4, 5, is_gemm ? 6 : 0);
      if (loops > 1) (void)commands.UopLoopBegin(7, 8, 9, is_gemm ? 10 : 0);
      ASSERT_EQ(commands.UopPush({1, 2, 3}), Status::kOk);
      ASSERT_EQ(commands.UopPush({2, 2, 3}), Status::kOk);
      for (uint32_t i = 0; i < loops; ++i) ASSERT_EQ(commands.UopLoopEnd(), Status::kOk);
      ASSERT_EQ(is_gemm ? commands.PushGemmOp() : commands.PushAluImmediateOp(AluOpcode::kShr, -3),
                Status::kOk);
      const std::vector<Instruction> decoded = recorder.Decoded(commands);
      ASSERT_EQ(decoded.size(), 2u);
      EXPECT_EQ(decoded[0].memory, Memory::kUop);
      EXPECT_EQ(decoded[0].dram_base, 0x400u);
      EXPECT_EQ(decoded[0].x_size, 2u);
      EXPECT_EQ(DecodeUop(kSmall, LoadWord(recorder.uops.data() + 4)), (Uop{2, 2, 3}));
      const Instruction& compute = decoded[1];
      EXPECT_EQ(compute.uop_end, 2u);
      const bool outer = loops == 2 || (loops == 1 && is_gemm),
                 inner = loops == 2 || (loops == 1 && !is_gemm);
      EXPECT_EQ(compute.iter_out, outer ? 3u : 1u);
      EXPECT_EQ(compute.dst_factor_out, outer ? 4u : 0u);
      EXPECT_EQ(compute.src_factor_out, outer ? 5u : 0u);
      EXPECT_EQ(compute.wgt_factor_out, outer && is_gemm ? 6u : 0u);
      EXPECT_EQ(compute.iter_in, loops == 2 ? 7u : inner ? 3u : 1u);
      EXPECT_EQ(compute.dst_factor_in, loops == 2 ? 8u : inner ? 4u : 0u);
      EXPECT_EQ(compute.src_factor_in, loops == 2 ? 9u : inner ? 5u : 0u);
      EXPECT_EQ(compute.wgt_factor_in, loops == 2 && is_gemm ? 10u : 0u);
      EXPECT_EQ(compute.immediate(), is_gemm ? 0 : -3);
    }
  }
}

TEST(Line09, TokensAreFlagsOfWhatIsThere) {
  Recorder recorder;
  CommandStream commands(kSmall, recorder.buffers);
  const auto load = [&commands] { return commands.LoadBuffer2D({.memory = Memory::kInp}); };
  // A push goes to the instruction before it, a pop to the one after it.
  ASSERT_EQ(commands.DepPop(Stage::kCompute, Stage::kLoad), Status::kOk);
  ASSERT_EQ(load(), Status::kOk);
  ASSERT_EQ(commands.DepPush(Stage::kLoad, Stage::kCompute), Status::kOk);
  // A second one needs an instruction of its own.
  ASSERT_EQ(commands.DepPush(Stage::kLoad, Stage::kCompute), Status::kOk);
  // Pops of both sides are one instruction's; two of one side are not.
  ASSERT_EQ(commands.DepPop(Stage::kLoad, Stage::kCompute), Status::kOk);
  ASSERT_EQ(commands.DepPop(Stage::kStore, Stage::kCompute), Status::kOk);
  ASSERT_EQ(commands.DepPop(Stage::kLoad, Stage::kCompute), Status::kOk);
  ASSERT_EQ(Add(commands, 0, 1), Status::kOk);
  // A push waits for the pops that were said before it.
  ASSERT_EQ(commands.DepPop(Stage::kCompute, Stage::kStore), Status::kOk);
  ASSERT_EQ(commands.DepPush(Stage::kStore, Stage::kCompute), Status::kOk);
  std::vector<std::vector<uint32_t>> flags;
  for (const Instruction& one : recorder.Decoded(commands)) {
    flags.push_back({static_cast<uint32_t>(StageOf(one)), one.pop_prev, one.pop_next, one.push_prev,
                     one.push_next, one.IsNoOp() ? 1u : 0u});
  }
  EXPECT_EQ(flags, (std::vector<std::vector<uint32_t>>{{1, 0, 1, 0, 1, 0},
                                                       {1, 0, 0, 0, 1, 1},
                                                       {2, 1, 1, 0, 0, 1},
                                                       {2, 1, 0, 0, 0, 0},
                                                       {2, 0, 0, 0, 0, 0},
                                                       {3, 1, 0, 1, 0, 1}}));
}

TEST(Line09, AStreamEndsOnce) {
  Recorder recorder;
  CommandStream commands(kSmall, recorder.buffers);
  ASSERT_EQ(commands.Synchronize(), Status::kOk);
  const std::vector<Instruction> decoded = recorder.Decoded(commands);
  ASSERT_EQ(decoded.size(), 4u);
  EXPECT_EQ(decoded[2].pop_prev + decoded[2].pop_next, 2u);
  EXPECT_EQ(decoded[3], (Instruction{.opcode = Opcode::kFinish}));
  EXPECT_EQ(commands.LoadBuffer2D({}), Status::kInvalidArgument);
  EXPECT_EQ(commands.instruction_count(), 4u);
}

TEST(Line09, WhatIsInSramIsNotLoadedAgain) {
  Recorder recorder;
  CommandStream commands(kSmall, recorder.buffers);
  ASSERT_EQ(Add(commands, 0, 30), Status::kOk);
  ASSERT_EQ(Add(commands, 1, 30), Status::kOk);
  ASSERT_EQ(Add(commands, 0, 30), Status::kOk);
  EXPECT_EQ(commands.uop_loads(), 2u);
  ASSERT_EQ(Add(commands, 2, 30), Status::kOk);
  ASSERT_EQ(Add(commands, 3, 30), Status::kOk);  // 0 to 30 to 120.
  EXPECT_EQ(commands.uop_loads(), 4u);
  // 120 + 9 do not fit: the first kernel's micro-ops are overwritten, the second's are not.
  ASSERT_EQ(Add(commands, 4, 9), Status::kOk);
  ASSERT_EQ(Add(commands, 1, 30), Status::kOk);
  EXPECT_EQ(commands.uop_loads(), 5u);
  const uint32_t written = commands.uop_count();
  ASSERT_EQ(Add(commands, 0, 30), Status::kOk);
  EXPECT_EQ(commands.uop_loads(), 6u);
  EXPECT_EQ(commands.uop_count(), written) << "it is in DRAM still";
  const Instruction again = recorder.Decoded(commands).rbegin()[1];
  EXPECT_EQ(again.sram_base, 9u);
  EXPECT_EQ(again.dram_base, 0x400u);
  // This overwrote the second kernel's micro-ops.
  ASSERT_EQ(Add(commands, 1, 30), Status::kOk);
  EXPECT_EQ(commands.uop_loads(), 7u);
}

// All of 128 places for micro-ops can be used; a further micro-op overwrites the one in its place.
TEST(Line09, TheLastPlaceIsUsedAndTheFirstIsTaken) {
  Recorder recorder;
  CommandStream commands(kSmall, recorder.buffers);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(Add(commands, 0, 100), Status::kOk);
    ASSERT_EQ(Add(commands, 1, 28), Status::kOk);
  }
  EXPECT_EQ(commands.uop_loads(), 2u);
  ASSERT_EQ(Add(commands, 5, 1), Status::kOk);
  ASSERT_EQ(Add(commands, 1, 28), Status::kOk);
  EXPECT_EQ(commands.uop_loads(), 3u);
  ASSERT_EQ(Add(commands, 0, 100), Status::kOk);
  EXPECT_EQ(commands.uop_loads(), 4u);
  ASSERT_EQ(Add(commands, 0, 128), Status::kOk);
}

// Some kernels, transfers and tokens by a seed.
Status Scribble(CommandStream& commands, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 60; ++i) {
    switch (random() % 4) {
      case 0:
        (void)commands.LoadBuffer2D({.memory = Memory::kWgt, .x_size = static_cast<uint32_t>(random() % 30)});
        break;
      case 1:
        (void)commands.DepPush(Stage::kCompute, random() % 2 == 0 ? Stage::kLoad : Stage::kStore);
        break;
      case 2:
        (void)commands.DepPop(Stage::kLoad, Stage::kCompute);
        break;
      default:
        (void)Add(commands, static_cast<uint32_t>(random() % 4), static_cast<uint32_t>(1 + random() % 60));
        break;
    }
  }
  return commands.Synchronize();
}

TEST(Line09, CountingIsWriting) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Recorder counting(0, 0, seed % 7, true);
    CommandStream counted(kSmall, counting.buffers);
    ASSERT_EQ(Scribble(counted, seed), Status::kOk);
    // Buffers of exactly the counted sizes are large enough; one entry less is too small.
    Recorder recorder(counted.instruction_count(), counted.uop_count(), seed % 7);
    CommandStream commands(kSmall, recorder.buffers);
    ASSERT_EQ(Scribble(commands, seed), Status::kOk);
    EXPECT_EQ(commands.instruction_count(), counted.instruction_count());
    EXPECT_EQ(commands.uop_count(), counted.uop_count());
    Recorder short_of_instructions(counted.instruction_count() - 1, counted.uop_count(), seed % 7);
    CommandStream first(kSmall, short_of_instructions.buffers);
    EXPECT_EQ(Scribble(first, seed), Status::kArenaTooSmall);
    Recorder short_of_uops(counted.instruction_count(), counted.uop_count() - 1, seed % 7);
    CommandStream second(kSmall, short_of_uops.buffers);
    EXPECT_EQ(Scribble(second, seed), Status::kArenaTooSmall);
  }
}

// One LOAD for all micro-ops, before the first kernel; each kernel finds its own.
TEST(Line09, AllMicroOpsAreLoadedAtOnceIfTheyFit) {
  Recorder recorder;
  const auto write = [](CommandStream& commands) {
    for (const uint32_t first : {0, 5, 0, 9}) {
      ASSERT_EQ(Add(commands, first, 3), Status::kOk);
    }
  };
  recorder.buffers.counts = true;
  CommandStream counted(kSmall, recorder.buffers);
  write(counted);
  ASSERT_EQ(counted.uop_count(), 9u);
  ASSERT_EQ(counted.uop_loads(), 3u);
  recorder.buffers.counts = false;
  recorder.buffers.preloaded_uops = counted.uop_count();
  CommandStream commands(kSmall, recorder.buffers);
  write(commands);
  EXPECT_EQ(commands.uop_loads(), 1u);
  const std::vector<Instruction> decoded = recorder.Decoded(commands);
  ASSERT_EQ(decoded.size(), 5u);
  EXPECT_EQ(decoded[0].memory, Memory::kUop);
  EXPECT_EQ(decoded[0].x_size, 9u);
  EXPECT_EQ(decoded[0].dram_base, 0x400u);
  const uint32_t begins[] = {0, 3, 0, 6};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(decoded[i + 1].uop_bgn, begins[i]);
    EXPECT_EQ(DecodeUop(kSmall, LoadWord(&recorder.uops[begins[i] * 4])).dst,
              begins[i] == 6 ? 9 : begins[i] / 3 * 5);
  }
}

TEST(Line09, MisuseIsRefused) {
  using C = CommandStream;
  Status (*const wrong[])(C&) = {
      [](C& c) { return c.PushGemmOp(); },
      [](C& c) { return c.UopLoopEnd(); },
      [](C& c) {
        return c.UopPush({32, 0, 0});
      },
      [](C& c) { return c.DepPush(Stage::kLoad, Stage::kStore); },
      [](C& c) { return c.DepPop(Stage::kStore, Stage::kStore); },
      [](C& c) { return c.LoadBuffer2D({.memory = Memory::kInp, .sram_index = 32}); },
      [](C& c) { return c.LoadBuffer2D({.memory = Memory::kInp, .x_pad_before = 16}); },
      [](C& c) { return c.LoadBuffer2D({.memory = Memory::kOut}); },
      [](C& c) { return c.StoreBuffer2D({.memory = Memory::kOut, .y_pad_after = 1}); },
      [](C& c) {
        return (void)c.UopPush({1, 0, 0}), c.UopLoopBegin(2, 0, 0, 0);
      },
      [](C& c) {
        return (void)c.UopPush({1, 0, 0}), c.Synchronize();
      },
      [](C& c) {
        return (void)c.UopPush({1, 0, 0}), c.UopPush({1, 0, 0});
      },
      [](C& c) {
        return (void)c.UopPush({1, 0, 0}), (void)c.UopPush({2, 0, 0}), c.UopPush({1, 0, 0});
      },
      [](C& c) {
        return (void)c.UopPush({1, 0, 0}), c.PushAluImmediateOp(AluOpcode::kAdd, 32768);
      },
      [](C& c) { return (void)c.UopLoopBegin(2, 0, 0, 0), (void)c.UopPush({}), c.PushGemmOp(); },
      [](C& c) {
        return (void)c.UopLoopBegin(2, 32, 0, 0), (void)c.UopPush({}), (void)c.UopLoopEnd(), c.PushGemmOp();
      },
      [](C& c) {
        return (void)c.UopLoopBegin(0, 0, 0, 0), (void)c.UopPush({}), (void)c.UopLoopEnd(), c.PushGemmOp();
      },
      [](C& c) {
        return (void)c.UopLoopBegin(1, 0, 0, 0), (void)c.UopLoopBegin(1, 0, 0, 0), c.UopLoopBegin(1, 0, 0, 0);
      },
      [](C& c) { return Add(c, 0, 129); },  // More than there is SRAM for.
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    Recorder recorder;
    CommandStream commands(kSmall, recorder.buffers);
    EXPECT_EQ(wrong[i](commands), Status::kInvalidArgument) << i;
    EXPECT_EQ(commands.LoadBuffer2D({}), Status::kInvalidArgument) << "the first failure is kept";
    EXPECT_EQ(commands.Synchronize(), Status::kInvalidArgument);
  }
  Recorder recorder;
  CommandStream commands(kSmall, recorder.buffers);
  EXPECT_EQ(Add(commands, 0, 201), Status::kArenaTooSmall) << "more than there is room for recording";
}

}  // namespace
}  // namespace lutra::vta
