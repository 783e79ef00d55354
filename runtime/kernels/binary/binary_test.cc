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
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/sizes.h"

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

BinaryQuantization QuantizationOf(const Problem& p, Function function) {
  return function == Function::kMul ? Product(p) : Sum(p);
}

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

// Tries all pairs of codes, in place of the first input.
template <typename Kernel>
void ExpectExactForAllPairs(const Kernel& run, Function function) {
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
    const BinaryQuantization q = QuantizationOf(problem, function);
    std::vector<int8_t> output = a;
    run({output.data(), b.data(), output.data(), 1, 1, &q, 0, 0}, 0, count);
    for (int32_t i = 0; i < count; ++i) {
      ASSERT_EQ(output[i], Expected(function, q, a[i], b[i])) << int{a[i]} << ", " << int{b[i]};
    }
  }
}

template <typename Kernel>
void ExpectARepeatedInputAndNothingOutside(const Kernel& run, Function function) {
  const BinaryQuantization q = QuantizationOf(kProblems[1], function);
  for (const int32_t count : NetworkSizes(4096)) {
    std::vector<int8_t> codes(static_cast<size_t>(count) + 2);
    FillBytes(3, count + 2, codes.data());
    const int8_t repeated = 45;
    for (const bool repeats_a : {false, true}) {
      std::vector<int8_t> output(codes.size(), 99);
      const int8_t* a = repeats_a ? &repeated : codes.data();
      const int8_t* b = repeats_a ? codes.data() : &repeated;
      run({a, b, output.data(), repeats_a ? 0 : 1, repeats_a ? 1 : 0, &q, 0, 0}, 1, count);
      EXPECT_EQ(output.front(), 99);
      EXPECT_EQ(output.back(), 99);
      for (int32_t i = 1; i <= count; ++i) {
        ASSERT_EQ(output[i],
                  Expected(function, q, repeats_a ? repeated : codes[i], repeats_a ? codes[i] : repeated));
      }
    }
  }
}

// A value of TFLite's reference kernels.
template <typename Kernel>
void ExpectTheRecordedValue(const Kernel& run, Function function, int8_t expected) {
  const Problem problem = {0.1f, -1, 0.30000001192092896f, 4, 0.699999988079071f, 2};
  const int8_t a = 5;
  const int8_t b = 9;
  int8_t output = 0;
  const BinaryQuantization q = QuantizationOf(problem, function);
  run({&a, &b, &output, 1, 1, &q, 0, 0}, 0, 1);
  EXPECT_EQ(output, expected);
}

class AddInt8 : public KernelTest<BinaryFn> {};
TEST_P(AddInt8, IsExactForAllPairsOfCodes) { ExpectExactForAllPairs(kernel(), Function::kAdd); }
TEST_P(AddInt8, RepeatsAnInput) { ExpectARepeatedInputAndNothingOutside(kernel(), Function::kAdd); }
TEST_P(AddInt8, GivesTheRecordedValue) { ExpectTheRecordedValue(kernel(), Function::kAdd, 5); }
LUTRA_TEST_TABLE(AddInt8, kAddInt8);

class SubInt8 : public KernelTest<BinaryFn> {};
TEST_P(SubInt8, IsExactForAllPairsOfCodes) { ExpectExactForAllPairs(kernel(), Function::kSub); }
TEST_P(SubInt8, RepeatsAnInput) { ExpectARepeatedInputAndNothingOutside(kernel(), Function::kSub); }
TEST_P(SubInt8, GivesTheRecordedValue) { ExpectTheRecordedValue(kernel(), Function::kSub, 1); }
LUTRA_TEST_TABLE(SubInt8, kSubInt8);

class MulInt8 : public KernelTest<BinaryFn> {};
TEST_P(MulInt8, IsExactForAllPairsOfCodes) { ExpectExactForAllPairs(kernel(), Function::kMul); }
TEST_P(MulInt8, RepeatsAnInput) { ExpectARepeatedInputAndNothingOutside(kernel(), Function::kMul); }
TEST_P(MulInt8, GivesTheRecordedValue) { ExpectTheRecordedValue(kernel(), Function::kMul, 3); }
LUTRA_TEST_TABLE(MulInt8, kMulInt8);

