// SPDX-License-Identifier: Apache-2.0
// Every variant against the rules worked out in wide integers, repeated inputs, in place, no byte further.

#include "lutra/kernels/binary/binary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

struct Problem {
  float a_scale;
  int32_t a_zero_point;
  float b_scale;
  int32_t b_zero_point;
  float out_scale;
  int32_t out_zero_point;
};

constexpr Problem kProblems[] = {
    {0.5f, 0, 0.25f, 0, 1.0f, 0},
    {0.019999999552965164f, -128, 0.029999999329447746f, 127, 0.05000000074505806f, -3},
    {0.023499999195337296f, 3, 0.011699999682605267f, -20, 0.03099999949336052f, -128},
};

BinaryQuantization Quantization(const Problem& p, Multiplier a, Multiplier b, Multiplier out) {
  return {a,
          b,
          out,
          static_cast<int8_t>(p.a_zero_point),
          static_cast<int8_t>(p.b_zero_point),
          static_cast<int8_t>(p.out_zero_point),
          -100,
          120};
}

BinaryQuantization Sum(const Problem& p) {
  const double twice = 2.0 * static_cast<double>(std::max(p.a_scale, p.b_scale));
  return Quantization(p, QuantizeMultiplier(static_cast<double>(p.a_scale) / twice),
                      QuantizeMultiplier(static_cast<double>(p.b_scale) / twice),
                      QuantizeMultiplier(twice / ((1 << 20) * static_cast<double>(p.out_scale))));
}

BinaryQuantization Product(const Problem& p) {
  return Quantization(p, {}, {},
                      QuantizeMultiplier(static_cast<double>(p.a_scale) * static_cast<double>(p.b_scale) /
                                         static_cast<double>(p.out_scale)));
}

enum class Function { kAdd, kSub, kMul };

int8_t Expected(Function function, const BinaryQuantization& q, int8_t a, int8_t b) {
  const int32_t x = a - q.a_zero_point;
  const int32_t y = b - q.b_zero_point;
  int64_t code = q.out_zero_point;
  if (function == Function::kMul) {
    code += MultiplyByQuantizedMultiplier(x * y, q.out_multiplier);
  } else {
    const int32_t first = MultiplyByQuantizedMultiplier(x * (1 << 20), q.a_multiplier);
    const int32_t second = MultiplyByQuantizedMultiplier(y * (1 << 20), q.b_multiplier);
    code += MultiplyByQuantizedMultiplier(function == Function::kAdd ? first + second : first - second,
                                          q.out_multiplier);
  }
  return static_cast<int8_t>(std::clamp<int64_t>(code, -100, 120));
}

// The variants of the three at one place in their tables.
struct Variants {
  std::string name;
  CpuFeatures needs;
  BinaryFn add;
  BinaryFn sub;
  BinaryFn mul;
  BinaryFn Of(Function function) const {
    return function == Function::kAdd ? add : function == Function::kSub ? sub : mul;
  }
};

std::vector<Variants> AllVariants() {
  std::vector<Variants> all;
  for (size_t i = 0; i < std::size(kAddInt8); ++i) {
    all.push_back({kAddInt8[i].name, kAddInt8[i].needs, kAddInt8[i].run, kSubInt8[i].run, kMulInt8[i].run});
  }
  return all;
}

class BinaryInt8 : public testing::TestWithParam<Variants> {
 protected:
  void SetUp() override {
    if ((GetParam().needs & ~CpuFeaturesHere()) != 0) GTEST_SKIP() << "this processor lacks it";
  }
};

TEST_P(BinaryInt8, IsExactForAllPairsOfCodes) {
  std::vector<int8_t> a;
  std::vector<int8_t> b;
  for (int i = -128; i < 128; ++i) {
    for (int k = -128; k < 128; ++k) {
      a.push_back(static_cast<int8_t>(i));
      b.push_back(static_cast<int8_t>(k));
    }
  }
  const auto count = static_cast<int32_t>(a.size());
  for (const Problem& problem : kProblems) {
    for (const Function function : {Function::kAdd, Function::kSub, Function::kMul}) {
      const BinaryQuantization q = function == Function::kMul ? Product(problem) : Sum(problem);
      std::vector<int8_t> output = a;  // In place of the first input.
      GetParam().Of(function)({output.data(), b.data(), output.data(), 1, 1, &q, 0, 0}, 0, count);
      for (int32_t i = 0; i < count; ++i) {
        ASSERT_EQ(output[i], Expected(function, q, a[i], b[i]))
            << static_cast<int>(function) << ": " << int{a[i]} << ", " << int{b[i]};
      }
    }
  }
}

