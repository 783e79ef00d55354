// SPDX-License-Identifier: Apache-2.0
// Compares FirstSumOf with the integer rule, and checks that proved scales give the right result for each
// sum.

#include "runtime/fixed_point/proved.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "runtime/testing/guarded_lanes.h"

namespace lutra {
namespace {

constexpr int kBatch = 4;

// Makes units as kernels do, but adds `too_many` to those of sum `wrong_at`.
struct Units {
  int64_t wrong_at = INT64_MAX;
  int32_t too_many = 0;

  void operator()(const int32_t* sums, const GuardedScale& scale, int32_t* units) const {
    for (int i = 0; i < kBatch; ++i) {
      units[i] = GuardedUnits(scale, sums[i], Steps::kFused) + (sums[i] == wrong_at ? too_many : 0);
    }
  }
};

TEST(FirstSumOf, IsWhereTheRuleReachesAResult) {
  Random random(3);
  int reached = 0;
  for (int32_t shift = -31; shift <= 6; ++shift) {
    for (int i = 0; i < 30; ++i) {
      const Channel c = RandomChannel(random, shift);
      if (c.multiplier.value == 0) continue;
      for (const int32_t result :
           {-128, -127, -1, 0, 1, 2, 126, 127, static_cast<int32_t>(random() % 256) - 128}) {
        const int64_t first = FirstSumOf(c.multiplier, result - c.offset);
        if (first > c.magnitude || first <= -c.magnitude) continue;
        ++reached;
        ASSERT_EQ(first, StepTo(c, result)) << shift << " " << c.multiplier.value << " " << result - c.offset;
      }
    }
  }
  EXPECT_GT(reached, 3000);
}

Channel NarrowChannel(Random& random) {
  const auto shift = -static_cast<int32_t>(1 + random() % 8);
  Channel c = RandomChannel(random, shift);
  c.magnitude = std::min<int32_t>(c.magnitude, 1 << (9 - shift));
  return c;
}

TEST(ProveScale, IsRightForEachSum) {
  Random random(4);
  int proved = 0;
  int channels = 0;
  for (; channels < 150; ++channels) {
    const Channel c = NarrowChannel(random);
    // Ranges that begin or end anywhere, and lie on one side of 0.
    const int64_t least = static_cast<int64_t>(random() % (2 * uint64_t(c.magnitude))) - c.magnitude;
    const int64_t most = least + static_cast<int64_t>(random() % uint64_t(c.magnitude - least + 1));
    StepsOfSums steps;
    GuardedScale scale;
    ASSERT_TRUE(FindSteps(c.multiplier, {c.offset, c.min, c.max}, least, most, &steps));
    if (!ProveScale<kBatch>(steps, Units(), &scale)) continue;
    ++proved;
    for (int64_t sum = least; sum <= most; ++sum) {
      const auto x = static_cast<int32_t>(sum);
      ASSERT_EQ(std::clamp(GuardedUnits(scale, x, Steps::kFused) >> 16, c.min, c.max), Exact(c, x)) << sum;
    }
  }
  EXPECT_GT(proved, channels * 8 / 10);
}

// One sum beside a step, made wrong.
TEST(ProveScale, SeesAWrongStep) {
  const Multiplier m = {1518500250, -6};
  StepsOfSums steps;
  GuardedScale scale;
  ASSERT_TRUE(FindSteps(m, {-3, -128, 127}, -20000, 20000, &steps));
  ASSERT_EQ(steps.count, 255);
  EXPECT_TRUE(ProveScale<kBatch>(steps, Units(), &scale));
  for (const int i : {0, 1, 100, 253, 254}) {
    EXPECT_FALSE(ProveScale<kBatch>(steps, (Units{steps.first[i], -70000}), &scale)) << i;
    EXPECT_FALSE(ProveScale<kBatch>(steps, (Units{steps.first[i] - 1, 70000}), &scale)) << i;
  }
  // The ends, beyond the last step and before the first.
  ASSERT_TRUE(FindSteps(m, {-3, -128, 127}, -1000, 1000, &steps));
  EXPECT_TRUE(ProveScale<kBatch>(steps, Units(), &scale));
  EXPECT_FALSE(ProveScale<kBatch>(steps, (Units{-1000, -70000}), &scale));
  EXPECT_FALSE(ProveScale<kBatch>(steps, (Units{1000, 70000}), &scale));
}

TEST(FindSteps, RefusesWhatLeavesItsTypes) {
  StepsOfSums steps;
  const ResultRange range = {0, -128, 127};
  EXPECT_FALSE(FindSteps({1 << 30, 0}, range, -64000, 0, &steps)) << "units would leave int32";
  EXPECT_TRUE(FindSteps({1 << 30, 0}, range, -63999, 0, &steps));
  EXPECT_FALSE(FindSteps({1 << 30, -31}, range, 0, int64_t{1} << 31, &steps)) << "sums beyond int32";
  EXPECT_FALSE(FindSteps({1 << 29, -5}, range, -10, 10, &steps));
  EXPECT_FALSE(FindSteps({-(1 << 30), -5}, range, -10, 10, &steps));
  EXPECT_FALSE(FindSteps({1 << 30, -5}, range, 10, -10, &steps)) << "no sums";
  GuardedScale scale;
  EXPECT_TRUE(FindSteps({0, 0}, range, -INT32_MAX, INT32_MAX, &steps) &&
              ProveScale<kBatch>(steps, Units(), &scale));
}

}  // namespace
}  // namespace lutra
