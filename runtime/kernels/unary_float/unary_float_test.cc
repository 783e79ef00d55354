// SPDX-License-Identifier: Apache-2.0
// Every variant against the formula in double.

#include "lutra/kernels/unary_float/unary_float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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

class UnaryFloat : public testing::TestWithParam<Variant<UnaryFloatFn>> {};

TEST_P(UnaryFloat, IsTheFormulaInPlace) {
  if ((GetParam().needs & ~CpuFeaturesHere()) != 0) GTEST_SKIP() << "this processor lacks it";
  for (int f = 0; f <= static_cast<int>(UnaryFunction::kAbs); ++f) {
    const auto function = static_cast<UnaryFunction>(f);
    std::vector<float> values;
    for (float x = -20; x <= 20; x += 0.37f) values.push_back(x);
    const std::vector<float> input = values;
    GetParam().run({function, kAlpha, values.data(), values.data()}, 1,
                   static_cast<int32_t>(values.size()) - 1);
    EXPECT_EQ(values[0], input[0]) << "outside the range";
    for (size_t i = 1; i < input.size(); ++i) {
      const double expected = Formula(function, input[i]);
      EXPECT_LE(std::abs(values[i] - expected), 1e-6 * std::max(1.0, std::abs(expected)))
          << f << " of " << input[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, UnaryFloat, testing::ValuesIn(kUnaryFloat),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lutra
