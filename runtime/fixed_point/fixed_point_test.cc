// SPDX-License-Identifier: Apache-2.0
// Saturating and rounding primitives against their definitions in wide integers.

#include "lutra/fixed_point/fixed_point.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/fixed_point/int16.h"

namespace lutra {
namespace {

TEST(SaturatingRoundingDoublingHighMul, MatchesTheVectors) {
  struct Case {
    int32_t a, b, want;
  };
  const Case cases[] = {
      {1, 1073741824, 1},
      {-1, 1073741824, 0},
      {3, 1073741824, 2},
      {-3, 1073741824, -1},
      {5, 1073741824, 3},
      {-5, 1073741824, -2},
      {INT32_MIN, INT32_MIN, INT32_MAX},
      {INT32_MIN, INT32_MAX, -2147483647},
      {INT32_MAX, INT32_MAX, 2147483646},
      {INT32_MIN, 1073741824, -1073741824},
      {1000000, 1518500250, 707107},
      {-1000000, 1518500250, -707107},
      {123456789, 1987654321, 114268353},
      {0, INT32_MAX, 0},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(SaturatingRoundingDoublingHighMul(c.a, c.b), c.want) << c.a << " * " << c.b;
    EXPECT_EQ(SaturatingRoundingDoublingHighMul(c.b, c.a), c.want) << c.b << " * " << c.a;
  }
}

TEST(RoundingDivideByPowerOfTwo, MatchesTheVectors) {
  struct Case {
    int32_t x, exponent, want;
  };
  const Case cases[] = {
      {1, 1, 1},
      {-1, 1, -1},
      {3, 1, 2},
      {-3, 1, -2},
      {5, 2, 1},
      {-5, 2, -1},
      {6, 2, 2},
      {-6, 2, -2},
      {7, 0, 7},
      {-128, 8, -1},
      {-127, 8, 0},
      {127, 8, 0},
      {128, 8, 1},
      {INT32_MAX, 31, 1},
      {INT32_MIN, 31, -1},
      {INT32_MIN, 1, -1073741824},
      {-1073741824, 31, -1},
      {1073741824, 31, 1},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(RoundingDivideByPowerOfTwo(c.x, c.exponent), c.want) << c.x << ", " << c.exponent;
  }
}

TEST(RoundingDivideByPowerOfTwo, GivesZeroForOtherExponents) {
  for (const int32_t exponent : {32, 33, 64, INT32_MAX, -1, INT32_MIN}) {
    EXPECT_EQ(RoundingDivideByPowerOfTwo(INT32_MAX, exponent), 0) << exponent;
    EXPECT_EQ(RoundingDivideByPowerOfTwo(INT32_MIN, exponent), 0) << exponent;
  }
}

TEST(MultiplyByQuantizedMultiplier, MatchesTheVectors) {
  struct Case {
    int32_t x;
    Multiplier m;
    int32_t double_rounding;
    int32_t single_rounding;
  };
  const Case cases[] = {
      {100, {1073741824, 1}, 100, 100},
      {-100, {1073741824, 0}, -50, -50},
      {1, {1073741824, 0}, 1, 1},
      {-1, {1073741824, 0}, 0, 0},
      {-1, {1073741824, -1}, 0, 0},
      {-2, {1073741824, -1}, -1, 0},
      {2, {1073741824, -1}, 1, 1},
      {-3, {1073741824, -1}, -1, -1},
      {-6, {1073741824, -1}, -2, -1},
      {6, {1073741824, -1}, 2, 2},
      {3, {1073741824, -1}, 1, 1},
      {1, {1073741824, -1}, 1, 0},
      {5, {1073741824, -1}, 2, 1},
      {-5, {1073741824, -1}, -1, -1},
      {12345, {1518500250, -5}, 273, 273},
      {-12345, {1518500250, -5}, -273, -273},
      {1000000, {1276901417, -12}, 145, 145},
      {-1000000, {1276901417, -12}, -145, -145},
      {127, {INT32_MAX, 7}, 16256, 16256},
      {-33292288, {1700000000, -9}, -51475, -51475},
      {1073741824, {1073741824, -31}, 0, 0},
      {-1073741824, {1073741824, -31}, 0, 0},
      {INT32_MIN, {INT32_MAX, 0}, -2147483647, -2147483647},
      {0, {INT32_MAX, -3}, 0, 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.x << " * {" << c.m.value << ", " << c.m.shift << "}");
    EXPECT_EQ(MultiplyDoubleRounding(c.x, c.m), c.double_rounding);
    EXPECT_EQ(MultiplySingleRounding(c.x, c.m), c.single_rounding);
#ifdef LUTRA_SINGLE_ROUNDING
    EXPECT_EQ(MultiplyByQuantizedMultiplier(c.x, c.m), c.single_rounding);
#else
    EXPECT_EQ(MultiplyByQuantizedMultiplier(c.x, c.m), c.double_rounding);
#endif
  }
}

// Random operands of every magnitude; half of them are made so that one of the two roundings meets a tie or
// is next to one.
class Operands {
 public:
  int32_t Shift() { return static_cast<int32_t>(random_() % 40) - 31; }

