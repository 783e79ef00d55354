// SPDX-License-Identifier: Apache-2.0
// Every variant against the rules worked out in wide integers, repeated inputs, in place, no byte further.

#include "runtime/kernels/binary/binary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/fixed_point/fixed_point.h"
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

BinaryQuantization Sum(const Problem& p) {
  const double twice = 2.0 * static_cast<double>(std::max(p.a_scale, p.b_scale));
  return {p.a_zero_point, p.b_zero_point, p.out_zero_point, QuantizeMultiplier(static_cast<double>(p.a_scale) / twice),
          QuantizeMultiplier(static_cast<double>(p.b_scale) / twice),
          QuantizeMultiplier(twice / ((1 << 20) * static_cast<double>(p.out_scale)))};
}

BinaryQuantization Product(const Problem& p) {
  return {p.a_zero_point, p.b_zero_point, p.out_zero_point, {}, {},
          QuantizeMultiplier(static_cast<double>(p.a_scale) * static_cast<double>(p.b_scale) /
                             static_cast<double>(p.out_scale))};
}

int8_t Expected(BinaryFunction function, const BinaryQuantization& q, int8_t a, int8_t b) {
  const int32_t x = a - q.a_zero_point;
  const int32_t y = b - q.b_zero_point;
  int64_t code = q.out_zero_point;
  if (function == BinaryFunction::kMul) {
    code += MultiplyByQuantizedMultiplier(x * y, q.out_multiplier);
  } else {
    const int32_t first = MultiplyByQuantizedMultiplier(x * (1 << 20), q.a_multiplier);
    const int32_t second = MultiplyByQuantizedMultiplier(y * (1 << 20), q.b_multiplier);
    code += MultiplyByQuantizedMultiplier(function == BinaryFunction::kAdd ? first + second : first - second,
                                          q.out_multiplier);
  }
  return static_cast<int8_t>(std::clamp<int64_t>(code, -100, 120));
}

class BinaryInt8 : public testing::TestWithParam<Variant<BinaryFn<int8_t>>> {
 protected:
  void SetUp() override {
    if ((GetParam().needs & ~CpuFeaturesHere()) != 0) GTEST_SKIP() << "this processor lacks it";
  }
  static BinaryArgs<int8_t> Args(BinaryFunction function, const BinaryQuantization& q) {
    BinaryArgs<int8_t> args = {};
    args.function = function;
    args.min = -100;
    args.max = 120;
    args.a_step = args.b_step = 1;
    args.quantization = &q;
    return args;
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
    for (const BinaryFunction function : {BinaryFunction::kAdd, BinaryFunction::kSub, BinaryFunction::kMul}) {
      const BinaryQuantization q = function == BinaryFunction::kMul ? Product(problem) : Sum(problem);
      BinaryArgs<int8_t> args = Args(function, q);
      std::vector<int8_t> output = a;  // In place of the first input.
      args.a = output.data();
      args.b = b.data();
      args.output = output.data();
      GetParam().run(args, 0, count);
      for (int32_t i = 0; i < count; ++i) {
        ASSERT_EQ(output[i], Expected(function, q, a[i], b[i])) << static_cast<int>(function) << ": " << int{a[i]} << ", " << int{b[i]};
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
    BinaryArgs<int8_t> args = Args(BinaryFunction::kAdd, q);
    args.a = a.data();
    args.b = &b;
    args.b_step = 0;
    args.output = output.data();
    GetParam().run(args, 1, count);
    EXPECT_EQ(output.front(), 99);
    EXPECT_EQ(output.back(), 99);
    for (int32_t i = 1; i <= count; ++i) EXPECT_EQ(output[i], Expected(BinaryFunction::kAdd, q, a[i], b));
  }
}

// Values of TFLite's reference kernels.
TEST_P(BinaryInt8, GivesTheRecordedValues) {
  const Problem problem = {0.1f, -1, 0.30000001192092896f, 4, 0.699999988079071f, 2};
  const int8_t a = 5;
  const int8_t b = 9;
  int8_t output = 0;
  for (const auto& [function, expected] : {std::pair{BinaryFunction::kAdd, 5}, std::pair{BinaryFunction::kSub, 1},
                                           std::pair{BinaryFunction::kMul, 3}}) {
    const BinaryQuantization q = function == BinaryFunction::kMul ? Product(problem) : Sum(problem);
    BinaryArgs<int8_t> args = Args(function, q);
    args.a = &a;
    args.b = &b;
    args.output = &output;
    GetParam().run(args, 0, 1);
    EXPECT_EQ(output, expected);
  }
}

// A quotient of codes, to the nearest: both signs, and a divisor below its zero point.
TEST_P(BinaryInt8, Divides) {
  BinaryQuantization q = {0, -10, 1, {}, {}, QuantizeMultiplier(100.0)};
  BinaryArgs<int8_t> args = Args(BinaryFunction::kDiv, q);
  const int8_t a[] = {10, -10, 100, 0, 7};
  const int8_t b[] = {-2, -2, -110, 90, 120};  // Less the zero point: 8, 8, -100, 100, 130.
  int8_t output[5] = {};
  args.min = -128;
  args.max = 127;
  args.a = a;
  args.b = b;
  args.output = output;
  GetParam().run(args, 0, 5);
  EXPECT_EQ(std::vector<int>(output, output + 5), (std::vector<int>{126, -124, -99, 1, 6}));
}

INSTANTIATE_TEST_SUITE_P(, BinaryInt8, testing::ValuesIn(kBinaryInt8),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(BinaryFloat, ComputesAndClamps) {
  const float a[] = {1, -2, 30, 4};
  const float b[] = {0.5f, 0.5f, 2, -4};
  float output[4];
  for (const auto& variant : kBinaryFloat) {
    BinaryArgs<float> args = {BinaryFunction::kDiv, a, b, output, 1, 1, -6, 6, nullptr};
    variant.run(args, 0, 4);
    EXPECT_EQ(std::vector<float>(output, output + 4), (std::vector<float>{2, -4, 6, -1}));
    args.function = BinaryFunction::kSub;
    variant.run(args, 0, 4);
    EXPECT_EQ(std::vector<float>(output, output + 4), (std::vector<float>{0.5f, -2.5f, 6, 6}));
  }
}

TEST(BinaryInt32, Wraps) {
  const int32_t a[] = {INT32_MAX, 3, -4};
  const int32_t b[] = {1, 5, 6};
  int32_t output[3];
  for (const auto& variant : kBinaryInt32) {
    BinaryArgs<int32_t> args = {BinaryFunction::kAdd, a, b, output, 1, 1, INT32_MIN, INT32_MAX, nullptr};
    variant.run(args, 0, 3);
    EXPECT_EQ(std::vector<int32_t>(output, output + 3), (std::vector<int32_t>{INT32_MIN, 8, 2}));
    args.function = BinaryFunction::kMul;
    variant.run(args, 0, 3);
    EXPECT_EQ(std::vector<int32_t>(output, output + 3), (std::vector<int32_t>{INT32_MAX, 15, -24}));
  }
}

}  // namespace
}  // namespace lutra
