// SPDX-License-Identifier: Apache-2.0
// Requantisation of sums times 256 against the rule: around each step of the results, at the ends of a
// channel's range, and everywhere in it; for multipliers at the ends of their range and in between, all
// shifts, all kinds of clamps.

#include "runtime/fixed_point/scaled_sum.h"

#include <gtest/gtest.h>
#include <math.h>

#include <random>

namespace lutra {
namespace {

struct Counts {
  int64_t sums = 0;
  int64_t channels = 0;
  int64_t without_step = 0;
};

::testing::AssertionResult AllEqual(const ScaledSumLayer& layer, Multiplier m, int32_t bias, int32_t reach,
                                    std::mt19937& random, Counts* counts) {
  ++counts->channels;
  ScaledSumStep step;
  if (!ComputeScaledSumStep(layer, m, bias, reach, &step)) {
    ++counts->without_step;
    return ::testing::AssertionSuccess();
  }
  const auto check = [&](int64_t x) {
    if (x < int64_t{bias} - reach || x > int64_t{bias} + reach) return true;
    ++counts->sums;
    // Sums wrap when they are multiplied by 256; a constant channel is right even so.
    const auto scaled = static_cast<int32_t>(static_cast<uint32_t>(x) << 8);
    return Requantise(scaled, step, layer) == ClampedCode(layer, m, static_cast<int32_t>(x));
  };
  const auto failure = [&](int64_t x) {
    return ::testing::AssertionFailure()
           << "sum " << x << ", bias " << bias << ", reach " << reach << ", multiplier " << m.value << ", "
           << m.shift << ", zero point " << layer.zero_point << ", " << layer.min << " to " << layer.max;
  };
  for (const int32_t middle : {bias - reach, bias + reach, 0, bias}) {
    for (int64_t x = int64_t{middle} - 3; x <= int64_t{middle} + 3; ++x) {
      if (!check(x)) return failure(x);
    }
  }
  for (int i = 0; i < 40; ++i) {
    const auto x =
        int64_t{bias} - reach + static_cast<int64_t>(random() % (2u * static_cast<uint32_t>(reach) + 1));
    if (!check(x)) return failure(x);
  }
  // Sums near those at which a result begins.
  for (int32_t code = -140; code <= 140; ++code) {
    const double x = (code - 0.5) * ldexp(1.0, 31 - m.shift) / m.value;
    if (!(x > -1e9 && x < 1e9)) continue;
    const auto begin = static_cast<int64_t>(x);
    for (int64_t near = begin - 2; near <= begin + 2; ++near) {
      if (!check(near)) return failure(near);
    }
  }
  return ::testing::AssertionSuccess();
}

TEST(ScaledSum, IsTheRule) {
  std::mt19937 random(1);
  Counts counts;
  for (int i = 0; i < 60000; ++i) {
    ScaledSumLayer layer = {static_cast<int32_t>(random() % 256) - 128, -128, 127};
    if (i % 4 == 0) layer.zero_point = -128;
    if (i % 3 == 0) layer.min = layer.zero_point;
    if (i % 5 == 0) {
      layer.min = static_cast<int32_t>(random() % 256) - 128;
      layer.max = layer.min + static_cast<int32_t>(random() % static_cast<uint32_t>(128 - layer.min));
    }
    Multiplier m = {static_cast<int32_t>(random() % (1u << 30)) + (1 << 30),
                    static_cast<int32_t>(random() % 40) - 31};
    if (i % 7 == 0) m.value = random() % 2 == 0 ? 1 << 30 : INT32_MAX;
    if (i % 11 == 0) m.value &= ~0xFFFFF;
    if (i % 101 == 0) m = {0, 0};
    const auto reach = static_cast<int32_t>(random() >> (8 + random() % 20));
    auto bias = static_cast<int32_t>(random()) >> (random() % 31);
    if (i % 2 == 0) bias >>= 10;
    if (bias > (1 << 30) || bias < -(1 << 30)) bias /= 2;
    ASSERT_TRUE(AllEqual(layer, m, bias, reach & 0x3FFFFFFF, random, &counts));
  }
  EXPECT_GT(counts.sums, 10'000'000);
  EXPECT_LT(counts.without_step, counts.channels / 2);
}

// With such shifts the zero point and the sums together fill 32 bits.
TEST(ScaledSum, IsTheRuleForLargeShifts) {
  std::mt19937 random(2);
  Counts counts;
  for (int i = 0; i < 40000; ++i) {
    const ScaledSumLayer layer = {i % 3 == 0 ? 0 : static_cast<int32_t>(random() % 256) - 128, -128, 127};
    const Multiplier m = {INT32_MAX - static_cast<int32_t>(random() % 1000),
                          -16 - static_cast<int32_t>(random() % 11)};
    const auto reach = static_cast<int32_t>(((1u << 23) - 1 - random() % 100) >> (random() % 4));
    const int32_t bias = static_cast<int32_t>(random() % 200) - 100;
    ASSERT_TRUE(AllEqual(layer, m, bias, reach, random, &counts));
  }
  EXPECT_LT(counts.without_step, counts.channels * 3 / 4);
}

// Steps exist up to these limits.
TEST(ScaledSum, HasStepsForEveryLayerOfRealNetworks) {
  const ScaledSumLayer relu = {-128, -128, 127};
  const ScaledSumLayer linear = {3, -128, 127};
  ScaledSumStep step;
  for (int32_t shift = -16; shift <= 6; ++shift) {
    EXPECT_TRUE(ComputeScaledSumStep(relu, {INT32_MAX, shift}, 0, (1 << 23) - 1, &step)) << shift;
#ifndef LUTRA_SINGLE_ROUNDING
    EXPECT_EQ(ComputeScaledSumStep(linear, {INT32_MAX, shift}, 0, (1 << 23) - 1, &step), shift < 0) << shift;
#endif
  }
  EXPECT_FALSE(ComputeScaledSumStep(relu, {INT32_MAX, -5}, 0, 1 << 23, &step));
  EXPECT_FALSE(ComputeScaledSumStep(relu, {INT32_MAX, -5}, 1 << 22, 1 << 22, &step));
  EXPECT_FALSE(ComputeScaledSumStep(relu, {INT32_MAX, 7}, 0, 1000, &step));
  // One code for all sums.
  EXPECT_TRUE(ComputeScaledSumStep(relu, {INT32_MAX, -31}, INT32_MAX - 1000, 1000, &step));
  EXPECT_TRUE(ComputeScaledSumStep(linear, {1 << 30, -29}, -1000, 100, &step));
}

}  // namespace
}  // namespace lutra