// A kernel of which a pattern of inputs is repeated up to each size: every element is that of the pattern.
template <typename Element, typename Kernel>
void ExpectPattern(const Kernel& run, BinaryArgs args, const std::vector<Element>& a,
                   const std::vector<Element>& b, const std::vector<Element>& expected) {
  for (const int32_t count : NetworkSizes(1024)) {
    std::vector<Element> long_a, long_b, output(count + 2, Element{77});
    std::vector<Element> right = {Element{77}};
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      long_a.push_back(a[i % a.size()]);
      long_b.push_back(b[i % b.size()]);
      right.push_back(expected[i % expected.size()]);
    }
    right.push_back(Element{77});
    args.a = long_a.data();
    args.b = long_b.data();
    args.output = output.data() + 1;
    args.a_step = args.b_step = 1;
    run(args, 0, count);
    EXPECT_EQ(output, right);
  }
}

// A quotient of codes, to the nearest: both signs, and a divisor below its zero point.
class DivInt8 : public KernelTest<BinaryFn> {};
TEST_P(DivInt8, Divides) {
  const BinaryQuantization q = {{}, {}, QuantizeMultiplier(100.0), 0, -10, 1, -128, 127};
  // Less the zero point, the divisors are 8, 8, -100, 100 and 130.
  ExpectPattern<int8_t>(kernel(), {.quantization = &q}, {10, -10, 100, 0, 7}, {-2, -2, -110, 90, 120},
                        {126, -124, -99, 1, 6});
}
LUTRA_TEST_TABLE(DivInt8, kDivInt8);

class SquaredDifferenceInt8 : public KernelTest<BinaryFn> {};
TEST_P(SquaredDifferenceInt8, SquaresTheDifference) {
  // Scales 0.5, 0.5 and 1: ((a - b) / 2)^2.
  const BinaryQuantization q = {{1 << 30, 0}, {1 << 30, 0}, QuantizeMultiplier(1.0 / (1 << 14)), 3, 3, -7,
                                -128,         127};
  ExpectPattern<int8_t>(kernel(), {.quantization = &q}, {10, 10, -20, 5}, {10, 6, 20, 8}, {-7, -3, 127, -5});
}
LUTRA_TEST_TABLE(SquaredDifferenceInt8, kSquaredDifferenceInt8);

class BinaryFloat : public KernelTest<BinaryFn> {
 protected:
  void ExpectClamped(const std::vector<float>& expected) {
    ExpectPattern<float>(kernel(), {.float_min = -6, .float_max = 6}, {1, -2, 30, 4}, {0.5f, 0.5f, 2, -4},
                         expected);
  }
};
class AddFloat : public BinaryFloat {};
TEST_P(AddFloat, AddsAndClamps) { ExpectClamped({1.5f, -1.5f, 6, 0}); }
LUTRA_TEST_TABLE(AddFloat, kAddFloat);
class SubFloat : public BinaryFloat {};
TEST_P(SubFloat, SubtractsAndClamps) { ExpectClamped({0.5f, -2.5f, 6, 6}); }
LUTRA_TEST_TABLE(SubFloat, kSubFloat);
class MulFloat : public BinaryFloat {};
TEST_P(MulFloat, MultipliesAndClamps) { ExpectClamped({0.5f, -1, 6, -6}); }
LUTRA_TEST_TABLE(MulFloat, kMulFloat);
class DivFloat : public BinaryFloat {};
TEST_P(DivFloat, DividesAndClamps) { ExpectClamped({2, -4, 6, -1}); }
LUTRA_TEST_TABLE(DivFloat, kDivFloat);
class SquaredDifferenceFloat : public BinaryFloat {};
TEST_P(SquaredDifferenceFloat, SquaresAndClamps) { ExpectClamped({0.25f, 6, 6, 6}); }
LUTRA_TEST_TABLE(SquaredDifferenceFloat, kSquaredDifferenceFloat);

class BinaryInt32 : public KernelTest<BinaryFn> {
 protected:
  void ExpectWrapped(const std::vector<int32_t>& expected) {
    ExpectPattern<int32_t>(kernel(), {}, {INT32_MAX, 3, -4}, {1, 5, 6}, expected);
  }
};
class AddInt32 : public BinaryInt32 {};
TEST_P(AddInt32, Wraps) { ExpectWrapped({INT32_MIN, 8, 2}); }
LUTRA_TEST_TABLE(AddInt32, kAddInt32);
class SubInt32 : public BinaryInt32 {};
TEST_P(SubInt32, Wraps) { ExpectWrapped({INT32_MAX - 1, -2, -10}); }
LUTRA_TEST_TABLE(SubInt32, kSubInt32);
class MulInt32 : public BinaryInt32 {};
TEST_P(MulInt32, Wraps) { ExpectWrapped({INT32_MAX, 15, -24}); }
LUTRA_TEST_TABLE(MulInt32, kMulInt32);

}  // namespace
}  // namespace lutra
