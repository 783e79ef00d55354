// SPDX-License-Identifier: Apache-2.0
// Requantisation on the simulated ALU, against the runtime's own, where results change and next to these
// places.

#include "delegates/vta/driver/requantize.h"

#include <algorithm>
#include <map>

#include "delegates/vta/simulator/testing/machines.h"
#include "delegates/vta/simulator/testing/programs.h"
#include "lutra/fixed_point/fixed_point.h"

namespace lutra::vta::sim {
namespace {

constexpr uint32_t kLanes = 16;
constexpr uint32_t kVectors = 256;  // At a time.

int32_t Reference(const RequantizeProblem& problem, Multiplier m, int32_t x) {
  const int64_t result = int64_t{MultiplyDoubleRounding(x, m)} + problem.zero_point;
  return static_cast<int32_t>(std::clamp<int64_t>(result, problem.min, problem.max));
}

// Lists accumulators: where a lane's result reaches each value, two less to two more; the bounds; noise.
std::vector<int32_t> Interesting(const RequantizeProblem& problem, Multiplier m, uint64_t seed) {
  const int64_t bound = problem.accumulator_bound;
  std::vector<int32_t> values;
  const auto add = [&values, bound](int64_t x) {
    values.push_back(static_cast<int32_t>(std::clamp(x, -bound, bound)));
  };
  for (int32_t result = problem.min; result <= problem.max + 1; ++result) {
    int64_t low = -bound, high = bound + 1;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (int64_t{MultiplyDoubleRounding(static_cast<int32_t>(middle), m)} + problem.zero_point >= result)
        high = middle;
      else
        low = middle + 1;
    }
    for (int64_t x = low - 2; x <= low + 2; ++x) add(x);
  }
  for (int64_t x : {-bound, -bound + 1, int64_t{-1}, int64_t{0}, int64_t{1}, bound - 1, bound}) add(x);
  std::mt19937_64 random(seed);
  for (int bits = 2; bits < 30; ++bits) {
    add(static_cast<int64_t>(random() % (uint64_t{2} << bits)) - (int64_t{1} << bits));
  }
  return values;
}

// The plan's sequence for kVectors vectors, as a stream.
Program StreamOf(const RequantizeProblem& problem, const RequantizePlan& plan, uint32_t* constants) {
  ProgramWriter writer(kShipped);
  *constants = kVectors;
  EXPECT_EQ(PushRequantize(writer.commands, plan,
                           {.first = 0,
                            .count = kVectors,
                            .constants = *constants,
                            .scratch = *constants + plan.constant_rows()}),
            Status::kOk);
  EXPECT_EQ(problem.lanes.size(), size_t{kLanes});
  return writer.Finish();
}

// Every lane on its own values; returns how many results were compared.
size_t Compare(const RequantizeProblem& problem, const RequantizePlan& plan) {
  std::vector<std::vector<int32_t>> values;
  size_t most = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    values.push_back(Interesting(problem, problem.lanes[lane], lane));
    most = std::max(most, values.back().size());
  }
  uint32_t first = 0;
  Program program = StreamOf(problem, plan, &first);
  Simulator simulator(kShipped);
  std::vector<int32_t> constants(plan.constant_rows() * kLanes);
  FillConstants(problem, plan, {constants.data(), constants.size()});
  for (uint32_t i = 0; i < constants.size(); ++i) {
    simulator.machine().Accumulator(first + i / kLanes)[i % kLanes] = constants[i];
  }
  size_t compared = 0;
  for (size_t at = 0; at < most; at += kVectors) {
    const auto value = [&values, at](uint32_t i, uint32_t lane) {
      return values[lane][(at + i) % values[lane].size()];
    };
    for (uint32_t i = 0; i < kVectors; ++i) {
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        simulator.machine().Accumulator(i)[lane] = value(i, lane);
    }
    const Result result = simulator.Run({program.stream.data(), program.stream.size()}, program.dram,
                                        {.finds_races = false, .estimates_cycles = false});
    EXPECT_TRUE(result.ok()) << result.findings.back().text;
    EXPECT_EQ(result.warnings, 0u);
    EXPECT_EQ(result.counters.alu_uops, uint64_t{plan.alu_instructions()} * kVectors);
    for (uint32_t i = 0; i < kVectors; ++i) {
      for (uint32_t lane = 0; lane < kLanes; ++lane, ++compared) {
        const int32_t expected = Reference(problem, problem.lanes[lane], value(i, lane));
        if (simulator.machine().Accumulator(i)[lane] != expected ||
            simulator.machine().Output(i)[lane] != expected) {
          ADD_FAILURE() << value(i, lane) << " x " << problem.lanes[lane].value << " << "
                        << problem.lanes[lane].shift << " + " << problem.zero_point << ": "
                        << simulator.machine().Accumulator(i)[lane] << ", required " << expected;
          return compared;
        }
      }
    }
  }
  return compared;
}

struct Sample {
  std::vector<Multiplier> lanes;
  RequantizeProblem problem;
};

