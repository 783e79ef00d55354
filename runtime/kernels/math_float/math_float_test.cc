// SPDX-License-Identifier: Apache-2.0
// Every variant against the functions in double.

#include "lutra/kernels/math_float/math_float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "runtime/testing/kernel_test.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

struct Function {
  const char* name;
  MathFunction function;
  double (*formula)(double);
  float low, high;
};

const Function kFunctions[] = {
    {"ceil", Ceil, [](double x) { return std::ceil(x); }, -20, 20},
    {"cos", Cos, [](double x) { return std::cos(x); }, -20, 20},
    {"exp", Exp, [](double x) { return std::exp(x); }, -20, 20},
    {"floor", Floor, [](double x) { return std::floor(x); }, -20, 20},
    {"log", Log, [](double x) { return std::log(x); }, 0.01f, 40},
    {"negate", Negate, [](double x) { return -x; }, -20, 20},
    {"round", RoundHalfToEven, [](double x) { return std::nearbyint(x); }, -20, 20},
    {"rsqrt", InverseSqrt, [](double x) { return 1 / std::sqrt(x); }, 0.01f, 40},
    {"sin", Sin, [](double x) { return std::sin(x); }, -20, 20},
    {"sqrt", Sqrt, [](double x) { return std::sqrt(x); }, 0, 40},
    {"square", Square, [](double x) { return x * x; }, -20, 20},
};

class MathFloat : public KernelTest<MathFloatFn> {};

TEST_P(MathFloat, IsTheFormulaInPlace) {
  for (const Function& f : kFunctions) {
    for (const int32_t count : NetworkSizes(1024)) {
      std::vector<float> input(static_cast<size_t>(count) + 2);
      for (size_t i = 0; i < input.size(); ++i) {
        input[i] = f.low + (f.high - f.low) * static_cast<float>(i * 37 % 1009) / 1009;
      }
      std::vector<float> output = input;
      Run({f.function, output.data(), output.data()}, 1, count);
      EXPECT_EQ(output.front(), input.front()) << "outside the range";
      EXPECT_EQ(output.back(), input.back()) << "outside the range";
      for (size_t i = 1; i + 1 < input.size(); ++i) {
        const auto expected = static_cast<float>(f.formula(input[i]));
        // The tolerance is a last bit of the result, or of the argument if the result is near 0.
        ASSERT_NEAR(output[i], expected, 3e-7f * std::max(1.0f, std::abs(expected)))
            << f.name << " of " << input[i];
      }
    }
  }
}

LUTRA_TEST_TABLE(MathFloat, kMathFloat);

TEST(RoundHalfToEvenTest, TiesAndSignsOfZero) {
  const float of[] = {-0.5f, 0.5f, 1.5f, 2.5f, -1.5f, -2.5f, -0.3f, 3e9f, -3e9f, 8388607.5f};
  const float expected[] = {0, 0, 2, 2, -2, -2, 0, 3e9f, -3e9f, 8388608.0f};
  for (size_t i = 0; i < std::size(of); ++i) {
    EXPECT_EQ(RoundHalfToEven(of[i]), expected[i]) << of[i];
  }
  EXPECT_FALSE(std::signbit(RoundHalfToEven(-0.5f)));
  EXPECT_FALSE(std::signbit(RoundHalfToEven(-0.3f)));
  EXPECT_TRUE(std::signbit(RoundHalfToEven(-0.0f)));
  EXPECT_TRUE(std::isnan(RoundHalfToEven(NAN)));
  EXPECT_EQ(RoundHalfToEven(INFINITY), INFINITY);
}

// Both roundings count: for some x, 1 / sqrt(x) rounded once is another number.
TEST(InverseSqrtTest, RoundsTheRootAndTheQuotient) {
  int others = 0;
  for (int i = 1; i < 4000; ++i) {
    const float x = static_cast<float>(i) / 64;
    const auto root = static_cast<float>(std::sqrt(double{x}));
    EXPECT_EQ(InverseSqrt(x), static_cast<float>(1 / double{root})) << x;
    others += InverseSqrt(x) != static_cast<float>(1 / std::sqrt(double{x})) ? 1 : 0;
  }
  EXPECT_GT(others, 100);
}

}  // namespace
}  // namespace lutra
