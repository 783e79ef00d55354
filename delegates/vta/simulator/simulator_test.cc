// SPDX-License-Identifier: Apache-2.0
// Tokens, schedules and races: errors are found and named in any order of execution.

#include "delegates/vta/simulator/simulator.h"

#include <algorithm>
#include <map>

#include "delegates/vta/simulator/testing/machines.h"
#include "delegates/vta/simulator/testing/programs.h"

namespace lutra::vta::sim {
namespace {

constexpr std::array<Stage, 3> kPriorities[] = {
    {Stage::kLoad, Stage::kCompute, Stage::kStore}, {Stage::kLoad, Stage::kStore, Stage::kCompute},
    {Stage::kCompute, Stage::kLoad, Stage::kStore}, {Stage::kCompute, Stage::kStore, Stage::kLoad},
    {Stage::kStore, Stage::kLoad, Stage::kCompute}, {Stage::kStore, Stage::kCompute, Stage::kLoad}};

Instruction NoOp(Stage stage) {
  Instruction instruction = {.memory = stage == Stage::kLoad ? Memory::kInp : Memory::kUop};
  if (stage == Stage::kStore) instruction.opcode = Opcode::kStore, instruction.memory = Memory::kOut;
  return instruction;
}

constexpr Instruction kFinish = {.opcode = Opcode::kFinish};

std::vector<EncodedInstruction> Encoded(const std::vector<Instruction>& stream) {
  std::vector<EncodedInstruction> encoded(stream.size());
  for (size_t i = 0; i < stream.size(); ++i) {
    EXPECT_EQ(Encode(kSmall, stream[i], &encoded[i]), InstructionFault::kNone);
  }
  return encoded;
}

Result RunEncoded(const std::vector<EncodedInstruction>& stream, Dram& dram, const RunOptions& options = {}) {
  Simulator simulator(kSmall);
  return simulator.Run({stream.data(), stream.size()}, dram, options);
}

Result RunAll(const std::vector<Instruction>& stream, const RunOptions& options = {}) {
  Dram dram;
  dram.Allocate(4096);
  return RunEncoded(Encoded(stream), dram, options);
}

// The stream ends with this error, at this instruction, in every order; returns its text.
std::string ErrorOf(const std::vector<Instruction>& stream, Issue issue, uint32_t instruction) {
  std::string text;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    RunOptions options = {.seed = seed};
    if (seed < 6) options.priority = kPriorities[seed];
    const Result result = RunAll(stream, options);
    EXPECT_FALSE(result.ok());
    if (result.ok()) return "";
    EXPECT_EQ(ToString(result.findings.back().issue), std::string(ToString(issue)));
    text = result.findings.back().text;
    EXPECT_EQ(result.findings.back().instruction, instruction) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_NE(text.find("required: "), std::string::npos) << text;
  }
  return text;
}

struct Edge {
  Stage from, to;
  uint32_t Instruction::*push;
  uint32_t Instruction::*pop;
  const char* name;
};
using I = Instruction;
constexpr Edge kEdges[] = {{Stage::kLoad, Stage::kCompute, &I::push_next, &I::pop_prev, "load to compute"},
                           {Stage::kCompute, Stage::kLoad, &I::push_prev, &I::pop_next, "compute to load"},
                           {Stage::kCompute, Stage::kStore, &I::push_next, &I::pop_prev, "compute to store"},
                           {Stage::kStore, Stage::kCompute, &I::push_prev, &I::pop_next, "store to compute"}};

// A stream in which FINISH waits for `others`, one no-op each.
std::vector<Instruction> Ended(std::vector<Instruction> stream) {
  stream.push_back(NoOp(Stage::kLoad));
  stream.back().push_next = 1;
  stream.push_back(NoOp(Stage::kStore));
  stream.back().push_prev = 1;
  stream.push_back(kFinish);
  stream.back().pop_prev = stream.back().pop_next = 1;
  return stream;
}

TEST(Line07, APopThatNobodyPushesIsADeadlock) {
  for (const Edge& edge : kEdges) {
    SCOPED_TRACE(edge.name);
    std::vector<Instruction> stream = {NoOp(edge.from), NoOp(edge.to), NoOp(edge.to)};
    stream[0].*edge.push = 1;
    stream[1].*edge.pop = 1;
    stream[2].*edge.pop = 1;
    // The tokens at the end would be taken for the missing one.
    const auto ended = [&edge](std::vector<Instruction> middle) {
      if (edge.to != Stage::kCompute) return Ended(middle);
      middle.push_back(kFinish);
      return middle;
    };
    const std::string text = ErrorOf(ended(stream), Issue::kDeadlock, 2);
    EXPECT_NE(text.find(std::string(ToString(edge.to)) + " waits at instruction 2 for a token " + edge.name +
                        ", last pushed by instruction 0"),
              std::string::npos)
        << text;
    stream.erase(stream.begin());
    EXPECT_NE(ErrorOf(ended(stream), Issue::kDeadlock, 0).find("which nobody pushed"), std::string::npos);
  }
}

TEST(Line07, APushThatNobodyPopsIsALeak) {
  for (const Edge& edge : kEdges) {
    SCOPED_TRACE(edge.name);
    std::vector<Instruction> stream = {NoOp(edge.from), NoOp(edge.to), NoOp(edge.from)};
    stream[0].*edge.push = 1;
    stream[1].*edge.pop = 1;
    stream[2].*edge.push = 1;
    std::vector<Instruction> ended = Ended(stream);
    const Result result = RunAll(ended);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.findings.back().issue, Issue::kTokenLeak) << result.findings.back().text;
    EXPECT_NE(result.findings.back().text.find(std::string("1 tokens ") + edge.name), std::string::npos);
    stream.pop_back();
    EXPECT_TRUE(RunAll(Ended(stream)).ok());
  }
}

