// SPDX-License-Identifier: Apache-2.0
// Every variant against the formula in double.

#include "lutra/kernels/unary_float/unary_float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "runtime/testing/kernel_test.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

constexpr float kAlpha = 0.25f;

double Formula(UnaryFunction function, double x) {
  switch (function) {
    case UnaryFunction::kLogistic:
      return 1 / (1 + std::exp(-x));
    case UnaryFunction::kTanh:
      return std::tanh(x);
    case UnaryFunction::kHardSwish:
      return x * std::clamp(x + 3, 0.0, 6.0) / 6;
    case UnaryFunction::kElu:
      return x < 0 ? std::expm1(x) : x;
    case UnaryFunction::kRelu:
      return std::max(x, 0.0);
    case UnaryFunction::kRelu6:
      return std::clamp(x, 0.0, 6.0);
    case UnaryFunction::kLeakyRelu:
      return x < 0 ? kAlpha * x : x;
    case UnaryFunction::kAbs:
      return std::abs(x);
  }
  return NAN;
}

class UnaryFloat : public KernelTest<UnaryFloatFn> {};

TEST_P(UnaryFloat, IsTheFormulaInPlace) {
  for (int f = 0; f <= static_cast<int>(UnaryFunction::kAbs); ++f) {
    const auto function = static_cast<UnaryFunction>(f);
    std::vector<float> values;
    for (float x = -20; x <= 20; x += 0.37f) values.push_back(x);
    for (const int32_t count : NetworkSizes(1024)) {
      std::vector<float> input(static_cast<size_t>(count) + 2);
      for (size_t i = 0; i < input.size(); ++i) input[i] = values[i % values.size()];
      std::vector<float> output = input;
      Run({function, kAlpha, output.data(), output.data()}, 1, count);
      EXPECT_EQ(output.front(), input.front()) << "outside the range";
      EXPECT_EQ(output.back(), input.back()) << "outside the range";
      for (size_t i = 1; i + 1 < input.size(); ++i) {
        const double expected = Formula(function, input[i]);
        ASSERT_LE(std::abs(output[i] - expected), 1e-6 * std::max(1.0, std::abs(expected)))
            << f << " of " << input[i];
      }
    }
  }
}

LUTRA_TEST_TABLE(UnaryFloat, kUnaryFloat);

}  // namespace
}  // namespace lutra
