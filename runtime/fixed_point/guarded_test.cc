// SPDX-License-Identifier: Apache-2.0
// Guarded requantisation against the integer rule, at and around every step of the result, and the bound that
// its proof rests on. LUTRA_GUARDED_CHANNELS=N: as many random channels for each shift.

#include "runtime/fixed_point/guarded.h"

#include <gtest/gtest.h>
#include <math.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"

namespace lutra {
namespace {

using Random = std::mt19937_64;

struct Channel {
  Multiplier multiplier;
  int32_t offset;
  int32_t magnitude;
  int32_t min;
  int32_t max;
};

int32_t GuardedUnits(const GuardedScale& guarded, int32_t sum) {
  const float constant = sum < 0 ? guarded.below : guarded.above;
  return static_cast<int32_t>(nearbyintf(fmaf(static_cast<float>(sum), guarded.scale, constant)));
}

int32_t Exact(const Channel& c, int32_t sum) {
  const int64_t scaled = int64_t{MultiplyByQuantizedMultiplier(sum, c.multiplier)} + c.offset;
  return static_cast<int32_t>(std::clamp<int64_t>(scaled, c.min, c.max));
}

// The real number, in units of 2^-16, whose floor the rule is. A product has 63 bits.
long double ExactUnits(const Channel& c, int32_t sum) {
  const auto product = static_cast<long double>(int64_t{sum} * c.multiplier.value);
  long double nudge = 0;
#ifndef LUTRA_SINGLE_ROUNDING
  if (c.multiplier.shift < 0 && c.multiplier.value != 0) nudge = ldexpl(1, c.multiplier.shift - 1);
#endif
  const long double half = 0.5L + (sum < 0 ? -nudge : nudge);
  return ldexpl(product, c.multiplier.shift - 15) + (c.offset + half) * 65536;
}

// The smallest sum within the magnitude whose result is `result` or more.
int32_t StepTo(const Channel& c, int32_t result) {
  int64_t low = -int64_t{c.magnitude};
  int64_t high = int64_t{c.magnitude} + 1;
  while (low < high) {
    const int64_t middle = (low + high) >> 1;
    const bool reached =
        MultiplyByQuantizedMultiplier(static_cast<int32_t>(middle), c.multiplier) + int64_t{c.offset} >=
        result;
    (reached ? high : low) = reached ? middle : middle + 1;
  }
  return static_cast<int32_t>(std::min<int64_t>(low, c.magnitude));
}

int32_t RandomValue(Random& random) {
  constexpr int32_t kLeast = 1 << 30;
  switch (random() % 6) {
    case 0:
      return kLeast;
    case 1:
      return INT32_MAX - static_cast<int32_t>(random() % 3);
    case 2:
      return kLeast + static_cast<int32_t>(random() % 3);
    case 3:
      return kLeast | static_cast<int32_t>(random() & 0x3FFFFF80);
    default:
      return kLeast | static_cast<int32_t>(random() & 0x3FFFFFFF);
  }
}

Channel RandomChannel(Random& random, int32_t shift) {
  Channel c = {};
  c.multiplier = {random() % 50 == 0 ? 0 : RandomValue(random), shift};
  c.offset = random() % 4 == 0 ? INT8_MIN : static_cast<int32_t>(random() % 256) - 128;
  c.min = random() % 3 == 0 ? INT8_MIN : c.offset;
  c.max = random() % 2 == 0 ? INT8_MAX : c.min + static_cast<int32_t>(random() % (128 - c.min));
  int64_t magnitude = int64_t{1} << (8 + random() % 24);
  if (random() % 2 == 0) magnitude -= 1 + static_cast<int64_t>(random() % (magnitude / 2));
  const double scale = ldexp(c.multiplier.value, shift - 31);
  if (scale > 0) magnitude = std::min(magnitude, static_cast<int64_t>(31999 / scale));
  c.magnitude = static_cast<int32_t>(std::clamp<int64_t>(magnitude, 1, INT32_MAX));
  return c;
}

std::vector<int32_t> RandomSums(Random& random, const Channel& c) {
  std::vector<int32_t> sums;
  const auto add = [&](int64_t sum) {
    sums.push_back(static_cast<int32_t>(std::clamp<int64_t>(sum, -int64_t{c.magnitude}, c.magnitude)));
  };
  for (int i = 0; i < 24; ++i) {
    add(static_cast<int64_t>(random() % 65) - 32);
    add((i % 2 == 0 ? c.magnitude : -int64_t{c.magnitude}) + static_cast<int64_t>(random() % 9) - 4);
    add(static_cast<int64_t>(random() % (2 * uint64_t{static_cast<uint32_t>(c.magnitude)} + 1)) -
        c.magnitude);
    const int32_t step = StepTo(c, static_cast<int32_t>(random() % 260) - 130);
    for (int32_t beside = -3; beside <= 3; ++beside) add(int64_t{step} + beside);
  }
  return sums;
}

struct Counts {
  int64_t sums = 0;
  int64_t in_doubt = 0;
  double worst = 0;  // Of the distance that the width bounds, as a part of it.
};

void ExpectExact(const Channel& c, const std::vector<int32_t>& sums, Counts* counts) {
  const int32_t width = GuardWidth(c.magnitude);
  GuardedScale guarded;
  ASSERT_TRUE(MakeGuardedScale(c.multiplier, c.offset, c.magnitude, width, &guarded));
  const double grid =
      c.multiplier.value == 0 ? 0 : ldexp(c.multiplier.value & -c.multiplier.value, c.multiplier.shift - 31);
  const long double centre = std::max<long double>(width, std::min(grid, 0.5) * 32768);
  for (const int32_t sum : sums) {
    const int32_t units = GuardedUnits(guarded, sum);
    const long double exact_units = ExactUnits(c, sum);
    ++counts->sums;
    if (fabsl(exact_units) < 0x1p23L) {
      const auto distance = static_cast<double>(fabsl(units - exact_units - centre));
      ASSERT_LE(distance, width) << sum << " " << c.multiplier.value << " " << c.multiplier.shift;
      counts->worst = std::max(counts->worst, distance / width);
    }
    if ((units & 0xFFFF) < 2 * width) {
      ++counts->in_doubt;
      continue;
    }
    ASSERT_EQ(std::clamp(units >> 16, c.min, c.max), Exact(c, sum))
        << sum << " " << c.multiplier.value << " " << c.multiplier.shift << " " << c.offset;
  }
}

TEST(GuardedScale, IsTheIntegerRuleUnlessInDoubt) {
  const char* asked = std::getenv("LUTRA_GUARDED_CHANNELS");
  const int channels = asked != nullptr ? std::atoi(asked) : 40;
  Random random(7);
  Counts counts;
  for (int32_t shift = -31; shift <= 6; ++shift) {
    for (int i = 0; i < channels; ++i) {
      const Channel c = RandomChannel(random, shift);
      ExpectExact(c, RandomSums(random, c), &counts);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(counts.worst, 0.5) << "the bound is not what is tested";
  RecordProperty("sums", std::to_string(counts.sums));
  RecordProperty("worst", std::to_string(counts.worst));
}

// Powers of two make ties common; in the middle of the grid they are not in doubt.
TEST(GuardedScale, IsNotInDoubtOnACoarseGrid) {
  for (int32_t shift = -10; shift <= 4; ++shift) {
    const Channel c = {{1 << 30, shift}, 3, 900, INT8_MIN, INT8_MAX};
    std::vector<int32_t> sums;
    for (int32_t sum = -c.magnitude; sum <= c.magnitude; ++sum) sums.push_back(sum);
    Counts counts;
    ExpectExact(c, sums, &counts);
    EXPECT_EQ(counts.in_doubt, 0) << shift;
  }
}

// Within twice int8, as the sums of layers are.
TEST(GuardedScale, IsSeldomInDoubt) {
  Random random(8);
  Counts counts;
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
  EXPECT_TRUE(MakeGuardedScale(half, 0, 63999, 4, &guarded));
  EXPECT_FALSE(MakeGuardedScale(half, 0, 64000, 4, &guarded)) << "w would leave its range";
  EXPECT_FALSE(MakeGuardedScale({1 << 30, -31}, 0, int64_t{1} << 31, 4, &guarded)) << "sums beyond int32";
  EXPECT_FALSE(MakeGuardedScale({-(1 << 30), -5}, 0, 100, 2, &guarded));
  EXPECT_FALSE(MakeGuardedScale({1 << 29, -5}, 0, 100, 2, &guarded));
  EXPECT_FALSE(MakeGuardedScale({1 << 30, -32}, 0, 100, 2, &guarded));
  EXPECT_TRUE(MakeGuardedScale({0, 0}, 0, INT32_MAX, 4, &guarded));
}

}  // namespace
}  // namespace lutra
