// SPDX-License-Identifier: Apache-2.0
// Rounding of ties, of the largest values and of NaN.

#include "runtime/fixed_point/rounding.h"

#include <gtest/gtest.h>
#include <math.h>
#include <string.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace lutra {
namespace {

TEST(RoundHalfAway, TiesGoAwayFromZero) {
  EXPECT_EQ(RoundHalfAway(0.5), 1);
  EXPECT_EQ(RoundHalfAway(-0.5), -1);
  EXPECT_EQ(RoundHalfAway(2.5), 3);
  EXPECT_EQ(RoundHalfAway(-2.5), -3);
  // Adding a half first would round these up.
  EXPECT_EQ(RoundHalfAway(0x1.fffffffffffffp-2), 0);
  EXPECT_EQ(RoundHalfAwayFloat(0x1.fffffep-2f), 0);
  EXPECT_EQ(RoundHalfAwayFloat(0.5f), 1);
  EXPECT_EQ(RoundHalfAwayFloat(-1.5f), -2);
  EXPECT_EQ(RoundHalfAwayFloat(8388609.0f), 8388609);
}

TEST(RoundHalfAway, SaturatesAndTakesNanForZero) {
  using Double = std::numeric_limits<double>;
  using Float = std::numeric_limits<float>;
  EXPECT_EQ(RoundHalfAway(0x1p63), INT64_MAX);
  EXPECT_EQ(RoundHalfAway(-0x1p63), INT64_MIN);
  EXPECT_EQ(RoundHalfAway(Double::infinity()), INT64_MAX);
  EXPECT_EQ(RoundHalfAway(-Double::infinity()), INT64_MIN);
  EXPECT_EQ(RoundHalfAway(Double::quiet_NaN()), 0);
  EXPECT_EQ(RoundHalfAway(Double::denorm_min()), 0);
  EXPECT_EQ(RoundHalfAway(-0.0), 0);
  EXPECT_EQ(RoundHalfAwayFloat(0x1p31f), INT32_MAX);
  EXPECT_EQ(RoundHalfAwayFloat(0x1.fffffep30f), 0x7FFFFF80);
  EXPECT_EQ(RoundHalfAwayFloat(-0x1p31f), INT32_MIN);
  EXPECT_EQ(RoundHalfAwayFloat(Float::infinity()), INT32_MAX);
  EXPECT_EQ(RoundHalfAwayFloat(-Float::max()), INT32_MIN);
  EXPECT_EQ(RoundHalfAwayFloat(Float::quiet_NaN()), 0);
  EXPECT_EQ(RoundHalfAwayFloat(Float::denorm_min()), 0);
}

TEST(RoundHalfAway, AgreesWithLibm) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 300000; ++i) {
    // Every second number has few bits below the point, and so many of them are ties.
    const int exponent = static_cast<int>(random() % 66) - 3;
    const double scale = i % 2 == 0 ? ldexp(1.0, exponent - 63) : 0.25;
    const double x = static_cast<double>(static_cast<int64_t>(random()) >> (i % 60)) * scale;
    if (fabs(x) < 0x1p63) {
      ASSERT_EQ(RoundHalfAway(x), static_cast<int64_t>(round(x))) << x;
    }
    const float f = static_cast<float>(x);
    if (fabsf(f) < 0x1p31f) {
      ASSERT_EQ(RoundHalfAwayFloat(f), static_cast<int32_t>(roundf(f))) << f;
    }
  }
}

void ExpectFloor(double x) {
  EXPECT_EQ(std::bit_cast<uint64_t>(Floor(x)), std::bit_cast<uint64_t>(std::floor(x))) << std::hexfloat << x;
}

TEST(Floor, IsThatOfTheLibrary) {
  std::mt19937_64 random(1);
  for (int exponent = -60; exponent <= 70; ++exponent) {
    for (int i = 0; i < 200; ++i) {
      const double x = ldexp(static_cast<double>(random() >> 11 | 1), exponent - 52);
      ExpectFloor(x);
      ExpectFloor(-x);
    }
    const double power = ldexp(1.0, exponent);
    for (const double x : {power, nextafter(power, 0), nextafter(power, 1e300), power + 0.5}) {
      ExpectFloor(x);
      ExpectFloor(-x);
    }
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double x : {0.0, -0.0, 1073741823.0000012, -1073741823.0000012, kInfinity, -kInfinity})
    ExpectFloor(x);
  EXPECT_TRUE(isnan(Floor(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace lutra
