// SPDX-License-Identifier: Apache-2.0
// Compares with the arithmetic of this machine, bit by bit.
#include "platforms/common/soft_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace lutra::platforms::soft_float {
namespace {

template <typename Float>
struct FormatOf;
template <>
struct FormatOf<float> {
  using Type = Single;
};
template <>
struct FormatOf<double> {
  using Type = Double;
};

template <typename Float>
using Bits = typename FormatOf<Float>::Type::Bits;

template <typename Float>
Number From(Float value) {
  return Unpack<typename FormatOf<Float>::Type>(std::bit_cast<Bits<Float>>(value));
}

template <typename Float>
void ExpectSame(const Number& actual, Float expected, Float a, Float b) {
  const Bits<Float> bits = Pack<typename FormatOf<Float>::Type>(actual);
  if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(std::bit_cast<Float>(bits))) << std::hexfloat << a << " and " << b;
  } else {
    ASSERT_EQ(bits, std::bit_cast<Bits<Float>>(expected)) << std::hexfloat << a << " and " << b;
  }
}

template <typename Float>
void CheckPair(Float a, Float b) {
  ExpectSame<Float>(Add(From(a), From(b)), a + b, a, b);
  ExpectSame<Float>(Add(From(a), Negate(From(b))), a - b, a, b);
  ExpectSame<Float>(Multiply(From(a), From(b)), a * b, a, b);
  ExpectSame<Float>(Divide(From(a), From(b)), a / b, a, b);
}

template <typename Float>
std::vector<Float> SpecialValues() {
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> values = {0, 1, 2, 3, Float(0.5), Float(0.1), Limits::infinity(), Limits::quiet_NaN()};
  for (const Float value : {Limits::denorm_min(), Limits::min(), Limits::max(), Limits::epsilon(), Float(1),
                            Float(2147483648.0), Float(4294967296.0)}) {
    values.insert(values.end(), {value, std::nextafter(value, Float(0)), value / 2, value * 3,
                                 std::nextafter(value, Limits::infinity())});
  }
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  return values;
}

template <typename Float>
class SoftFloat : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(SoftFloat, Floats);

TYPED_TEST(SoftFloat, EqualsHardwareOnSpecialValues) {
  for (const TypeParam a : SpecialValues<TypeParam>()) {
    for (const TypeParam b : SpecialValues<TypeParam>()) CheckPair(a, b);
  }
}

TYPED_TEST(SoftFloat, EqualsHardwareOnRandomBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500000; ++i) {
    CheckPair(std::bit_cast<TypeParam>(static_cast<Bits<TypeParam>>(random())),
              std::bit_cast<TypeParam>(static_cast<Bits<TypeParam>>(random())));
    if (this->HasFatalFailure()) return;
  }
}

// Sums have near exponents; few bits make ties; small exponents make subnormal results.
TYPED_TEST(SoftFloat, EqualsHardwareOnNearAndSmallNumbers) {
  using Limits = std::numeric_limits<TypeParam>;
  std::mt19937_64 random(2);
  const auto near = [&random](int least_exponent) {
    const auto bits = static_cast<int64_t>(random()) >> (10 + random() % 50);
    return std::ldexp(static_cast<TypeParam>(bits), least_exponent + static_cast<int>(random() % 40) - 60);
  };
  for (int i = 0; i < 500000; ++i) {
    CheckPair(near(0), near(0));
    CheckPair(near(Limits::min_exponent + 40), near(Limits::min_exponent + 40));
    CheckPair(near(Limits::min_exponent / 2), near(Limits::min_exponent / 2));
    CheckPair(near(Limits::max_exponent), near(0));
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(SoftFloat, ConvertsIntegers) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    const auto value = static_cast<int32_t>(static_cast<int32_t>(random()) >> (random() % 31));
    const uint32_t magnitude = value < 0 ? 0 - static_cast<uint32_t>(value) : static_cast<uint32_t>(value);
    const auto expected = static_cast<TypeParam>(value);
    ExpectSame<TypeParam>(FromInteger(value < 0, magnitude), expected, expected, 0);
    const TypeParam fraction = expected * TypeParam(0.37);
    ASSERT_EQ(ToInt32(From(fraction)), static_cast<int32_t>(fraction)) << fraction;

    const auto natural = static_cast<uint32_t>(random()) >> (random() % 31);
    const auto expected_natural = static_cast<TypeParam>(natural);
    ExpectSame<TypeParam>(FromInteger(false, natural), expected_natural, expected_natural, 0);
    const TypeParam part = expected_natural * TypeParam(0.99);
    ASSERT_EQ(ToUint32(From(part)), static_cast<uint32_t>(part)) << part;
    if (this->HasFatalFailure()) return;
  }
  const auto huge = std::numeric_limits<TypeParam>::max();
  EXPECT_EQ(ToInt32(From(huge)), INT32_MAX);
  EXPECT_EQ(ToInt32(From(-huge)), INT32_MIN);
  EXPECT_EQ(ToUint32(From(huge)), UINT32_MAX);
  EXPECT_EQ(ToUint32(From(-huge)), 0u);
  EXPECT_EQ(ToInt32(From(TypeParam(-2147483648.0))), INT32_MIN);
  EXPECT_EQ(ToInt32(From(std::numeric_limits<TypeParam>::quiet_NaN())), 0);
  EXPECT_EQ(ToInt32(From(TypeParam(-0.999))), 0);
}

TEST(SoftFloat, ConvertsBetweenFormats) {
  std::mt19937_64 random(4);
  std::vector<double> values = SpecialValues<double>();
  for (const float value : SpecialValues<float>()) values.push_back(value);
  for (int i = 0; i < 500000; ++i) {
    values.push_back(std::bit_cast<double>(random()));
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
    values.push_back(std::ldexp(static_cast<double>(random()), -64 - static_cast<int>(random() % 160)));
  }
  for (const double value : values) {
    const auto narrow = static_cast<float>(value);
    ExpectSame<float>(From(value), narrow, narrow, 0);
    ExpectSame<double>(From(narrow), static_cast<double>(narrow), narrow, 0);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace lutra::platforms::soft_float
