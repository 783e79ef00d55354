// SPDX-License-Identifier: Apache-2.0
// Estimated cycles: they add up, overlap where tokens let them, and follow the bandwidth.

#include "delegates/vta/simulator/timing.h"

#include <algorithm>
#include <numeric>

#include "delegates/vta/simulator/testing/machines.h"
#include "delegates/vta/simulator/testing/programs.h"

namespace lutra::vta::sim {
namespace {

Result RunProgram(const Program& program, const RunOptions& options = {}) {
  Simulator simulator(program.config);
  Dram dram = program.dram;
  Result result = simulator.Run({program.stream.data(), program.stream.size()}, dram, options);
  EXPECT_TRUE(result.ok());
  return result;
}

TEST(Line08, OneBufferAddsUpAndTwoOverlap) {
  // Long loads and long loops, with little else: 64 steps of 32 inputs and a GEMM of 100 micro-ops.
  const auto steps = [](uint32_t buffers) {
    ProgramWriter writer(kShipped);
    CommandStream& commands = writer.commands;
    const uint32_t input = writer.Put(std::vector<int8_t>(16 * 100), Memory::kInp);
    for (uint32_t i = 0; i < buffers; ++i) (void)commands.DepPush(Stage::kCompute, Stage::kLoad);
    for (uint32_t step = 0; step < 64; ++step) {
      const uint32_t part = step % buffers * 1024;
      (void)commands.DepPop(Stage::kCompute, Stage::kLoad);
      (void)commands.LoadBuffer2D(
          {.memory = Memory::kInp, .sram_index = part, .dram_index = input, .x_size = 100});
      (void)commands.DepPush(Stage::kLoad, Stage::kCompute);
      (void)commands.DepPop(Stage::kLoad, Stage::kCompute);
      (void)commands.UopLoopBegin(200, 1, 0, 0);
      (void)commands.UopPush({0, part, 0});
      (void)commands.UopLoopEnd();
      (void)commands.PushGemmOp();
      (void)commands.DepPush(Stage::kCompute, Stage::kLoad);
    }
    for (uint32_t i = 0; i < buffers; ++i) (void)commands.DepPop(Stage::kCompute, Stage::kLoad);
    return RunProgram(writer.Finish()).timing;
  };
  const Timing one = steps(1), two = steps(2);
  const uint64_t load = one.modules[0].busy, compute = one.modules[1].busy;
  EXPECT_GT(load, 64u * 200);
  EXPECT_GT(compute, 64u * 200);
  EXPECT_GE(one.cycles, load + compute);
  EXPECT_LE(one.cycles, (load + compute) * 11 / 10);
  EXPECT_GE(two.cycles, std::max(load, compute));
  EXPECT_LE(two.cycles, std::max(load, compute) * 11 / 10);
}

TEST(Line08, AWiderBusIsNotSlower) {
  for (const Config& config : {kShipped, kConfigs[2].config}) {
    uint64_t before = UINT64_MAX;
    Program program = Convolution{.height = 3, .width = 3}.Make(config);
    for (uint8_t width = 5; width <= 10; ++width) {
      program.config.log_bus_width = width;
      const uint64_t cycles = RunProgram(program).timing.cycles;
      EXPECT_LE(cycles, before);
      EXPECT_TRUE(width != 6 || cycles < before) << "weights alone are more than the products";
      before = cycles;
    }
  }
}

TEST(Line08, CountersAddUp) {
  const Convolution convolution = {.height = 3, .width = 3};
  const Program program = convolution.Make(kShipped);
  const Result result = RunProgram(program);
  const Timing& timing = result.timing;
  for (const ModuleCycles& module : timing.modules) {
    const uint64_t blocked = std::accumulate(module.blocked.begin(), module.blocked.end(), uint64_t{0});
    EXPECT_EQ(module.busy + blocked + module.idle, timing.cycles);
    EXPECT_LT(module.idle, timing.cycles);
  }
  const auto bytes = [&result](Memory memory) { return result.counters.bytes[static_cast<int>(memory)]; };
  const auto client = [&timing](Client who) { return timing.bytes[static_cast<int>(who)]; };
  EXPECT_EQ(client(Client::kFetch), program.stream.size() * 16);
  EXPECT_EQ(client(Client::kLoad), bytes(Memory::kInp) + bytes(Memory::kWgt));
  EXPECT_EQ(client(Client::kCompute), bytes(Memory::kUop) + bytes(Memory::kAcc));
  EXPECT_EQ(client(Client::kStore), bytes(Memory::kOut));
  // By hand: 2 x 2 blocks of 9 taps over 9 pixels, and three ALU steps for each of 18 outputs.
  EXPECT_EQ(result.counters.gemm_uops, 4u * 9 * 9);
  EXPECT_EQ(result.counters.macs, 4u * 9 * 9 * 256);
  EXPECT_EQ(result.counters.alu_uops, 3u * 18);
  EXPECT_EQ(timing.gemm_cycles, result.counters.gemm_uops);
  EXPECT_EQ(timing.alu_cycles, result.counters.alu_uops);
  EXPECT_EQ(bytes(Memory::kOut), 18u * 16);
  EXPECT_EQ(bytes(Memory::kWgt), 12u * 9 * 256);
  EXPECT_EQ(bytes(Memory::kInp), 4u * (2 + 3 + 2) * 3 * 16) << "padding is not read";
  // The last instruction ends the run, no instruction begins before it is fetched.
  EXPECT_EQ(timing.instructions.back().end, timing.cycles);
  for (const InstructionTime& time : timing.instructions) {
    EXPECT_GE(time.begin, 16u);
    EXPECT_LT(time.begin, time.end);
  }
}

// By hand from the constants: fetch, then a load of two bursts, then a GEMM, then FINISH.
TEST(Line08, ASmallStreamTakesWhatTheModelSays) {
  const CycleModel model;
  Instruction load = {.push_next = 1, .memory = Memory::kWgt, .dram_base = 4096 / 256};
  load.y_size = 1, load.x_size = 9;
  Instruction gemm = Compute(Opcode::kGemm);
  gemm.pop_prev = 1, gemm.iter_in = 50, gemm.dst_factor_in = 1;
  const std::vector<Instruction> stream = {load, gemm, {.opcode = Opcode::kFinish}};
  const Timing timing = EstimateCycles(kShipped, stream, model);
  const uint64_t fetched = model.dram_latency + 3 * 2 + 1;
  EXPECT_EQ(timing.instructions[0].begin, fetched);
  // 9 blocks are 288 beats, 256 and 32: the second burst finds the bus idle again.
  const uint64_t loaded = fetched + model.load_setup + 2 * model.dram_latency + 288 + 2 * model.burst_gap;
  EXPECT_EQ(timing.instructions[0].end, loaded);
  EXPECT_EQ(timing.instructions[1].begin, loaded);
  EXPECT_EQ(timing.modules[1].blocked[0], loaded - fetched - 1);
  EXPECT_EQ(timing.instructions[1].end, loaded + 50 + model.compute_fill + model.compute_decode);
  EXPECT_EQ(timing.cycles, timing.instructions[1].end + model.finish);
  // 8 blocks fit a burst, but not across a multiple of its length.
  Instruction across = load;
  across.push_next = 0, across.dram_base += 1, across.x_size = 8;
  const Timing split = EstimateCycles(kShipped, {across, {.opcode = Opcode::kFinish}}, model);
  EXPECT_EQ(split.instructions[0].end - split.instructions[0].begin,
            model.load_setup + 2 * model.dram_latency + 256 + 2 * model.burst_gap);
  // Padding costs a cycle an element where there are more of them than cycles of data.
  Instruction padded = {.memory = Memory::kInp, .dram_base = 4096 / 16};
  padded.y_size = 1, padded.x_size = 1, padded.y_pad_1 = 15, padded.x_pad_1 = 15;
  const Timing pads = EstimateCycles(kShipped, {padded, {.opcode = Opcode::kFinish}}, model);
  EXPECT_EQ(pads.instructions[0].end - pads.instructions[0].begin, 16u * 16 - 1);
}

}  // namespace
}  // namespace lutra::vta::sim
