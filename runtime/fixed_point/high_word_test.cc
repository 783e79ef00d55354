// SPDX-License-Identifier: Apache-2.0
// Requantisation of sums of any size against the rule: around each step of the results, at the ends of int32,
// and everywhere in it; for multipliers at the ends of their range and in between, and all shifts.

#include "runtime/fixed_point/high_word.h"

#include <gtest/gtest.h>
#include <math.h>

#include <random>

namespace lutra {
namespace {

::testing::AssertionResult IsTheRule(Multiplier m, int32_t zero_point, const HighWordStep& step,
                                     int64_t sum) {
  if (sum < INT32_MIN || sum > INT32_MAX) return ::testing::AssertionSuccess();
  const auto x = static_cast<int32_t>(sum);
  const int32_t expected =
      ClampToInt8(WrappingAdd(MultiplyByQuantizedMultiplier(x, m), zero_point), -128, 127);
  if (ClampToInt8(Requantise(x, step), -128, 127) == expected) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "sum " << x << ", multiplier " << m.value << ", " << m.shift << ", zero point " << zero_point;
}

TEST(HighWord, IsTheRule) {
  std::mt19937 random(1);
  for (int i = 0; i < 10000; ++i) {
    Multiplier m = {static_cast<int32_t>(random() % (1u << 30)) + (1 << 30), -1 - i % 24};
    if (i % 7 == 0) m.value = random() % 2 == 0 ? 1 << 30 : INT32_MAX;
    if (i % 11 == 0) m.value &= ~0xFFFFF;
    if (i % 101 == 0) m.value = 0;
    const int32_t zero_point =
        i % 5 == 0 ? (i % 2 == 0 ? -128 : 127) : static_cast<int32_t>(random() % 256) - 128;
    HighWordStep step;
    ASSERT_TRUE(ComputeHighWordStep(m, zero_point, &step));
    for (const int64_t middle : {int64_t{INT32_MIN}, int64_t{INT32_MAX}, int64_t{0}}) {
      for (int64_t x = middle - 3; x <= middle + 3; ++x) ASSERT_TRUE(IsTheRule(m, zero_point, step, x));
    }
    for (int k = 0; k < 40; ++k) {
      ASSERT_TRUE(IsTheRule(m, zero_point, step, static_cast<int32_t>(random()) >> (random() % 24)));
    }
    // Sums near those at which a result begins.
    for (int32_t code = -260; code <= 260 && m.value > 0; ++code) {
      const double x = (code - 0.5) * ldexp(1.0, 31 - m.shift) / m.value;
      if (!(x > -3e9 && x < 3e9)) continue;
      const auto begin = static_cast<int64_t>(x);
      for (int64_t near = begin - 2; near <= begin + 2; ++near) {
        ASSERT_TRUE(IsTheRule(m, zero_point, step, near));
      }
    }
  }
}

TEST(HighWord, LeavesOtherShiftsToTheRule) {
  HighWordStep step;
  for (const int32_t shift : {-31, -25, 0, 1, 30}) {
    EXPECT_FALSE(ComputeHighWordStep({1 << 30, shift}, 0, &step)) << shift;
  }
}

}  // namespace
}  // namespace lutra