  int32_t Value(bool negative) {
    static constexpr int32_t kTying[] = {1 << 30, 3 << 29, 5 << 28, 7 << 28, INT32_MAX};
    const uint32_t pick = static_cast<uint32_t>(random_() % 10);
    const int32_t value = pick < 5 ? kTying[pick] : static_cast<int32_t>(random_() >> 34 | 1u << 30);
    return negative ? -value : value;
  }

  // x * 2^shift fits int32.
  int32_t X(int32_t shift) {
    const int32_t bits = static_cast<int32_t>(random_() % 32) - (shift > 0 ? shift : 0);
    if (bits <= 0) return static_cast<int32_t>(random_() % 3) - 1;
    const int32_t magnitude = static_cast<int32_t>(random_() >> (64 - bits));
    const int32_t x = random_() % 2 == 0 ? magnitude : -magnitude;
    if (random_() % 2 == 0 || shift >= 0) return x;
    // Multiples of half a unit of the result, or one more or less.
    const int32_t around = static_cast<int32_t>(random_() % 3) - 1;
    return WrappingAdd(WrappingShiftLeft(x >> -shift, -shift), around);
  }

 private:
  std::mt19937_64 random_{2};
};

TEST(MultiplyDoubleRounding, EqualsItsTwoSteps) {
  Operands operands;
  for (int i = 0; i < 3000000; ++i) {
    const int32_t shift = operands.Shift();
    const Multiplier m = {operands.Value(i % 2 == 1), shift};
    const int32_t x = operands.X(shift);
    const int32_t shifted = WrappingShiftLeft(x, shift > 0 ? shift : 0);
    const int32_t want = RoundingDivideByPowerOfTwo(SaturatingRoundingDoublingHighMul(shifted, m.value),
                                                    shift < 0 ? -shift : 0);
    ASSERT_EQ(MultiplyDoubleRounding(x, m), want) << x << " * {" << m.value << ", " << m.shift << "}";
  }
}

TEST(MultiplyDoubleRounding, EqualsItsTwoStepsAtTheEnds) {
  for (const int32_t x : {INT32_MIN, -INT32_MAX, -1, 0, 1, INT32_MAX}) {
    for (const int32_t value : {-INT32_MAX, -(1 << 30), 0, 1 << 30, INT32_MAX}) {
      for (int32_t shift = -31; shift <= 0; ++shift) {
        if (x == INT32_MIN && value < 0 && shift < 0) continue;
        const int32_t want = RoundingDivideByPowerOfTwo(SaturatingRoundingDoublingHighMul(x, value), -shift);
        EXPECT_EQ(MultiplyDoubleRounding(x, {value, shift}), want)
            << x << " * {" << value << ", " << shift << "}";
      }
    }
  }
}

TEST(MultiplySingleRounding, EqualsTheDivision) {
  Operands operands;
  for (int i = 0; i < 1000000; ++i) {
    const int32_t shift = operands.Shift();
    const Multiplier m = {operands.Value(false), shift};
    const int32_t x = operands.X(shift);
    const int64_t half = int64_t{1} << (30 - shift);
    const int64_t want = (int64_t{x} * m.value + half) >> (31 - shift);
    ASSERT_EQ(MultiplySingleRounding(x, m), want) << x << " * {" << m.value << ", " << m.shift << "}";
  }
}

// The undefined-behaviour sanitizer watches these calls.
TEST(FixedPoint, EveryArgumentIsDefined) {
  constexpr int32_t kEnds[] = {
      INT32_MIN, INT32_MIN + 1, -65,      -64, -33, -32, -31, -1, 0, 1, 30, 31, 32, 63, 64,
      65,        INT32_MAX - 1, INT32_MAX};
  uint32_t sum = 0;
  for (const int32_t a : kEnds) {
    for (const int32_t b : kEnds) {
      for (const int32_t c : kEnds) {
        sum += static_cast<uint32_t>(MultiplyDoubleRounding(a, {b, c}));
        sum += static_cast<uint32_t>(MultiplySingleRounding(a, {b, c}));
        sum += static_cast<uint32_t>(MultiplyWideAccumulator(int64_t{a} << 32 | b, {b, c}));
      }
      sum += static_cast<uint32_t>(SaturatingRoundingDoublingHighMul(a, b));
      sum += static_cast<uint32_t>(SaturatingShiftLeft(a, b));
      sum += static_cast<uint32_t>(RoundingHalfSum(a, b));
      sum += static_cast<uint32_t>(WrappingAdd(a, WrappingSubtract(b, a)));
      sum += static_cast<uint32_t>(SaturatingShiftLeft(static_cast<int16_t>(a), b));
    }
  }
  volatile uint32_t sink = sum;
  (void)sink;
}

TEST(SaturatingShiftLeft, Saturates) {
  EXPECT_EQ(SaturatingShiftLeft((1 << 29) - 1, 2), INT32_MAX - 3);
  EXPECT_EQ(SaturatingShiftLeft(1 << 29, 2), INT32_MAX);
  EXPECT_EQ(SaturatingShiftLeft(-(1 << 29), 2), INT32_MIN);
  EXPECT_EQ(SaturatingShiftLeft(-(1 << 29) - 1, 2), INT32_MIN);
  EXPECT_EQ(SaturatingShiftLeft(-1, 31), INT32_MIN);
  EXPECT_EQ(SaturatingShiftLeft(1, 31), INT32_MAX);
  EXPECT_EQ(SaturatingShiftLeft(-5, 0), -5);
}

TEST(RoundingHalfSum, TiesGoAwayFromZero) {
  EXPECT_EQ(RoundingHalfSum(1, 2), 2);
  EXPECT_EQ(RoundingHalfSum(-1, -2), -2);
  EXPECT_EQ(RoundingHalfSum(1, -2), -1);
  EXPECT_EQ(RoundingHalfSum(2, 2), 2);
  EXPECT_EQ(RoundingHalfSum(INT32_MAX, INT32_MAX), INT32_MAX);
  EXPECT_EQ(RoundingHalfSum(INT32_MIN, INT32_MIN), INT32_MIN);
}

TEST(CountLeadingZeros, CountsFromTheTop) {
  EXPECT_EQ(CountLeadingZeros(0), 32);
  EXPECT_EQ(CountLeadingZeros(1), 31);
  EXPECT_EQ(CountLeadingZeros(0x00F00000), 8);
  EXPECT_EQ(CountLeadingZeros(UINT32_MAX), 0);
}

TEST(CountLeadingSignBits, IsTheHeadroomOfAShift) {
  EXPECT_EQ(CountLeadingSignBits(0), 0);
  EXPECT_EQ(CountLeadingSignBits(1), 30);
  EXPECT_EQ(CountLeadingSignBits(-1), 31);
  EXPECT_EQ(CountLeadingSignBits(-2), 30);
  EXPECT_EQ(CountLeadingSignBits(255), 23);
  EXPECT_EQ(CountLeadingSignBits(-256), 23);
  EXPECT_EQ(CountLeadingSignBits(INT32_MAX), 0);
  EXPECT_EQ(CountLeadingSignBits(INT32_MIN), 0);
}

TEST(ClampToInt8, KeepsToTheRange) {
  EXPECT_EQ(ClampToInt8(-200, -128, 127), -128);
  EXPECT_EQ(ClampToInt8(200, -10, 110), 110);
  EXPECT_EQ(ClampToInt8(-10, -10, 110), -10);
}

TEST(Int16, HighMulRoundsUpwardsAndSaturates) {
  constexpr int16_t kHalf = 1 << 14;
  const auto high_mul = [](int a, int b) {
    return SaturatingRoundingDoublingHighMul(static_cast<int16_t>(a), static_cast<int16_t>(b));
  };
  EXPECT_EQ(high_mul(1, kHalf), 1);
  EXPECT_EQ(high_mul(-1, kHalf), 0);
  EXPECT_EQ(high_mul(-3, kHalf), -1);
  EXPECT_EQ(high_mul(INT16_MIN, INT16_MIN), INT16_MAX);
  EXPECT_EQ(high_mul(INT16_MIN, INT16_MAX), -INT16_MAX);
  EXPECT_EQ(high_mul(12345, -23170), -8729);
}

TEST(Int16, HighMulWithoutRoundingCutsTowardsZero) {
  constexpr int16_t kHalf = 1 << 14;
  EXPECT_EQ(SaturatingDoublingHighMul(3, kHalf), 1);
  EXPECT_EQ(SaturatingDoublingHighMul(-3, kHalf), -1);
  EXPECT_EQ(SaturatingDoublingHighMul(-1, kHalf), 0);
  EXPECT_EQ(SaturatingDoublingHighMul(INT16_MIN, INT16_MIN), INT16_MAX);
}

TEST(Int16, ShiftLeftSaturates) {
  const auto shift_left = [](int x, int32_t exponent) {
    return SaturatingShiftLeft(static_cast<int16_t>(x), exponent);
  };
  EXPECT_EQ(shift_left(100, 3), 800);
  EXPECT_EQ(shift_left(-100, 3), -800);
  EXPECT_EQ(shift_left(4096, 3), INT16_MAX);
  EXPECT_EQ(shift_left(-4097, 3), INT16_MIN);
  EXPECT_EQ(shift_left(1, 40), INT16_MAX);
  EXPECT_EQ(shift_left(-1, 40), INT16_MIN);
  EXPECT_EQ(shift_left(0, 40), 0);
}

}  // namespace
}  // namespace lutra