// Two modules that wait for each other, each with a push behind its pop.
TEST(Line07, ACircleIsADeadlock) {
  std::vector<Instruction> stream = {NoOp(Stage::kLoad), NoOp(Stage::kCompute)};
  stream[0].pop_next = stream[0].push_next = 1;
  stream[1].pop_prev = stream[1].push_prev = 1;
  const std::string text = ErrorOf(Ended(stream), Issue::kDeadlock, 0);
  EXPECT_NE(text.find("load waits at instruction 0"), std::string::npos) << text;
  EXPECT_NE(text.find("compute waits at instruction 1"), std::string::npos) << text;
}

TEST(Line07, MoreTokensThanHardwareCountsAreFound) {
  for (const uint32_t count : {255u, 256u}) {
    std::vector<Instruction> stream;
    for (uint32_t i = 0; i < count; ++i) {
      stream.push_back(NoOp(Stage::kLoad));
      stream.back().push_next = 1;
    }
    for (uint32_t i = 0; i + 1 < count; ++i) {
      stream.push_back(NoOp(Stage::kCompute));
      stream.back().pop_prev = 1;
    }
    stream.push_back(kFinish);
    stream.back().pop_prev = 1;
    const Result result = RunAll(stream, {.priority = kPriorities[0]});
    ASSERT_EQ(result.ok(), count == 255);
    EXPECT_EQ(result.most_tokens[0], count);
    if (count == 255) continue;
    EXPECT_EQ(result.findings.back().issue, Issue::kTokenOverflow);
    EXPECT_EQ(result.findings.back().instruction, 255u);
  }
}

TEST(Line07, AStreamEndsWithItsOnlyFinish) {
  ErrorOf({}, Issue::kFinish, kNoInstruction);
  ErrorOf({NoOp(Stage::kCompute)}, Issue::kFinish, 0);
  ErrorOf({NoOp(Stage::kCompute), kFinish, NoOp(Stage::kCompute)}, Issue::kFinish, 1);
  ErrorOf({kFinish, kFinish}, Issue::kFinish, 0);
  EXPECT_TRUE(RunAll({kFinish}).ok());
}

