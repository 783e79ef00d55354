// SPDX-License-Identifier: Apache-2.0
// The functions against gemmlowp, whose rules they follow.

#include <gemmlowp/fixedpoint/fixedpoint.h>
#include <gtest/gtest.h>
#include <math.h>

#include <algorithm>
#include <random>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/fixed_point/exp.h"
#include "runtime/fixed_point/int16.h"
#include "runtime/fixed_point/log.h"
#include "runtime/fixed_point/logistic.h"
#include "runtime/fixed_point/reciprocal.h"

namespace lutra {
namespace {

constexpr int kCount = 300000;

template <int kIntegerBits>
gemmlowp::FixedPoint<int32_t, kIntegerBits> Q(int32_t raw) {
  return gemmlowp::FixedPoint<int32_t, kIntegerBits>::FromRaw(raw);
}

// Draws numbers of every magnitude; never -2^31, which gemmlowp negates.
class Numbers {
 public:
  int32_t Any() {
    const int32_t magnitude = NonNegative();
    return random_() % 2 == 0 ? magnitude : -magnitude;
  }
  int32_t NonNegative() { return static_cast<int32_t>(random_() >> 1 >> random_() % 31); }

 private:
  std::mt19937 random_{9};
};

TEST(Gemmlowp, ElementaryStepsAgree) {
  Numbers numbers;
  for (int i = 0; i < kCount; ++i) {
    const int32_t a = numbers.Any();
    const int32_t b = i % 4 == 0 ? 1 << (i / 4 % 31) : numbers.Any();
    ASSERT_EQ(SaturatingRoundingDoublingHighMul(a, b), gemmlowp::SaturatingRoundingDoublingHighMul(a, b))
        << a << " * " << b;
    ASSERT_EQ(RoundingHalfSum(a, b), gemmlowp::RoundingHalfSum(a, b)) << a << " + " << b;
    for (int exponent = 0; exponent < 32; ++exponent) {
      ASSERT_EQ(RoundingDivideByPowerOfTwo(a, exponent), gemmlowp::RoundingDivideByPOT(a, exponent))
          << a << ", " << exponent;
    }
    ASSERT_EQ(SaturatingShiftLeft(a, 2), gemmlowp::SaturatingRoundingMultiplyByPOT<2>(a)) << a;
    ASSERT_EQ(SaturatingShiftLeft(a, 6), gemmlowp::SaturatingRoundingMultiplyByPOT<6>(a)) << a;
  }
  ASSERT_EQ(SaturatingRoundingDoublingHighMul(INT32_MIN, INT32_MIN),
            gemmlowp::SaturatingRoundingDoublingHighMul(INT32_MIN, INT32_MIN));
}

TEST(Gemmlowp, Int16HighMulAgreesOnEveryPair) {
  // 257 is odd, so that all remainders occur.
  for (int32_t a = INT16_MIN; a <= INT16_MAX; a += 257) {
    for (int32_t b = INT16_MIN; b <= INT16_MAX; ++b) {
      const int16_t x = static_cast<int16_t>(a);
      const int16_t y = static_cast<int16_t>(b);
      ASSERT_EQ(SaturatingRoundingDoublingHighMul(x, y), gemmlowp::SaturatingRoundingDoublingHighMul(x, y))
          << x << " * " << y;
    }
  }
}

template <int kIntegerBits>
void ExpectExpAgrees() {
  Numbers numbers;
  for (int i = 0; i < kCount; ++i) {
    const int32_t x = -numbers.NonNegative();
    ASSERT_EQ(ExpOnNegativeValues(x, kIntegerBits),
              gemmlowp::exp_on_negative_values(Q<kIntegerBits>(x)).raw())
        << x << ", " << kIntegerBits;
  }
}

TEST(Gemmlowp, ExpAgrees) {
  ExpectExpAgrees<0>();
  ExpectExpAgrees<1>();
  ExpectExpAgrees<2>();
  ExpectExpAgrees<3>();
  ExpectExpAgrees<4>();
  ExpectExpAgrees<5>();
  ExpectExpAgrees<6>();
  ExpectExpAgrees<12>();
}

TEST(Gemmlowp, LogisticAndTanhAgree) {
  Numbers numbers;
  for (int i = 0; i < kCount; ++i) {
    const int32_t x = numbers.Any();
    ASSERT_EQ(Logistic(x), gemmlowp::logistic(Q<4>(x)).raw()) << x;
    ASSERT_EQ(Tanh(x), gemmlowp::tanh(Q<4>(x)).raw()) << x;
  }
}

TEST(Gemmlowp, DivisionsAgree) {
  Numbers numbers;
  for (int i = 0; i < kCount; ++i) {
    const int32_t x = numbers.NonNegative();
    ASSERT_EQ(OneOverOnePlusX(x), gemmlowp::one_over_one_plus_x_for_x_in_0_1(Q<0>(x)).raw()) << x;
    ASSERT_EQ(OneMinusXOverOnePlusX(x), gemmlowp::one_minus_x_over_one_plus_x_for_x_in_0_1(Q<0>(x)).raw())
        << x;
  }
}

// The logarithm's rule in gemmlowp's types, which track the points, with its constants as real numbers.
int32_t LogInGemmlowpTypes(int32_t raw) {
  using F0 = gemmlowp::FixedPoint<int32_t, 0>;
  using F6 = gemmlowp::FixedPoint<int32_t, 6>;
  const double root = pow(2.0, 0.25);
  const F0 sqrt_half = F0::FromDouble(sqrt(0.5));
  const F0 fourth_root_of_half = F0::FromDouble(1 / root);
  const F6 quarter = F6::FromDouble(0.25);
  const auto saturate = [](double x) {
    return F0::FromRaw(static_cast<int32_t>(std::clamp<double>(x, INT32_MIN, INT32_MAX)));
  };

  const int headroom_a = CountLeadingZeros(static_cast<uint32_t>(raw));
  const F0 product_a = saturate(ldexp(raw, headroom_a - 1)) * sqrt_half;
  const F0 r_a = gemmlowp::SaturatingRoundingMultiplyByPOT<1>(product_a);
  const F6 z_a = F6::FromDouble(12 - headroom_a) + quarter;
  const F0 product_b = F0::FromRaw(raw) * sqrt_half;
  const int headroom_b = CountLeadingZeros(static_cast<uint32_t>(product_b.raw())) - 1;
  const F0 r_b = saturate(ldexp(raw, headroom_b));
  const F6 z_b = F6::FromDouble(12 - headroom_b) - quarter;
  const F0 r = F0::FromRaw(std::min(r_a.raw(), r_b.raw()));
  const F6 z = F6::FromRaw(std::max(z_a.raw(), z_b.raw()));

  const F0 p = RoundingHalfSum(r, fourth_root_of_half);
  const F0 half_q = r - fourth_root_of_half;
  const F0 q = half_q + half_q;
  const F0 q2 = q * q;
  const F0 numerator = q * r + q * q2 * F0::FromDouble(root * 11 / 240);
  const F0 factor = F0::FromDouble(root * (sqrt(2.0) - 1)) + q + F0::FromDouble(root / 20) * q2;
  const F0 denominator_minus_one = p * factor + F0::FromDouble(root / 4) * q;
  const F6 log_of_r =
      gemmlowp::Rescale<6>(numerator) * gemmlowp::one_over_one_plus_x_for_x_in_0_1(denominator_minus_one);
  return gemmlowp::Rescale<5>(z * F0::FromDouble(log(2.0)) + log_of_r).raw();
}

TEST(Gemmlowp, LogAgrees) {
  Numbers numbers;
  for (int i = 0; i < kCount; ++i) {
    const int32_t x = std::max(numbers.NonNegative(), numbers.NonNegative()) | 1 << 19;
    ASSERT_EQ(LogForXAtLeastOne(x), LogInGemmlowpTypes(x)) << x;
  }
}

}  // namespace
}  // namespace lutra
