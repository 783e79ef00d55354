// SPDX-License-Identifier: Apache-2.0
// Guarded requantisation against the integer rule, at and around every step of the result, and the bound that
// its proof uses. The program guarded_lanes does the same for any number of sums.

#include "runtime/fixed_point/guarded.h"

#include <gtest/gtest.h>
#include <math.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "runtime/testing/guarded_lanes.h"

namespace lutra {
namespace {

void ExpectExact(const Channel& c, const std::vector<int32_t>& sums, LaneCounts* counts,
                 Steps steps = Steps::kFused) {
  ASSERT_EQ(FirstWrongLane(c, sums, steps, counts), "");
}

class GuardedSteps : public testing::TestWithParam<Steps> {};

TEST_P(GuardedSteps, AreTheIntegerRuleUnlessInDoubt) {
  constexpr int kChannels = 40;
  Random random(7);
  LaneCounts counts;
  for (int32_t shift = -31; shift <= 6; ++shift) {
    for (int i = 0; i < kChannels; ++i) {
      const Channel c = RandomChannel(random, shift);
      ExpectExact(c, RandomSums(random, c), &counts, GetParam());
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(counts.worst, GetParam() == Steps::kFused ? 0.5 : 0.4) << "the bound is not what is tested";
  RecordProperty("sums", std::to_string(counts.sums));
  RecordProperty("worst", std::to_string(counts.worst));
}

INSTANTIATE_TEST_SUITE_P(GuardedScale, GuardedSteps, testing::Values(Steps::kFused, Steps::kTwo));

// With powers of two ties are common; in the middle of the grid sums are not in doubt.
TEST(GuardedScale, IsNotInDoubtOnACoarseGrid) {
  for (int32_t shift = -10; shift <= 4; ++shift) {
    const Channel c = {{1 << 30, shift}, 3, 900, INT8_MIN, INT8_MAX};
    std::vector<int32_t> sums;
    for (int32_t sum = -c.magnitude; sum <= c.magnitude; ++sum) sums.push_back(sum);
    LaneCounts counts;
    ExpectExact(c, sums, &counts);
    EXPECT_EQ(counts.in_doubt, 0) << shift;
  }
}

// Results are within twice int8, as the sums of layers are.
TEST(GuardedScale, IsSeldomInDoubt) {
  Random random(8);
  LaneCounts counts;
  for (int i = 0; i < 200; ++i) {
    Channel c = {
        {1 << 30 | static_cast<int32_t>(random() & 0x3FFFFFFF), -static_cast<int32_t>(3 + random() % 8)},
        static_cast<int32_t>(random() % 256) - 128,
        0,
        INT8_MIN,
        INT8_MAX};
    c.magnitude = static_cast<int32_t>(256 / ldexp(c.multiplier.value, c.multiplier.shift - 31));
    std::vector<int32_t> sums(1000);
    for (int32_t& sum : sums) {
      sum = static_cast<int32_t>(random() % (2 * static_cast<uint32_t>(c.magnitude))) - c.magnitude;
    }
    ExpectExact(c, sums, &counts);
  }
  EXPECT_LT(static_cast<double>(counts.in_doubt), 0.00015 * static_cast<double>(counts.sums));
}

TEST(GuardedScale, RefusesWhatTheTheoremDoesNotCover) {
  GuardedScale guarded;
  const Multiplier half = {1 << 30, 0};
  EXPECT_TRUE(ComputeGuardedScale(half, 0, 63999, 4, &guarded));
  EXPECT_FALSE(ComputeGuardedScale(half, 0, 64000, 4, &guarded)) << "w would leave its range";
  EXPECT_FALSE(ComputeGuardedScale({1 << 30, -31}, 0, int64_t{1} << 31, 4, &guarded)) << "sums beyond int32";
  EXPECT_FALSE(ComputeGuardedScale({-(1 << 30), -5}, 0, 100, 2, &guarded));
  EXPECT_FALSE(ComputeGuardedScale({1 << 29, -5}, 0, 100, 2, &guarded));
  EXPECT_FALSE(ComputeGuardedScale({1 << 30, -32}, 0, 100, 2, &guarded));
  EXPECT_TRUE(ComputeGuardedScale({0, 0}, 0, INT32_MAX, 4, &guarded));
}

}  // namespace
}  // namespace lutra