TEST(Line07, FinishWaitsForEveryModule) {
  for (const Stage stage : {Stage::kLoad, Stage::kStore}) {
    Instruction other = NoOp(stage);
    ErrorOf({other, kFinish}, Issue::kFinishEarly, 1);
    (stage == Stage::kLoad ? other.push_next : other.push_prev) = 1;
    Instruction finish = kFinish;
    (stage == Stage::kLoad ? finish.pop_prev : finish.pop_next) = 1;
    EXPECT_TRUE(RunAll({other, finish}).ok());
    // A token of the first instruction says nothing of the second.
    ErrorOf({other, NoOp(stage), finish}, Issue::kFinishEarly, 2);
  }
}

TEST(Line07, AFullQueueHoldsUpTheOthers) {
  for (const uint32_t behind : {511u, 512u}) {
    std::vector<Instruction> stream = {NoOp(Stage::kLoad)};
    stream[0].pop_next = 1;
    for (uint32_t i = 0; i < behind; ++i) stream.push_back(NoOp(Stage::kLoad));
    stream.back().push_next = 1;
    stream.push_back(NoOp(Stage::kCompute));
    stream.back().push_prev = 1;
    stream.push_back(kFinish);
    stream.back().pop_prev = 1;
    const Result result = RunAll(stream);
    ASSERT_EQ(result.ok(), behind == 511);
    if (behind == 511) continue;
    EXPECT_EQ(result.findings.back().issue, Issue::kDeadlock);
    EXPECT_NE(result.findings.back().text.find("512 instructions that wait"), std::string::npos);
  }
}

TEST(Line07, WhatCannotBeDecodedIsNamed) {
  std::vector<EncodedInstruction> stream = Encoded({NoOp(Stage::kLoad), NoOp(Stage::kLoad), kFinish});
  stream[1].bytes[0] = 7;
  Dram dram;
  const Result result = RunEncoded(stream, dram);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.findings.back().text.find("instruction 1: instruction: found unknown opcode, required: "),
            0u);
}

TEST(Line07, ARunHasALimit) {
  Instruction gemm = Compute(Opcode::kGemm);
  gemm.reset = 1, gemm.iter_out = gemm.iter_in = 100;
  EXPECT_TRUE(RunAll({gemm, kFinish}, {.most_uops = 10000}).ok());
  const Result result = RunAll({gemm, kFinish}, {.most_uops = 9999});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.findings.back().issue, Issue::kTooLong);
}

std::vector<Program> Programs() {
  std::vector<Program> programs;
  programs.push_back(VectorAdd(kSmall, 16));
  programs.push_back(MatrixProduct(kSmall, 10, 3));
  programs.push_back(MatrixProduct(kConfigs[3].config, 10, 3));
  programs.push_back(Convolution{.height = 3, .width = 3}.Make(kShipped));
  programs.push_back(Convolution{.height = 3, .width = 3, .buffers = 1}.Make(kShipped));
  programs.push_back(Convolution{.height = 2, .width = 3, .in_blocks = 3, .out_blocks = 1}.Make(kSmall));
  return programs;
}

TEST(Line07, EveryOrderGivesTheSame) {
  for (const Program& program : Programs()) {
    for (uint64_t seed = 0; seed < 1000; ++seed) {
      Simulator simulator(program.config);
      Dram dram = program.dram;
      RunOptions options = {.seed = seed, .finds_races = seed < 20, .estimates_cycles = false};
      if (seed < 6) options.priority = kPriorities[seed];
      const Result result = simulator.Run({program.stream.data(), program.stream.size()}, dram, options);
      ASSERT_TRUE(result.ok()) << result.findings.back().text;
      EXPECT_EQ(result.warnings, 0u) << result.findings.back().text;
      ASSERT_EQ(program.OutputOf(dram), program.expected) << seed;
    }
  }
}

Result RunChanged(const Program& program, const std::vector<Instruction>& stream, uint64_t seed) {
  std::vector<EncodedInstruction> encoded(stream.size());
  for (size_t i = 0; i < stream.size(); ++i) {
    EXPECT_EQ(Encode(program.config, stream[i], &encoded[i]), InstructionFault::kNone);
  }
  Simulator simulator(program.config);
  Dram dram = program.dram;
  return simulator.Run({encoded.data(), encoded.size()}, dram, {.seed = seed, .estimates_cycles = false});
}

