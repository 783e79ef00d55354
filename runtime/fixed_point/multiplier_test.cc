// SPDX-License-Identifier: Apache-2.0
// Multipliers of known factors, and the limits of both rounding modes.

#include "lutra/fixed_point/multiplier.h"

#include <gtest/gtest.h>
#include <math.h>

#include <limits>
#include <random>

#include "lutra/fixed_point/fixed_point.h"

namespace lutra {
namespace {

void ExpectMultiplier(Multiplier got, Multiplier want) {
  EXPECT_EQ(got.value, want.value);
  EXPECT_EQ(got.shift, want.shift);
}

TEST(QuantizeMultiplier, MatchesTheVectors) {
  struct Case {
    double real;
    Multiplier want;
  };
  const Case cases[] = {
      {0x0.0p+0, {0, 0}},
      {0x1.0000000000000p+0, {1073741824, 1}},
      {0x1.0000000000000p-1, {1073741824, 0}},
      {0x1.0000000000000p-2, {1073741824, -1}},
      {0x1.999999999999ap-4, {1717986918, -3}},
      {0x1.0000000000000p+1, {1073741824, 2}},
      {0x1.fffffffffffffp-1, {1073741824, 1}},
      {0x1.ffffffff00000p-1, {1073741824, 1}},
      {0x1.fffffffe00000p-1, {1073741824, 1}},
      {0x1.fffffffc00000p-1, {INT32_MAX, 0}},
      {0x1.a36e2eb1c432dp-14, {1759218604, -13}},
      {0x1.0000000000000p-32, {1073741824, -31}},
      {0x1.8000000000000p-32, {1610612736, -31}},
      {0x1.fff972474538fp-33, {0, 0}},
      {0x1.4ea48d1058974p-10, {1403593540, -9}},
      {0x1.8000000000000p+29, {1610612736, 30}},
      {0x1.19799812dea11p-40, {0, 0}},
      {0x1.e240c9fbe76c9p+16, {2022716031, 17}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.real);
    ExpectMultiplier(QuantizeMultiplier(c.real), c.want);
  }
}

TEST(QuantizeMultiplier, StopsAtTheLargestShiftOnlyWithSingleRounding) {
#ifdef LUTRA_SINGLE_ROUNDING
  ExpectMultiplier(QuantizeMultiplier(0x1p30), {INT32_MAX, 30});
  ExpectMultiplier(QuantizeMultiplier(0x1p100), {INT32_MAX, 30});
#else
  ExpectMultiplier(QuantizeMultiplier(0x1p30), {1 << 30, 31});
  ExpectMultiplier(QuantizeMultiplier(0x1p100), {1 << 30, 101});
#endif
}

TEST(QuantizeMultiplier, HandlesNegativeNumbers) {
  ExpectMultiplier(QuantizeMultiplier(-0.1), {-1717986918, -3});
  ExpectMultiplier(QuantizeMultiplier(-0.5), {-(1 << 30), 0});
  // Only the positive end does not fit int32.
  ExpectMultiplier(QuantizeMultiplier(-0x1.fffffffffffffp-1), {INT32_MIN, 0});
  ExpectMultiplier(QuantizeMultiplier(-0x1p-33), {0, 0});
}

TEST(QuantizeMultiplier, GivesZeroForWhatHasNoMultiplier) {
  using Limits = std::numeric_limits<double>;
  for (const double real : {-0.0, Limits::denorm_min(), -Limits::denorm_min(), Limits::min(),
                            Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    SCOPED_TRACE(real);
    ExpectMultiplier(QuantizeMultiplier(real), {0, 0});
  }
}

// The shift is compared after the carry, so that a number just below 2^-32 is kept.
TEST(QuantizeMultiplier, KeepsWhatRoundsUpToTheSmallestMultiplier) {
  ExpectMultiplier(QuantizeMultiplier(0x1.fffffffffffffp-33), {1 << 30, -31});
  ExpectMultiplier(QuantizeMultiplier(0x1.fffffffbfffffp-33), {0, 0});
}

TEST(QuantizeMultiplier, AgreesWithFrexp) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int> exponent(-32, 29);
  for (int i = 0; i < 200000; ++i) {
    // Every second number has an odd count of half units: ties.
    const uint64_t mask = i % 2 == 0 ? ~uint64_t{0} : ~uint64_t{0} << 32;
    const double fraction = ldexp(static_cast<double>(((random() | 1ull << 63) & mask) >> 11), -53);
    const double real = ldexp(fraction, exponent(random)) * (i % 3 == 0 ? -1 : 1);
    int shift;
    int64_t value = llround(frexp(real, &shift) * 0x1p31);
    if (value == int64_t{1} << 31) {
      value = 1 << 30;
      ++shift;
    }
    if (shift < -31) value = shift = 0;
    const Multiplier got = QuantizeMultiplier(real);
    ASSERT_EQ(got.value, value) << real;
    ASSERT_EQ(got.shift, shift) << real;
  }
}

TEST(MultiplyWideAccumulator, MatchesTheVectors) {
  struct Case {
    int64_t x;
    Multiplier m;
    int32_t reduced;
    int32_t want;
  };
  const Case cases[] = {
      {100, {1073741824, 1}, 16384, 100},
      {100, {1073741824, 0}, 16384, 50},
      {1, {1073741824, 0}, 16384, 1},
      {-1, {1073741824, 0}, 16384, 0},
      {-3, {1073741824, 0}, 16384, -1},
      {3, {1073741824, 0}, 16384, 2},
      {123456789012, {1518500250, -20}, 23170, 83251},
      {-123456789012, {1518500250, -20}, 23170, -83251},
      {1000000, {2147418112, -8}, 32767, 3906},
      {1000000, {2147418111, -8}, 32767, 3906},
      {1000000, {INT32_MAX, -8}, 32767, 3906},
      {-1000001, {1276901417, -12}, 19484, -145},
      {140737488355327, {1073741824, -20}, 16384, 67108864},
      {-140737488355328, {1073741824, -20}, 16384, -67108864},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.x);
    EXPECT_EQ(ReduceMultiplierTo16Bits(c.m.value), c.reduced);
    EXPECT_EQ(MultiplyWideAccumulator(c.x, c.m), c.want);
  }
}

TEST(ReduceMultiplierTo16Bits, RoundsUpwardsAndSaturates) {
  EXPECT_EQ(ReduceMultiplierTo16Bits(0x7FFE7FFF), 0x7FFE);
  EXPECT_EQ(ReduceMultiplierTo16Bits(0x7FFE8000), 0x7FFF);
  EXPECT_EQ(ReduceMultiplierTo16Bits(0x7FFF7FFF), 0x7FFF);
  EXPECT_EQ(ReduceMultiplierTo16Bits(0x7FFF8000), 0x7FFF);
  EXPECT_EQ(ReduceMultiplierTo16Bits(-0x18000), -1);
  EXPECT_EQ(ReduceMultiplierTo16Bits(INT32_MIN), -32768);
}

TEST(CalculateInputRadius, MatchesTheVectors) {
  // SOFTMAX calls it with 5 integer bits.
  EXPECT_EQ(CalculateInputRadius(5, 23), 248);
  EXPECT_EQ(CalculateInputRadius(5, 27), 15);
  EXPECT_EQ(CalculateInputRadius(5, 20), 1984);
  EXPECT_EQ(CalculateInputRadius(5, 19), 3968);
  // LOGISTIC and TANH call it with 4 integer bits.
  EXPECT_EQ(CalculateInputRadius(4, 24), 120);
  EXPECT_EQ(CalculateInputRadius(4, 29), 3);
  EXPECT_EQ(CalculateInputRadius(4, 31), 0);
}

TEST(CalculateInputRadius, StaysInRangeForEveryShift) {
  EXPECT_EQ(CalculateInputRadius(4, 0), 15 << 27);
  EXPECT_EQ(CalculateInputRadius(4, 12, 15), 7);
  EXPECT_EQ(CalculateInputRadius(4, INT32_MAX), 0);
  EXPECT_EQ(CalculateInputRadius(4, -1), INT32_MAX);
  EXPECT_EQ(CalculateInputRadius(4, INT32_MIN), INT32_MAX);
  EXPECT_EQ(CalculateInputRadius(1, -2, 2), 8);
  EXPECT_EQ(CalculateInputRadius(0, -5), 0);
}

}  // namespace
}  // namespace lutra
