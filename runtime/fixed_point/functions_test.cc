// SPDX-License-Identifier: Apache-2.0
// The fixed-point functions against their vectors, and against libm where the vectors are thin.

#include <gtest/gtest.h>
#include <math.h>

#include <random>

#include "runtime/fixed_point/exp.h"
#include "runtime/fixed_point/inverse_sqrt.h"
#include "runtime/fixed_point/log.h"
#include "runtime/fixed_point/logistic.h"
#include "runtime/fixed_point/reciprocal.h"

namespace lutra {
namespace {

struct Case {
  int32_t x;
  int32_t want;
};

TEST(ExpOnNegativeValues, MatchesTheVectors) {
  const Case cases[] = {
      {0, INT32_MAX},         {-1, 2147483124},        {-16777216, 1672462419}, {-33554432, 1302515042},
      {-67108864, 790015308}, {-201326592, 106916946}, {-134230073, 290576784}, {-536870912, 720401},
      {-1073741824, 242},     {-1342177280, 4},        {INT32_MIN, 0},
  };
  for (const Case& c : cases) EXPECT_EQ(ExpOnNegativeValues(c.x, 5), c.want) << c.x;
}

TEST(ExpOnNegativeValues, IsZeroBelowMinus32) {
  // There is no factor for 32, so without a rule of its own this would be 1.
  EXPECT_EQ(ExpOnNegativeValues(INT32_MIN, 6), 0);
  EXPECT_EQ(ExpOnNegativeValues(-(1 << 30) - 1, 6), 0);
  EXPECT_EQ(ExpOnNegativeValues(-(1 << 24) - 1, 12), 0);
}

TEST(ExpOnNegativeValues, IsNearTheExponential) {
  std::mt19937 random(3);
  for (int32_t integer_bits = 0; integer_bits <= 12; ++integer_bits) {
    for (int i = 0; i < 1000; ++i) {
      const int32_t x = -static_cast<int32_t>(random() >> 1);
      const double real = ldexp(x, integer_bits - 31);
      ASSERT_NEAR(ldexp(ExpOnNegativeValues(x, integer_bits), -31), exp(real), 1e-6)
          << x << ", " << integer_bits;
    }
  }
}

TEST(Logistic, MatchesTheVectors) {
  const Case cases[] = {
      {0, 1073741824},         {1, 1073741948},         {33554432, 1207264694},  {-33554432, 940218953},
      {134217728, 1569936226}, {-134217728, 577547421}, {268435456, 1891497262}, {-268435456, 255986385},
      {402653184, 2045637336}, {-402653184, 101846311}, {INT32_MAX, 2147483406}, {-2147483647, 241},
  };
  for (const Case& c : cases) EXPECT_EQ(Logistic(c.x), c.want) << c.x;
}

TEST(Tanh, MatchesTheVectors) {
  const Case cases[] = {
      {0, 0},
      {1, 260},
      {-1, -260},
      {33554432, 525958532},
      {-33554432, -525958532},
      {134217728, 1635510876},
      {-134217728, -1635510876},
      {268435456, 2070233436},
      {402653184, 2136863820},
      {-402653184, -2136863820},
      {INT32_MAX, INT32_MAX},
  };
  for (const Case& c : cases) EXPECT_EQ(Tanh(c.x), c.want) << c.x;
}

TEST(Logistic, TakesTheSmallestNumber) {
  EXPECT_EQ(Logistic(INT32_MIN), Logistic(-INT32_MAX));
  EXPECT_EQ(Tanh(INT32_MIN), Tanh(-INT32_MAX));
}

TEST(OneOverOnePlusX, MatchesTheVectors) {
  const Case cases[] = {
      {0, INT32_MAX},           {536870912, 1717986914},  {1073741824, 1431655762}, {1610612736, 1227133516},
      {INT32_MAX, 1073741820},  {1048575, 2146435586},    {12345678, 2135208542},   {99999999, 2051933074},
      {1234567890, 1363576508}, {2000000000, 1111923858},
  };
  for (const Case& c : cases) EXPECT_EQ(OneOverOnePlusX(c.x), c.want) << c.x;
}

TEST(GetReciprocal, IsNearTheReciprocal) {
  std::mt19937 random(4);
  for (int i = 0; i < 20000; ++i) {
    const int32_t x = static_cast<int32_t>((random() >> 1 >> (i % 31)) | 1);
    for (const int32_t integer_bits : {12, 31}) {
      const Reciprocal got = GetReciprocal(x, integer_bits);
      const double want = 1.0 / ldexp(x, integer_bits - 31);
      ASSERT_NEAR(ldexp(got.value, -31 - got.bits) / want, 1.0, 1e-8) << x;
    }
  }
}

TEST(GetReciprocal, GivesValueAndBits) {
  // 3 = 1.5 * 2^1.
  EXPECT_EQ(GetReciprocal(3, 31).value, OneOverOnePlusX(1 << 30));
  EXPECT_EQ(GetReciprocal(3, 31).bits, 1);
  EXPECT_EQ(GetReciprocal(1 << 19, 12).value, INT32_MAX);
  EXPECT_EQ(GetReciprocal(1 << 19, 12).bits, 0);
  EXPECT_EQ(GetReciprocal(INT32_MAX, 12).bits, 11);
}

TEST(LogForXAtLeastOne, MatchesTheVectors) {
  const Case cases[] = {
      {524288, 0},
      {524289, 128},
      {786432, 27210304},
      {1048576, 46516320},
      {2621440, 108007550},
      {5242880, 154523870},
      {52428800, 309047740},
      {524288000, 463571608},
      {2146959360, 558179452},
      {INT32_MAX, 558195838},
  };
  for (const Case& c : cases) EXPECT_EQ(LogForXAtLeastOne(c.x), c.want) << c.x;
}

TEST(LogForXAtLeastOne, IsNearTheLogarithm) {
  std::mt19937 random(5);
  for (int i = 0; i < 100000; ++i) {
    const int32_t x = static_cast<int32_t>((random() >> 1 >> (i % 12)) | 1 << 19);
    ASSERT_NEAR(ldexp(LogForXAtLeastOne(x), -26), log(ldexp(x, -19)), 2e-6) << x;
  }
}

TEST(InverseSqrtMultiplier, MatchesTheVectors) {
  struct InverseSqrtCase {
    int32_t x;
    Multiplier want;
  };
  const InverseSqrtCase cases[] = {
      {INT32_MIN, {INT32_MAX, 0}}, {0, {INT32_MAX, 0}},           {1, {INT32_MAX, 0}},
      {2, {1518498372, 0}},        {3, {1239850284, 0}},          {4, {1073741828, 0}},
      {100, {214748363, 0}},       {65025, {269488147, -5}},      {49152, {309962571, -5}},
      {4161600, {269488147, -8}},  {123456789, {197912100, -10}}, {INT32_MAX, {189812531, -12}},
  };
  for (const InverseSqrtCase& c : cases) {
    EXPECT_EQ(InverseSqrtMultiplier(c.x).value, c.want.value) << c.x;
    EXPECT_EQ(InverseSqrtMultiplier(c.x).shift, c.want.shift) << c.x;
  }
}

TEST(InverseSqrtMultiplier, IsNearTheInverseSquareRoot) {
  std::mt19937 random(6);
  for (int i = 0; i < 100000; ++i) {
    const int32_t x = static_cast<int32_t>((random() >> 1 >> (i % 31)) | 1);
    const Multiplier got = InverseSqrtMultiplier(x);
    ASSERT_NEAR(ldexp(got.value, got.shift - 31) * sqrt(x), 1.0, 1e-5) << x;
  }
}

// The undefined-behaviour sanitizer watches these calls.
TEST(FixedPointFunctions, EveryArgumentIsDefined) {
  std::mt19937 random(7);
  uint32_t sum = 0;
  for (int i = 0; i < 300000; ++i) {
    constexpr int32_t kEnds[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX};
    const int32_t x = i < 6 ? kEnds[i] : static_cast<int32_t>(random()) >> (i % 32);
    sum += static_cast<uint32_t>(ExpOnNegativeValues(x, i % 30));
    sum += static_cast<uint32_t>(OneOverOnePlusX(x));
    sum += static_cast<uint32_t>(OneMinusXOverOnePlusX(x));
    sum += static_cast<uint32_t>(GetReciprocal(x, i % 32).value);
    sum += static_cast<uint32_t>(Logistic(x));
    sum += static_cast<uint32_t>(Tanh(x));
    sum += static_cast<uint32_t>(LogForXAtLeastOne(x));
    sum += static_cast<uint32_t>(InverseSqrtMultiplier(x).value);
  }
  volatile uint32_t sink = sum;
  (void)sink;
}

}  // namespace
}  // namespace lutra
