// SPDX-License-Identifier: Apache-2.0
// The first delegate's ADD, and how often it is wrong.

#include "delegates/vta/driver/legacy16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "lutra/fixed_point/fixed_point.h"

namespace lutra::vta {
namespace {

TEST(Line14, MultipliersHaveFifteenBits) {
  for (const double real : {1e-5, 0.003, 0.25, 0.4999999, 0.5, 0.7, 0.99999999, 1.0, 3.5, 1000.0}) {
    const Multiplier16 m = QuantizeMultiplier16(real);
    if (m.value == 0) {
      EXPECT_LT(real, std::ldexp(1.0, -16));
      continue;
    }
    EXPECT_GE(m.value, 1 << 14);
    EXPECT_LT(m.value, 1 << 15);
    EXPECT_NEAR(std::ldexp(m.value, m.shift - 15) / real, 1, 1.0 / (1 << 14)) << real;
  }
  EXPECT_EQ(QuantizeMultiplier16(0.99999999).value, 1 << 14) << "rounded up to the next power";
  EXPECT_EQ(QuantizeMultiplier16(0.99999999).shift, 1);
  EXPECT_EQ(QuantizeMultiplier16(9e-7).value, 0);
  EXPECT_EQ(QuantizeMultiplier16(0).value, 0);
}

// By hand: with scales 1, 1 and 2 a sum is halved and rounded down. Negative inputs lose another unit of the
// headroom, even without a remainder.
TEST(Line14, SumsAreCutOffDownwards) {
  const Legacy16Add halves = Legacy16Add::Of(1, 3, 1, -4, 2, 10);
  EXPECT_EQ(halves.Sum(3, -4), 10);
  EXPECT_EQ(halves.Sum(3 + 2, -4), 11);
  EXPECT_EQ(halves.Sum(3 + 3, -4), 11);
  EXPECT_EQ(halves.Sum(3, -4 - 2), 8);
  EXPECT_EQ(halves.Sum(3, -4 - 3), 8);
  const Legacy16Add whole = Legacy16Add::Of(1, 0, 1, 0, 1, 0);
  EXPECT_EQ(whole.Sum(127, 1), 127);
  EXPECT_EQ(whole.Sum(-128, -1), -128);
  EXPECT_EQ(whole.Sum(-100, 1), -100);
}

// ADD by the int8 specification.
struct ExactAdd {
  ExactAdd(double scale_a, double scale_b, double scale) {
    const double twice = 2 * std::max(scale_a, scale_b);
    a = QuantizeMultiplier(scale_a / twice);
    b = QuantizeMultiplier(scale_b / twice);
    output = QuantizeMultiplier(twice / ((1 << 20) * scale));
  }
  int32_t Sum(int32_t x, int32_t y, int32_t zero_point) const {
    const int32_t sum = MultiplyDoubleRounding(x * (1 << 20), a) + MultiplyDoubleRounding(y * (1 << 20), b);
    return ClampToInt8(MultiplyDoubleRounding(sum, output) + zero_point, -128, 127);
  }
  Multiplier a, b, output;
};

// Returns the shares of each difference over random scales; zero points are within +-`most` of 0.
std::map<int, double> Differences(uint32_t most) {
  std::mt19937_64 random(14);
  std::uniform_real_distribution<double> unit(0, 1);
  std::map<int, double> shares;
  constexpr int kTriples = 1500, kPairs = 300;
  for (int triple = 0; triple < kTriples; ++triple) {
    const double scale_a = std::exp2(-8 * unit(random)), scale_b = scale_a * std::exp2(6 * unit(random) - 3);
    const double scale = (0.15 + 0.9 * unit(random)) * (scale_a + scale_b);
    const auto zero_point = [&random, most] {
      return static_cast<int32_t>(random() % (2 * most + 1)) - static_cast<int32_t>(most);
    };
    const int32_t za = zero_point(), zb = zero_point(), z = zero_point();
    const Legacy16Add legacy = Legacy16Add::Of(scale_a, za, scale_b, zb, scale, z);
    const ExactAdd exact(scale_a, scale_b, scale);
    for (int pair = 0; pair < kPairs; ++pair) {
      const auto a = static_cast<int8_t>(random()), b = static_cast<int8_t>(random());
      shares[legacy.Sum(a, b) - exact.Sum(a - za, b - zb, z)] += 1.0 / (kTriples * kPairs);
    }
  }
  return shares;
}

// Results that are clamped are right; there are more of them if zero points are far from 0.
TEST(Line14, AThirdOrSoIsOneTooSmall) {
  const struct {
    uint32_t most;
    double share;
  } measured[] = {{0, 0.379}, {20, 0.373}, {127, 0.280}};
  for (const auto& one : measured) {
    std::map<int, double> shares = Differences(one.most);
    EXPECT_NEAR(shares[-1], one.share, 0.01) << one.most;
    EXPECT_NEAR(shares[0], 1 - one.share, 0.01) << one.most;
    EXPECT_EQ(shares.size(), 2u) << "no other difference";
  }
}

// The worst differences of all pairs where the larger input scale is about `ratio` times the output's.
int WorstDifference(double ratio) {
  std::mt19937_64 random(16);
  std::uniform_real_distribution<double> unit(0, 1);
  int worst = 0;
  for (int triple = 0; triple < 60; ++triple) {
    const double scale_a = std::exp2(-8 * unit(random)), scale_b = scale_a * std::exp2(6 * unit(random) - 3);
    const double scale = std::max(scale_a, scale_b) / ratio * (0.8 + 0.4 * unit(random));
    const Legacy16Add legacy = Legacy16Add::Of(scale_a, 0, scale_b, 0, scale, 0);
    const ExactAdd exact(scale_a, scale_b, scale);
    for (int i = 0; i < 65536; ++i) {
      const auto a = static_cast<int8_t>(i / 256), b = static_cast<int8_t>(i % 256);
      worst = std::min(worst, legacy.Sum(a, b) - exact.Sum(a, b, 0));
    }
  }
  return worst;
}

// Seven bits of headroom are too few for small output scales.
TEST(Line14, OneIsNoBound) {
  EXPECT_EQ(WorstDifference(1), -1);
  EXPECT_EQ(WorstDifference(16), -2);
  EXPECT_EQ(WorstDifference(64), -3);
}

// Says how CONV_2D's accumulators differ from the specification's, where that gives a code within its range.
struct ConvDifferences {
  std::map<int, double> near;  // Shares of those whose product fits 32 bits.
  double wrapped = 0;          // Share of the others.
};

// Multipliers from 2^exponent / 2 to 2^exponent.
ConvDifferences DifferencesOfConv(int exponent) {
  std::mt19937_64 random(20);
  std::uniform_real_distribution<double> unit(0.5, 1);
  ConvDifferences shares;
  constexpr int kCount = 100000;
  int fitting = 0;
  std::map<int, int> near;
  for (int i = 0; i < kCount; ++i) {
    const double real = std::ldexp(unit(random), exponent);
    const Multiplier m = QuantizeMultiplier(real);
    const Multiplier16 m16 = QuantizeMultiplier16(real);
    const auto bound = static_cast<int64_t>(127 / real);
    const auto x =
        static_cast<int32_t>(static_cast<int64_t>(random() % static_cast<uint64_t>(2 * bound + 1)) - bound);
    if (std::abs(int64_t{x} * m16.value) >> 31 != 0) continue;
    ++fitting;
    ++near[Legacy16Scale(x, m16) - MultiplyDoubleRounding(x, m)];
  }
  for (const auto& [difference, count] : near) shares.near[difference] = double(count) / fitting;
  shares.wrapped = 1 - double(fitting) / kCount;
  return shares;
}

// Codes of accumulators below 2^16, for which no product wraps, with scales from 2^-15 to 1/2: clamped codes
// are right, and half of the others are one too small.
TEST(Line14, SmallAccumulatorsAreCutOff) {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> unit(0, 1);
  std::map<int, int> counts;
  constexpr int kCount = 200000;
  for (int i = 0; i < kCount; ++i) {
    const double real = std::exp2(-15 + 14 * unit(random));
    const int32_t x = static_cast<int32_t>(random() % 131071) - 65535;
    const int32_t exact = MultiplyDoubleRounding(x, QuantizeMultiplier(real));
    const int32_t legacy = Legacy16Scale(x, QuantizeMultiplier16(real));
    ++counts[ClampToInt8(legacy, -128, 127) - ClampToInt8(exact, -128, 127)];
  }
  EXPECT_NEAR(static_cast<double>(counts[-1]) / kCount, 0.265, 0.005);
  EXPECT_EQ(counts.size(), 2u) << "no other difference but 0";
}

// Half of the codes are one too small, as they are rounded down. Below 2^-10 products of results within the
// range wrap; each bit that the scale loses halves the products that still fit.
TEST(Line14, AccumulatorsAreCutOffAndWrap) {
  for (int exponent = -15; exponent <= 0; ++exponent) {
    ConvDifferences shares = DifferencesOfConv(exponent);
    EXPECT_NEAR(shares.wrapped, exponent >= -9 ? 0 : 1 - std::ldexp(1.0, exponent + 9), 0.01) << exponent;
    EXPECT_NEAR(shares.near[-1], 0.5, 0.03) << exponent;
    EXPECT_NEAR(shares.near[0], 0.5, 0.03) << exponent;
    EXPECT_EQ(shares.near.size(), 2u) << exponent;
  }
  // By hand: 2^15 x 2^-10 are 32; 2^17 times the multiplier 2^14 is 2^31, which is negative.
  EXPECT_EQ(Legacy16Scale(1 << 15, {1 << 14, -9}), 32);
  EXPECT_EQ(Legacy16Scale(1 << 17, {1 << 14, -9}), -128);
  EXPECT_EQ(Legacy16Scale(3, {1 << 14, 16}), 3 << 15);
  EXPECT_EQ(Legacy16Scale(3, {1 << 14, 47}), 0) << "a shift of 32 bits leaves nothing";
}

}  // namespace
}  // namespace lutra::vta