// Sixteen random multipliers whose shifts are `least` to `most` to the right.
Sample RandomSample(std::mt19937_64& random, int32_t least, int32_t most, int32_t bound) {
  Sample sample;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const auto fraction = static_cast<int32_t>(random() % (1 << 30));
    // Some values are at both ends.
    const int32_t value =
        random() % 8 == 0 ? (random() % 2 == 0 ? 1 << 30 : INT32_MAX) : (1 << 30) + fraction;
    const auto n = least + static_cast<int32_t>(random() % static_cast<uint64_t>(most - least + 1));
    sample.lanes.push_back({value, -n});
  }
  sample.problem.lanes = {sample.lanes.data(), sample.lanes.size()};
  const int32_t zero_points[] = {-128, 127, 0, static_cast<int32_t>(random() % 256) - 128};
  sample.problem.zero_point = zero_points[random() % 4];
  // All, or what RELU leaves.
  if (random() % 3 == 0) sample.problem.min = sample.problem.zero_point;
  if (random() % 5 == 0) sample.problem.max = std::max(sample.problem.min, 100);
  sample.problem.accumulator_bound = bound;
  return sample;
}

// A thousand scales and more, in blocks whose lanes have shifts of their own.
TEST(Line10, LimbsAreExactAtEveryThreshold) {
  std::mt19937_64 random(10);
  std::map<uint32_t, int> limbs;
  size_t compared = 0;
  for (int block = 0; block < 68; ++block) {
    const int32_t least = block % 17;
    Sample sample = RandomSample(random, block % 3 == 0 ? 0 : least, least, (1 << 30) - 1);
    RequantizePlan plan;
    sample.problem.lanes = {sample.lanes.data(), sample.lanes.size()};
    ASSERT_EQ(PlanRequantize(sample.problem, &plan), Status::kOk);
    EXPECT_FALSE(plan.is_universal) << least;
    ++limbs[plan.limbs];
    compared += Compare(sample.problem, plan);
    if (HasFailure()) return;
  }
  EXPECT_EQ(limbs.size(), 4u) << "2 to 5 limbs";
  EXPECT_GT(compared, 68u * 16 * 600);
}

TEST(Line10, TheUniversalSequenceIsExactAtEveryThreshold) {
  std::mt19937_64 random(11);
  for (int block = 0; block < 24; ++block) {
    Sample sample = RandomSample(random, block % 21, 20, (1 << 28));
    RequantizePlan plan;
    sample.problem.lanes = {sample.lanes.data(), sample.lanes.size()};
    ASSERT_EQ(PlanRequantize(sample.problem, &plan), Status::kOk);
    plan.is_universal = true;
    Compare(sample.problem, plan);
    if (HasFailure()) return;
  }
}

TEST(Line10, MultipliersFromOneOnAreExact) {
  std::mt19937_64 random(12);
  for (int block = 0; block < 12; ++block) {
    Sample sample = RandomSample(random, -8, block % 2 == 0 ? 8 : -1, (1 << 21));
    sample.problem.lanes = {sample.lanes.data(), sample.lanes.size()};
    RequantizePlan plan;
    ASSERT_EQ(PlanRequantize(sample.problem, &plan), Status::kOk);
    EXPECT_TRUE(plan.is_universal);
    Compare(sample.problem, plan);
    if (HasFailure()) return;
  }
}

// Multipliers are so small that no accumulator reaches the ends; some lanes are only padding.
TEST(Line10, SmallBoundsAndZeroLanesAreExact) {
  std::mt19937_64 random(13);
  for (const int32_t bound : {0, 1, 100, 5000, 1 << 20}) {
    for (const int32_t n : {0, 3, 9, 14, 20}) {
      Sample sample = RandomSample(random, n, n, bound);
      sample.lanes[3] = sample.lanes[15] = {0, 0};
      sample.problem.lanes = {sample.lanes.data(), sample.lanes.size()};
      RequantizePlan plan;
      ASSERT_EQ(PlanRequantize(sample.problem, &plan), Status::kOk);
      Compare(sample.problem, plan);
      if (HasFailure()) return;
    }
  }
}

TEST(Line10, WhatIsNotExactIsRefused) {
  std::vector<Multiplier> lanes(16, Multiplier{1 << 30, -23});
  RequantizeProblem problem = {.lanes = {lanes.data(), lanes.size()}, .accumulator_bound = 1000};
  RequantizePlan plan;
  EXPECT_EQ(PlanRequantize(problem, &plan), Status::kUnsupported) << "2^23 times the zero point";
  lanes.assign(16, {1 << 30, 12});
  EXPECT_EQ(PlanRequantize(problem, &plan), Status::kOk);
  problem.accumulator_bound = 1 << 19;
  EXPECT_EQ(PlanRequantize(problem, &plan), Status::kUnsupported) << "the product leaves 32 bits";
  problem.accumulator_bound = 1 << 30;
  EXPECT_EQ(PlanRequantize(problem, &plan), Status::kInvalidArgument);
  problem.accumulator_bound = 5, problem.min = 1, problem.max = 0;
  EXPECT_EQ(PlanRequantize(problem, &plan), Status::kInvalidArgument);
  problem.max = 1, lanes[2].value = 7;
  EXPECT_EQ(PlanRequantize(problem, &plan), Status::kInvalidArgument);
}

}  // namespace
}  // namespace lutra::vta::sim