TEST_P(BinaryInt8, RepeatsAnInputAndKeepsToItsRange) {
  const BinaryQuantization q = Sum(kProblems[1]);
  for (const int32_t count : {1, 7, 16, 33}) {
    std::vector<int8_t> a(static_cast<size_t>(count) + 2);
    FillBytes(3, count + 2, a.data());
    const int8_t b = 45;
    std::vector<int8_t> output(a.size(), 99);
    GetParam().add({a.data(), &b, output.data(), 1, 0, &q, 0, 0}, 1, count);
    EXPECT_EQ(output.front(), 99);
    EXPECT_EQ(output.back(), 99);
    for (int32_t i = 1; i <= count; ++i) EXPECT_EQ(output[i], Expected(Function::kAdd, q, a[i], b));
  }
}

// Values of TFLite's reference kernels.
TEST_P(BinaryInt8, GivesTheRecordedValues) {
  const Problem problem = {0.1f, -1, 0.30000001192092896f, 4, 0.699999988079071f, 2};
  const int8_t a = 5;
  const int8_t b = 9;
  int8_t output = 0;
  for (const auto& [function, expected] :
       {std::pair{Function::kAdd, 5}, std::pair{Function::kSub, 1}, std::pair{Function::kMul, 3}}) {
    const BinaryQuantization q = function == Function::kMul ? Product(problem) : Sum(problem);
    GetParam().Of(function)({&a, &b, &output, 1, 1, &q, 0, 0}, 0, 1);
    EXPECT_EQ(output, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(, BinaryInt8, testing::ValuesIn(AllVariants()),
                         [](const auto& info) { return info.param.name; });

// A quotient of codes, to the nearest: both signs, and a divisor below its zero point.
TEST(DivInt8, Divides) {
  const BinaryQuantization q = {{}, {}, QuantizeMultiplier(100.0), 0, -10, 1, -128, 127};
  const int8_t a[] = {10, -10, 100, 0, 7};
  const int8_t b[] = {-2, -2, -110, 90, 120};  // Less the zero point: 8, 8, -100, 100, 130.
  for (const auto& variant : kDivInt8) {
    int8_t output[5] = {};
    variant.run({a, b, output, 1, 1, &q, 0, 0}, 0, 5);
    EXPECT_EQ(std::vector<int>(output, output + 5), (std::vector<int>{126, -124, -99, 1, 6}));
  }
}

TEST(SquaredDifferenceInt8, SquaresTheDifference) {
  // Scales 0.5, 0.5 and 1: ((a - b) / 2)^2.
  const BinaryQuantization q = {{1 << 30, 0}, {1 << 30, 0}, QuantizeMultiplier(1.0 / (1 << 14)), 3, 3, -7,
                                -128,         127};
  const int8_t a[] = {10, 10, -20, 5};
  const int8_t b[] = {10, 6, 20, 8};
  for (const auto& variant : kSquaredDifferenceInt8) {
    int8_t output[4] = {};
    variant.run({a, b, output, 1, 1, &q, 0, 0}, 0, 4);
    EXPECT_EQ(std::vector<int>(output, output + 4), (std::vector<int>{-7, -3, 127, -5}));
  }
}

TEST(BinaryFloat, ComputesAndClamps) {
  const float a[] = {1, -2, 30, 4};
  const float b[] = {0.5f, 0.5f, 2, -4};
  const auto expect = [&](BinaryFn run, const std::vector<float>& expected) {
    float output[4];
    run({a, b, output, 1, 1, nullptr, -6, 6}, 0, 4);
    EXPECT_EQ(std::vector<float>(output, output + 4), expected);
  };
  expect(kAddFloat[0].run, {1.5f, -1.5f, 6, 0});
  expect(kSubFloat[0].run, {0.5f, -2.5f, 6, 6});
  expect(kMulFloat[0].run, {0.5f, -1, 6, -6});
  expect(kDivFloat[0].run, {2, -4, 6, -1});
  expect(kSquaredDifferenceFloat[0].run, {0.25f, 6, 6, 6});
}

TEST(BinaryInt32, Wraps) {
  const int32_t a[] = {INT32_MAX, 3, -4};
  const int32_t b[] = {1, 5, 6};
  const auto expect = [&](BinaryFn run, const std::vector<int32_t>& expected) {
    int32_t output[3];
    run({a, b, output, 1, 1, nullptr, 0, 0}, 0, 3);
    EXPECT_EQ(std::vector<int32_t>(output, output + 3), expected);
  };
  expect(kAddInt32[0].run, {INT32_MIN, 8, 2});
  expect(kSubInt32[0].run, {INT32_MAX - 1, -2, -10});
  expect(kMulInt32[0].run, {INT32_MAX, 15, -24});
}

}  // namespace
}  // namespace lutra
