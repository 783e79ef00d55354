// SPDX-License-Identifier: Apache-2.0
// Multipliers in integers against double arithmetic: random triples of scales, triples whose quotients are
// nearest to a tie of the 31 bits, and the ends of the range. The environment variables LUTRA_SCALE_TRIPLES
// and LUTRA_SCALE_TIES set their numbers.

#include "runtime/fixed_point/scale_ratio.h"

#include <gtest/gtest.h>
#include <math.h>
#include <stdlib.h>

#include <bit>
#include <limits>
#include <random>

namespace lutra {
namespace {

using Limits = std::numeric_limits<float>;

int64_t CountOf(const char* variable, int64_t otherwise) {
  const char* const text = getenv(variable);
  return text != nullptr ? atoll(text) : otherwise;
}

bool IsExact(const ScaleRatio& ratio, float input, float factor, float output, int32_t exponent) {
  const double real = ldexp(double{input} * double{factor} / double{output}, exponent);
  const Multiplier want = QuantizeMultiplier(real);
  const Multiplier got = ratio.Times(factor);
  const Multiplier want_fraction = FractionAndShift(real);
  const Multiplier got_fraction = ratio.FractionAndShiftTimes(factor);
  if (got.value == want.value && got.shift == want.shift && got_fraction.value == want_fraction.value &&
      got_fraction.shift == want_fraction.shift) {
    return true;
  }
  ADD_FAILURE() << std::hexfloat << input << " * " << factor << " / " << output << " * 2^" << exponent << ": "
                << got.value << ", " << got.shift << " instead of " << want.value << ", " << want.shift;
  return false;
}

bool IsExact(float input, float factor, float output, int32_t exponent = 0) {
  return IsExact(ScaleRatio(input, output, exponent), input, factor, output, exponent);
}

// Returns a magnitude from 2^least to 2^most; many have few bits, or nearly all.
float RandomScale(std::mt19937_64& random, int least, int most) {
  uint32_t fraction = static_cast<uint32_t>(random()) & 0x7FFFFF;
  switch (random() % 16) {
    case 0:
      fraction &= 0x7F0000;
      break;
    case 1:
      fraction &= 3;
      break;
    case 2:
      fraction = 0x7FFFFF - (fraction & 3);
      break;
    default:
      break;
  }
  const auto exponent = static_cast<uint32_t>(127 + least + static_cast<int>(random() % (most - least + 1)));
  return std::bit_cast<float>(exponent << 23 | fraction);
}

TEST(ScaleRatio, IsDoubleArithmeticForRandomTriples) {
  const int64_t triples = CountOf("LUTRA_SCALE_TRIPLES", 4'000'000);
  constexpr int kFactors = 20;
  std::mt19937_64 random(1);
  for (int64_t i = 0; i < triples; i += kFactors) {
    const bool wide = i % 3 == 0;
    const float input = RandomScale(random, wide ? -126 : -20, wide ? 127 : 3);
    const float output = RandomScale(random, wide ? -126 : -20, wide ? 127 : 3);
    const auto exponent = wide ? static_cast<int32_t>(random() % 61) - 30 : 0;
    const ScaleRatio ratio(input, output, exponent);
    for (int k = 0; k < kFactors; ++k) {
      ASSERT_TRUE(IsExact(ratio, input, RandomScale(random, -30, 3), output, exponent));
    }
  }
}

// Quotients next to a tie of the 31 bits: below it by at most half a step of double they round up. With
// fractions a, w of 24 bits and the divisor d, a * w * 2^k has remainders of d - 1 downwards: w is found by
// the inverse of a * 2^k modulo an odd d.
TEST(ScaleRatio, IsDoubleArithmeticNextToTies) {
  std::mt19937_64 random(2);
  int64_t tried = 0;
  int64_t near_ties = 0;
  const int64_t wanted = CountOf("LUTRA_SCALE_TIES", 30'000);
  while (near_ties < wanted) {
    ASSERT_LT(++tried, 50 * wanted);
    const uint64_t d = (uint64_t{1} << 23 | (random() & 0x7FFFFF)) | 1;
    const uint64_t a = uint64_t{1} << 23 | (random() & 0x7FFFFF);
    const int k = 7 + static_cast<int>(random() % 4);
    const uint64_t base = (a << k) % d;
    // The extended Euclidean algorithm: inverse * base = 1 modulo d.
    int64_t r0 = static_cast<int64_t>(d), r1 = static_cast<int64_t>(base), s0 = 0, s1 = 1;
    while (r1 != 0) {
      const int64_t q = r0 / r1;
      const int64_t r = r0 - q * r1, s = s0 - q * s1;
      r0 = r1, r1 = r, s0 = s1, s1 = s;
    }
    if (r0 != 1) continue;
    const int64_t inverse = s0 < 0 ? s0 + static_cast<int64_t>(d) : s0;
    // Remainder d - j: w = -j * inverse, of 24 bits itself or plus d.
    const int64_t j = 1 + static_cast<int64_t>(random() % 4);
    uint64_t w = (d - static_cast<uint64_t>(j) * static_cast<uint64_t>(inverse) % d) % d;
    if (w < uint64_t{1} << 23) w += d;
    if (w < uint64_t{1} << 23 || w >= uint64_t{1} << 24) continue;
    // Only even quotients of 32 bits matter.
    const uint64_t quotient = a * w << k;
    const uint64_t q = quotient / d;
    if (q >> 31 != 1 || (q & 1) != 0) continue;
    ++near_ties;
    ASSERT_TRUE(IsExact(static_cast<float>(a), static_cast<float>(w), static_cast<float>(d), -40));
    // Prepare gets the same fractions with exponents like these.
    ASSERT_TRUE(IsExact(ldexpf(static_cast<float>(a), -30), ldexpf(static_cast<float>(w), -31),
                        ldexpf(static_cast<float>(d), -26)));
  }
}

bool IsNearInDouble(float a, float b, float c, float unit) {
  const double difference = double{a} * double{b} - double{c};
  return fabs(difference) / double{unit} <= 0.02;
}

void ExpectSameVerdict(float a, float b, float c, float unit) {
  EXPECT_EQ(IsProductNear(a, b, c, unit), IsNearInDouble(a, b, c, unit))
      << std::hexfloat << a << " * " << b << " - " << c << ", in units of " << unit;
}

// Bias scales near a * b +- 0.02 * unit, where a last place decides, and others far from it.
TEST(IsProductNear, IsDoubleArithmetic) {
  std::mt19937_64 random(3);
  int64_t near = 0;
  for (int i = 0; i < 400000; ++i) {
    const float a = RandomScale(random, -12, 2);
    const float b = RandomScale(random, -30, 2);
    // For small units the tolerance is below a last place of c: the product alone decides.
    const float unit = RandomScale(random, -60, 4);
    const double product = double{a} * double{b};
    const double edge = random() % 2 == 0 ? product + 0.02 * double{unit} : product - 0.02 * double{unit};
    auto c = static_cast<float>(edge);
    for (uint64_t steps = random() % 4; steps > 0; --steps)
      c = nextafterf(c, random() % 2 == 0 ? 0.0f : 1e9f);
    ExpectSameVerdict(a, b, c, unit);
    ExpectSameVerdict(a, b, RandomScale(random, -60, 4), unit);
    ExpectSameVerdict(a, b, -c, unit);
    near += IsProductNear(a, b, c, unit) ? 1 : 0;
    // The unit at which the quotient itself is 0.02, or one place next to it.
    const double difference = fabs(product - double{c});
    auto at_edge = static_cast<float>(difference / 0.02);
    for (int step = 0; step < 3 && at_edge > 0 && at_edge <= Limits::max(); ++step) {
      ExpectSameVerdict(a, b, c, at_edge);
      at_edge = nextafterf(at_edge, step == 0 ? 0.0f : 1e9f);
    }
  }
  EXPECT_GT(near, 100000);
  EXPECT_LT(near, 300000);
}

// Differences within a few last places of a double of the tolerance: c is the float32 below or above the
// tolerance, and a * b the rest, as near as two floats come.
TEST(IsProductNear, RoundsTheQuotientAndTheDifference) {
  std::mt19937_64 random(4);
  int64_t last_places = 0;
  for (int i = 0; i < 20000; ++i) {
    const float unit = RandomScale(random, -4, 4);
    const long double limit = static_cast<long double>(0.02) * static_cast<long double>(unit);
    for (const float end : {0.0f, 1.0f}) {
      auto c = static_cast<float>(limit);
      if ((end > 0) != (static_cast<long double>(c) > limit)) c = nextafterf(c, end);
      const long double rest =
          end > 0 ? static_cast<long double>(c) - limit : limit - static_cast<long double>(c);
      for (int k = 0; k < 20; ++k) {
        const float a = RandomScale(random, -4, 4);
        auto b = static_cast<float>(rest / static_cast<long double>(a));
        if (!(b > 0)) continue;
        for (int step = 0; step < 3; ++step) {
          const float bias_scale = end > 0 ? c : -c;
          ExpectSameVerdict(a, b, bias_scale, unit);
          const double difference = fabs(double{a} * double{b} - double{bias_scale});
          if (fabs(difference / double{unit} - 0.02) < 0x1p-57) ++last_places;
          b = nextafterf(b, step == 0 ? 0.0f : 1e9f);
        }
      }
    }
  }
  EXPECT_GT(last_places, 10000);
}

TEST(IsProductNear, TakesEveryBiasScale) {
  const float scales[] = {0.0f,
                          -0.0f,
                          Limits::denorm_min(),
                          Limits::min(),
                          Limits::max(),
                          1.0f,
                          -1.0f,
                          0x1.fffffep-1f,
                          Limits::infinity(),
                          0x1p-126f,
                          -0x1.8p-20f,
                          Limits::quiet_NaN(),
                          0.02f,
                          0.98f,
                          1.02f,
                          -Limits::infinity()};
  for (const float a : scales) {
    for (const float b : scales) {
      for (const float unit : scales) {
        if (!(a > 0 && a <= Limits::max() && b > 0 && b <= Limits::max())) continue;
        if (!(unit > 0 && unit <= Limits::max())) continue;
        for (const float c : scales) ExpectSameVerdict(a, b, c, unit);
      }
    }
  }
}

TEST(AreScalesNear, IsDoubleArithmetic) {
  std::mt19937_64 random(5);
  int64_t near = 0;
  const auto expect = [&](float a, float b) {
    const double difference = double{a} - double{b};
    const bool want = !(difference > 1e-6 || difference < -1e-6);
    near += want ? 1 : 0;
    EXPECT_EQ(AreScalesNear(a, b), want) << std::hexfloat << a << " " << b;
    EXPECT_EQ(AreScalesNear(b, a), want) << std::hexfloat << b << " " << a;
  };
  for (int i = 0; i < 400000; ++i) {
    const float a = RandomScale(random, -60, 2);
    auto b = static_cast<float>(double{a} + 1e-6);
    for (int step = 0; step < 3; ++step) {
      expect(a, b);
      b = nextafterf(b, step == 0 ? 0.0f : 1.0f);
    }
    expect(a, RandomScale(random, -60, 2));
  }
  EXPECT_GT(near, 400000);
  for (const float a : {Limits::denorm_min(), Limits::min(), 1e-6f, Limits::max()}) {
    for (const float b : {Limits::denorm_min(), Limits::min(), 1e-6f, Limits::max()}) expect(a, b);
  }
}

TEST(ScaleRatio, TakesTheEndsOfTheRange) {
  const float ends[] = {Limits::denorm_min(),
                        3 * Limits::denorm_min(),
                        Limits::min(),
                        Limits::max(),
                        1.0f,
                        0x1.fffffep-1f,
                        0x1.000002p0f,
                        0x1p-32f,
                        0x1p31f};
  for (const float input : ends) {
    for (const float output : ends) {
      for (const float factor : ends) {
        for (const int32_t exponent : {0, -100, -33, -19, 26, 100}) IsExact(input, factor, output, exponent);
        EXPECT_EQ(ScaleRatio(input, output).Times(0.0f).value, 0);
      }
    }
  }
}

}  // namespace
}  // namespace lutra