std::vector<Instruction> DecodedStream(const Program& program) {
  std::vector<Instruction> stream(program.stream.size());
  for (size_t i = 0; i < stream.size(); ++i) {
    EXPECT_EQ(Decode(program.config, program.stream[i], &stream[i]), InstructionFault::kNone);
  }
  return stream;
}

TEST(Line07, EveryFlagThatIsTakenOutIsFound) {
  for (const Program& program : Programs()) {
    const std::vector<Instruction> stream = DecodedStream(program);
    std::map<Issue, int> found;
    for (size_t i = 0; i < stream.size(); ++i) {
      for (const auto flag : {&I::pop_prev, &I::pop_next, &I::push_prev, &I::push_next}) {
        if (stream[i].*flag == 0) continue;
        std::vector<Instruction> changed = stream;
        changed[i].*flag = 0;
        const Result result = RunChanged(program, changed, i);
        ASSERT_FALSE(result.ok()) << "instruction " << i;
        ++found[result.findings.back().issue];
      }
    }
    EXPECT_GT(found[Issue::kDeadlock] + found[Issue::kRace], 0);
    EXPECT_GE(found.size(), 2u);
  }
}

// A push and its pop are removed: the counters agree, and only the detector finds it.
TEST(Line07, EveryTokenThatIsTakenOutIsARace) {
  for (const Program& program : Programs()) {
    const std::vector<Instruction> stream = DecodedStream(program);
    int races = 0, early = 0;
    for (const Edge& edge : kEdges) {
      std::vector<size_t> pushes, pops;
      for (size_t i = 0; i < stream.size(); ++i) {
        if (StageOf(stream[i]) == edge.from && stream[i].*edge.push != 0) pushes.push_back(i);
        if (StageOf(stream[i]) == edge.to && stream[i].*edge.pop != 0) pops.push_back(i);
      }
      ASSERT_EQ(pushes.size(), pops.size());
      for (size_t token = 0; token < pushes.size(); ++token) {
        std::vector<Instruction> changed = stream;
        changed[pushes[token]].*edge.push = 0;
        changed[pops[token]].*edge.pop = 0;
        // Every order gives the same finding.
        const bool ok = RunChanged(program, changed, 0).ok();
        for (uint64_t seed = 1; seed < 4; ++seed) EXPECT_EQ(RunChanged(program, changed, seed).ok(), ok);
        // Tokens that only fill a buffer at first, or empty it at last, order no accesses.
        const bool is_credit = stream[pushes[token]].IsNoOp() || stream[pops[token]].IsNoOp();
        EXPECT_TRUE(is_credit || !ok) << edge.name << token;
        const Result result = RunChanged(program, changed, 0);
        if (ok) continue;
        ++(result.findings.back().issue == Issue::kRace ? races : early);
        EXPECT_NE(result.findings.back().issue, Issue::kDeadlock);
      }
    }
    EXPECT_GT(races, 0);
    EXPECT_GT(early, 0) << "FINISH waits for nobody without Synchronize's tokens";
  }
}

// A load reads DRAM that a store writes: in memory, too, a token must order them.
TEST(Line07, StoresAndLoadsOfOnePlaceRace) {
  const auto base = static_cast<uint32_t>(4096 / kSmall.ElementBytes(Memory::kInp));
  Instruction store = NoOp(Stage::kStore), load = NoOp(Stage::kLoad);
  store.x_size = store.y_size = load.x_size = load.y_size = 1;
  store.dram_base = base + 3, load.dram_base = base + 3;
  EXPECT_NE(
      ErrorOf(Ended({store, load}), Issue::kRace, 1)
          .find("found DRAM at byte 0x1018 touched by the load module, and by instruction 0 of the store"),
      std::string::npos);
  load.dram_base = base + 4;
  EXPECT_TRUE(RunAll(Ended({store, load})).ok());
}

}  // namespace
}  // namespace lutra::vta::sim
