// SPDX-License-Identifier: Apache-2.0
// Every variant against the rules worked out in wide integers, with repeated inputs, in place, and at the
// edges of memory.

#include "lutra/kernels/binary/binary.h"

#include <gtest/gtest.h>
#include <math.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/binary/binary_guarded.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sanitized.h"
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

constexpr int kCodes = 256;

// Scales as in real layers, and awkward ones: equal, in ratios of powers of two and of small integers (ties),
// far apart, and outputs that saturate or hardly change.
std::vector<Problem> ManyProblems() {
  std::vector<Problem> problems(std::begin(kProblems), std::end(kProblems));
  std::mt19937 random(5);
  const auto scale = [&] { return std::exp2(-8.0f + 6.0f * static_cast<float>(random() % 1000) / 1000.0f); };
  const auto zero_point = [&] {
    return random() % 3 == 0 ? -128 : static_cast<int32_t>(random() % kCodes) - 128;
  };
  const float ratios[] = {1.0f, 0.5f, 4.0f, 3.0f, 0.75f, 0x1p-9f, 0x1p-14f, 0.001f, 1.5f};
  for (int i = 0; i < 72; ++i) {
    Problem p = {scale(), zero_point(), scale(), zero_point(), scale(), zero_point()};
    if (i % 2 == 0) p.b_scale = p.a_scale * ratios[i / 2 % std::size(ratios)];
    if (i % 4 == 0) p.out_scale = p.a_scale * ratios[i % std::size(ratios)];
    if (i % 7 == 0) std::swap(p.a_scale, p.b_scale);
    problems.push_back(p);
  }
  return problems;
}

BinaryQuantization QuantizationOf(const Problem& p, Function function) {
  return function == Function::kMul ? Product(p) : Sum(p);
}

// Returns the number that the rule computes from an input before the last multiplication.
int32_t ScaledInput(Function function, int32_t x, Multiplier multiplier) {
  return function == Function::kMul ? x : MultiplyByQuantizedMultiplier(x * (1 << 20), multiplier);
}

int32_t Combined(Function function, int32_t a, int32_t b) {
  return function == Function::kMul ? a * b : function == Function::kAdd ? a + b : a - b;
}

int8_t Finished(const BinaryQuantization& q, int32_t combined) {
  const int64_t code = int64_t{MultiplyByQuantizedMultiplier(combined, q.out_multiplier)} + q.out_zero_point;
  return static_cast<int8_t>(std::clamp<int64_t>(code, q.min, q.max));
}

int8_t Expected(Function function, const BinaryQuantization& q, int8_t a, int8_t b) {
  return Finished(q, Combined(function, ScaledInput(function, a - q.a_zero_point, q.a_multiplier),
                              ScaledInput(function, b - q.b_zero_point, q.b_multiplier)));
}

// All pairs of codes.
struct Pairs {
  std::vector<int8_t> a, b;
};

Pairs AllPairs() {
  Pairs pairs;
  for (int i = 0; i < kCodes * kCodes; ++i) {
    pairs.a.push_back(static_cast<int8_t>(i / kCodes - 128));
    pairs.b.push_back(static_cast<int8_t>(i % kCodes - 128));
  }
  return pairs;
}

std::vector<int8_t> ExpectedOfAllPairs(Function function, const BinaryQuantization& q) {
  std::vector<int8_t> expected(kCodes * kCodes);
  int32_t b[kCodes];
  for (int k = 0; k < kCodes; ++k) {
    b[k] = ScaledInput(function, k - 128 - q.b_zero_point, q.b_multiplier);
  }
  for (int i = 0; i < kCodes; ++i) {
    const int32_t a = ScaledInput(function, i - 128 - q.a_zero_point, q.a_multiplier);
    for (int k = 0; k < kCodes; ++k) expected[i * kCodes + k] = Finished(q, Combined(function, a, b[k]));
  }
  return expected;
}

struct SolvedProblem {
  std::string text;
  BinaryQuantization quantization;
  std::vector<int8_t> expected;
};

// Solved once for all variants.
template <Function kFunction>
const std::vector<SolvedProblem>& SolvedProblems() {
  static const std::vector<SolvedProblem> solved = [] {
    std::vector<SolvedProblem> result;
    std::mt19937 random(1);
    for (const Problem& p : ManyProblems()) {
      BinaryQuantization q = QuantizationOf(p, kFunction);
      if (kSanitized && random() % 4 != 0) continue;
      if (result.size() % 3 == 1 && q.out_zero_point < q.max) q.min = q.out_zero_point;
      std::ostringstream text;
      text << p.a_scale << " " << p.a_zero_point << ", " << p.b_scale << " " << p.b_zero_point << " to "
           << p.out_scale << " " << p.out_zero_point;
      result.push_back({text.str(), q, ExpectedOfAllPairs(kFunction, q)});
    }
    return result;
  }();
  return solved;
}

// Tries all pairs of codes, in place over the first input and over the second.
template <Function kFunction, typename Kernel>
void ExpectExactForAllPairs(const Kernel& run) {
  const Pairs pairs = AllPairs();
  bool in_place_of_a = false;
  for (const SolvedProblem& problem : SolvedProblems<kFunction>()) {
    in_place_of_a = !in_place_of_a;
    std::vector<int8_t> output = in_place_of_a ? pairs.a : pairs.b;
    const int8_t* const a = in_place_of_a ? output.data() : pairs.a.data();
    const int8_t* const b = in_place_of_a ? pairs.b.data() : output.data();
    run({a, b, output.data(), 1, 1, &problem.quantization, 0, 0}, 0, kCodes * kCodes);
    if (output == problem.expected) continue;
    for (size_t i = 0; i < output.size(); ++i) {
      ASSERT_EQ(output[i], problem.expected[i])
          << int{pairs.a[i]} << ", " << int{pairs.b[i]} << " of " << problem.text;
    }
  }
}

// Nothing beyond the elements is read or written, for any number of elements.
template <typename Kernel>
void ExpectNothingTouchedOutside(const Kernel& run, Function function) {
  const BinaryQuantization q = QuantizationOf(kProblems[2], function);
  for (int32_t count = 1; count <= 200; count += kSanitized ? 7 : 1) {
    const auto bytes = static_cast<size_t>(count);
    for (const PageEdge::Side side : {PageEdge::kBegin, PageEdge::kEnd}) {
      const PageEdge a(bytes, side), b(bytes, side), output(bytes, side);
      FillBytes(static_cast<uint32_t>(count), count, a.data());
      FillBytes(7, count, b.data());
      run({a.data(), b.data(), output.data(), 1, 1, &q, 0, 0}, 0, count);
      for (int32_t i = 0; i < count; ++i) {
        ASSERT_EQ(static_cast<int8_t>(output.data()[i]),
                  Expected(function, q, static_cast<int8_t>(a.data()[i]), static_cast<int8_t>(b.data()[i])))
            << i << " of " << count;
      }
    }
  }
}

template <typename Kernel>
void ExpectARepeatedInputAndNothingOutside(const Kernel& run, Function function) {
  const BinaryQuantization q = QuantizationOf(kProblems[1], function);
  for (const int32_t count : NetworkSizes(kSanitized ? 512 : 4096)) {
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

// Expects an output of TFLite's reference kernels.
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
TEST_P(AddInt8, IsExactForAllPairsOfCodes) { ExpectExactForAllPairs<Function::kAdd>(kernel()); }
TEST_P(AddInt8, TouchesNothingOutside) { ExpectNothingTouchedOutside(kernel(), Function::kAdd); }
TEST_P(AddInt8, RepeatsAnInput) { ExpectARepeatedInputAndNothingOutside(kernel(), Function::kAdd); }
TEST_P(AddInt8, GivesTheRecordedValue) { ExpectTheRecordedValue(kernel(), Function::kAdd, 5); }
LUTRA_TEST_TABLE(AddInt8, kAddInt8);

class SubInt8 : public KernelTest<BinaryFn> {};
TEST_P(SubInt8, IsExactForAllPairsOfCodes) { ExpectExactForAllPairs<Function::kSub>(kernel()); }
TEST_P(SubInt8, TouchesNothingOutside) { ExpectNothingTouchedOutside(kernel(), Function::kSub); }
TEST_P(SubInt8, RepeatsAnInput) { ExpectARepeatedInputAndNothingOutside(kernel(), Function::kSub); }
TEST_P(SubInt8, GivesTheRecordedValue) { ExpectTheRecordedValue(kernel(), Function::kSub, 1); }
LUTRA_TEST_TABLE(SubInt8, kSubInt8);

class MulInt8 : public KernelTest<BinaryFn> {};
TEST_P(MulInt8, IsExactForAllPairsOfCodes) { ExpectExactForAllPairs<Function::kMul>(kernel()); }
TEST_P(MulInt8, TouchesNothingOutside) { ExpectNothingTouchedOutside(kernel(), Function::kMul); }
TEST_P(MulInt8, RepeatsAnInput) { ExpectARepeatedInputAndNothingOutside(kernel(), Function::kMul); }
TEST_P(MulInt8, GivesTheRecordedValue) { ExpectTheRecordedValue(kernel(), Function::kMul, 3); }
LUTRA_TEST_TABLE(MulInt8, kMulInt8);

// The proofs use these bounds, which are tried for many pairs of codes: how far a float is from the exact
// number.
struct Bound {
  double worst = 0;  // The largest distance, as a part of the bound.
  int64_t forms = 0;
  int64_t pairs = 0;
  int64_t in_doubt = 0;
};

long double RealFactor(Multiplier m) { return ldexpl(m.value, m.shift - 31); }

float FloatUnits(const RoundedSum& sum, int32_t a, int32_t b, bool is_fused) {
  const auto x = static_cast<float>(a);
  const auto y = static_cast<float>(b);
  if (is_fused) return fmaf(x, sum.a_scale, fmaf(y, sum.b_scale, sum.start));
  const float inner = y * sum.b_scale;
  const float outer = x * sum.a_scale;
  const float sum_of_both = inner + sum.start;
  return outer + sum_of_both;
}

void CheckBound(const BinaryQuantization& q, int32_t sign, bool is_fused, Bound* bound) {
  RoundedSum sum;
  if (!ComputeRoundedSum(q, sign, is_fused, &sum)) return;
  ++bound->forms;
  const int32_t width = sum.exact_check_threshold / 2;
  const Function function = sign > 0 ? Function::kAdd : Function::kSub;
  for (int i = -128; i < 128; i += 5) {
    const int32_t a = ScaledInput(function, i - q.a_zero_point, q.a_multiplier);
    for (int k = -128; k < 128; ++k) {
      const int32_t b = ScaledInput(function, k - q.b_zero_point, q.b_multiplier);
      const int32_t combined = Combined(function, a, b);
      long double nudge = 0;
#ifndef LUTRA_SINGLE_ROUNDING
      if (q.out_multiplier.shift < 0 && q.out_multiplier.value != 0)
        nudge = ldexpl(1, q.out_multiplier.shift - 1);
#endif
      const long double real =
          combined * RealFactor(q.out_multiplier) + q.out_zero_point + 0.5L + (combined < 0 ? -nudge : nudge);
      const auto units = static_cast<int32_t>(nearbyintf(FloatUnits(sum, i, k, is_fused)));
      const auto distance = static_cast<double>(fabsl(units - real * 65536 - width));
      ASSERT_LE(distance, width) << i << ", " << k;
      bound->worst = std::max(bound->worst, distance / width);
      ++bound->pairs;
      if ((units & 0xFFFF) < 2 * width) ++bound->in_doubt;
    }
  }
}

TEST(GuardedSums, AreWithinTheirWidth) {
  Bound bound;
  for (const Problem& problem : ManyProblems()) {
    for (const bool is_fused : {true, false}) {
      CheckBound(Sum(problem), 1, is_fused, &bound);
      CheckBound(Sum(problem), -1, is_fused, &bound);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(bound.worst, 0.5) << "the bound is not what is tested";
  RecordProperty("worst", std::to_string(bound.worst));
}

TEST(GuardedSums, AreSeldomInDoubt) {
  std::mt19937 random(6);
  Bound bound;
  for (int i = 0; i < 20; ++i) {
    const auto scale = [&] { return 0.01f + 1e-5f * static_cast<float>(random() % 2000); };
    CheckBound(Sum({scale(), -128, scale(), 5, scale(), -3}), 1, true, &bound);
  }
  EXPECT_EQ(bound.forms, 20);
  EXPECT_LT(static_cast<double>(bound.in_doubt), 0.0005 * static_cast<double>(bound.pairs));
}

TEST(GuardedSums, AreRefusedWhereNoTheoremHolds) {
  RoundedSum sum;
  ExactSum exact;
  BinaryQuantization q = Sum(kProblems[1]);
  EXPECT_TRUE(ComputeRoundedSum(q, 1, true, &sum));
  EXPECT_FALSE(ComputeExactSum(q, 1, true, &exact)) << "the rule rounds an input";
  q.out_multiplier.shift = -3;
  EXPECT_FALSE(ComputeRoundedSum(q, 1, true, &sum)) << "w would leave int32";
  q = Sum({0.25f, 7, 0.125f, -20, 0.5f, 3});
  EXPECT_TRUE(ComputeExactSum(q, 1, true, &exact));
  q.b_multiplier.shift = -19;
  EXPECT_FALSE(ComputeExactSum(q, 1, true, &exact)) << "a sum is no float32";
  q.b_multiplier.shift = 1;
  EXPECT_FALSE(ComputeExactSum(q, 1, true, &exact));
  EXPECT_FALSE(ComputeRoundedSum(q, 1, true, &sum));
}

#if LUTRA_HAVE_X86
// A proof over all pairs of codes finds that many sums need no guard. IsExactForAllPairsOfCodes shows that
// the proof is right.
TEST(PreparedSums, OftenNeedNoGuard) {
  for (const Variant<BinaryFn>& variant : kAddInt8) {
    if (variant.prepare == nullptr || !CanRun(variant, CpuFeaturesHere())) continue;
    SCOPED_TRACE(variant.name);
    std::mt19937 random(6);
    const auto scale = [&] { return 0.01f + 1e-5f * static_cast<float>(random() % 2000); };
    int32_t proved = 0;
    for (int i = 0; i < 20; ++i) {
      const BinaryQuantization q = Sum({scale(), -128, scale(), 5, scale(), -3});
      BinaryArgs args = {};
      args.quantization = &q;
      PreparedSum sum = {};
      ASSERT_EQ(variant.prepare(args, nullptr), static_cast<int32_t>(sizeof(sum)));
      ASSERT_EQ(variant.prepare(args, &sum), static_cast<int32_t>(sizeof(sum)));
      EXPECT_FALSE(sum.is_exact);
      proved += sum.is_proved ? 1 : 0;
    }
    EXPECT_GE(proved, 10);
    const BinaryQuantization exact = Sum({0.25f, 7, 0.125f, -20, 0.5f, 3});
    BinaryArgs args = {};
    args.quantization = &exact;
    PreparedSum sum = {};
    variant.prepare(args, &sum);
    EXPECT_TRUE(sum.is_exact);
    BinaryQuantization none = exact;
    none.b_multiplier.shift = 1;
    args.quantization = &none;
    EXPECT_EQ(variant.prepare(args, nullptr), 0) << "no theorem holds";
  }
}
#endif

// Repeats a pattern of inputs up to each size: every output must be that of the pattern.
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

// Quotients of codes, to nearest: both signs, and a divisor below its zero point.
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
TEST_P(SquaredDifferenceInt8, EqualsTheReferenceAtPageEdges) {
  for (const PageEdge::Side side : kPageEdges) {
    uint32_t seed = 0;
    for (const int32_t count : EdgeSizes()) {
      const FilledEdge a(++seed, count, side), b(seed + 1, count, side);
      const FilledEdge output(1, count, side), right(2, count, side);
      const auto shift = static_cast<int32_t>(seed % 32);
      // Prepare makes such multipliers: those of the inputs are at most a half, that of the output is small.
      const BinaryQuantization q = {{(1 << 30) + static_cast<int32_t>(seed * 100003), -1 - shift % 31},
                                    {INT32_MAX, -1},
                                    {INT32_MAX - static_cast<int32_t>(seed * 1003), shift - 25},
                                    static_cast<int8_t>(seed * 7),
                                    static_cast<int8_t>(seed * 3),
                                    static_cast<int8_t>(seed * 5),
                                    static_cast<int8_t>(seed % 2 == 0 ? -128 : -50),
                                    static_cast<int8_t>(seed % 3 == 0 ? 127 : 50)};
      const int32_t a_step = seed % 5 != 0 ? 1 : 0, b_step = seed % 7 != 0 ? 1 : 0;
      const int32_t first = count % 2 == 0 ? 0 : 4000;
      const uint8_t *const x = BeforeElement(a.data(), first, a_step), *const y = BeforeElement(
                                                                           b.data(), first, b_step);
      Run({x, y, BeforeElement(output.data(), first), a_step, b_step, &q, 0, 0}, first, count);
      RunReference({x, y, BeforeElement(right.data(), first), a_step, b_step, &q, 0, 0}, first, count);
      ASSERT_EQ(output.Bytes(count), right.Bytes(count)) << count;
    }
  }
}
LUTRA_TEST_TABLE(SquaredDifferenceInt8, kSquaredDifferenceInt8);

struct FloatPair {
  float a, b, expected;
};

class BinaryFloat : public KernelTest<BinaryFn> {
 protected:
  // Compares values and their signs. All NaNs are equal.
  void ExpectValues(const std::vector<FloatPair>& pairs) {
    for (const FloatPair& p : pairs) {
      float output = 99;
      Run({&p.a, &p.b, &output, 1, 1, nullptr, -INFINITY, INFINITY}, 0, 1);
      if (std::isnan(p.expected)) {
        EXPECT_TRUE(std::isnan(output)) << p.a << ", " << p.b;
      } else {
        EXPECT_EQ(output, p.expected) << p.a << ", " << p.b;
        EXPECT_EQ(std::signbit(output), std::signbit(p.expected)) << p.a << ", " << p.b;
      }
    }
  }

  void ExpectClamped(const std::vector<float>& expected) {
    ExpectPattern<float>(kernel(), {.float_min = -6, .float_max = 6}, {1, -2, 30, 4}, {0.5f, 0.5f, 2, -4},
                         expected);
  }

  // Inputs are any bits, among them infinities, both zeros and NaNs.
  void ExpectReferenceAtPageEdges() {
    constexpr float kSpecial[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3e38f};
    std::mt19937 random(7);
    const auto fill = [&](const PageEdge& edge, int32_t count, size_t specials) {
      for (int32_t i = 0; i < count; ++i) {
        const float value =
            random() % 4 == 0 ? kSpecial[random() % specials] : static_cast<float>(random() % 2001) / 128 - 7;
        std::memcpy(edge.data() + 4 * i, &value, sizeof value);
      }
    };
    for (const PageEdge::Side side : kPageEdges) {
      for (int32_t count = 0; count <= 40; ++count) {
        const auto bytes = static_cast<size_t>(4 * count);
        const PageEdge a(std::max<size_t>(bytes, 4), side), b(std::max<size_t>(bytes, 4), side);
        fill(a, std::max(count, 1), std::size(kSpecial));
        fill(b, std::max(count, 1), 4);
        const FilledEdge output(1, 4 * count, side), right(2, 4 * count, side);
        const int32_t a_step = count % 5 != 0 ? 1 : 0, b_step = count % 7 != 0 ? 1 : 0;
        const float min = count % 3 == 0 ? -0.0f : -6, max = count % 2 == 0 ? INFINITY : 6;
        Run({a.data(), b.data(), output.data(), a_step, b_step, nullptr, min, max}, 0, count);
        RunReference({a.data(), b.data(), right.data(), a_step, b_step, nullptr, min, max}, 0, count);
        ASSERT_EQ(output.Bytes(4 * count), right.Bytes(4 * count)) << count;
      }
    }
  }
};
class AddFloat : public BinaryFloat {};
TEST_P(AddFloat, AddsAndClamps) { ExpectClamped({1.5f, -1.5f, 6, 0}); }
TEST_P(AddFloat, EqualsTheReferenceAtPageEdges) { ExpectReferenceAtPageEdges(); }
LUTRA_TEST_TABLE(AddFloat, kAddFloat);
class SubFloat : public BinaryFloat {};
TEST_P(SubFloat, SubtractsAndClamps) { ExpectClamped({0.5f, -2.5f, 6, 6}); }
TEST_P(SubFloat, EqualsTheReferenceAtPageEdges) { ExpectReferenceAtPageEdges(); }
LUTRA_TEST_TABLE(SubFloat, kSubFloat);
class MulFloat : public BinaryFloat {};
TEST_P(MulFloat, MultipliesAndClamps) { ExpectClamped({0.5f, -1, 6, -6}); }
TEST_P(MulFloat, EqualsTheReferenceAtPageEdges) { ExpectReferenceAtPageEdges(); }
LUTRA_TEST_TABLE(MulFloat, kMulFloat);
class DivFloat : public BinaryFloat {};
TEST_P(DivFloat, DividesAndClamps) { ExpectClamped({2, -4, 6, -1}); }
TEST_P(DivFloat, EqualsTheReferenceAtPageEdges) { ExpectReferenceAtPageEdges(); }
LUTRA_TEST_TABLE(DivFloat, kDivFloat);
class SquaredDifferenceFloat : public BinaryFloat {};
TEST_P(SquaredDifferenceFloat, SquaresAndClamps) { ExpectClamped({0.25f, 6, 6, 6}); }
TEST_P(SquaredDifferenceFloat, EqualsTheReferenceAtPageEdges) { ExpectReferenceAtPageEdges(); }
LUTRA_TEST_TABLE(SquaredDifferenceFloat, kSquaredDifferenceFloat);

class FloorDivFloat : public BinaryFloat {};
TEST_P(FloorDivFloat, FloorsAndClamps) { ExpectClamped({2, -4, 6, -1}); }
TEST_P(FloorDivFloat, EqualsTheReferenceAtPageEdges) { ExpectReferenceAtPageEdges(); }
// The quotient is taken in double: 1 / 0.1f is 9.99..., which float32 rounds to 10.
TEST_P(FloorDivFloat, FloorsTheQuotientInDouble) {
  ExpectValues({{7, 2, 3},
                {-7, 2, -4},
                {7, -2, -4},
                {-7, -2, 3},
                {6, -3, -2},
                {5, -0.3f, -17},
                {1e-30f, 3, 0},
                {-1e-30f, 3, -1},
                {1, 0.1f, 9},
                {-0.0f, 3, -0.0f},
                {0, -3, -0.0f},
                {1, INFINITY, 0},
                {-1, INFINITY, -0.0f},
                {INFINITY, -2, -INFINITY},
                {INFINITY, INFINITY, NAN},
                {3e38f, 1e-3f, INFINITY},
                {NAN, 2, NAN}});
}
LUTRA_TEST_TABLE(FloorDivFloat, kFloorDivFloat);

class FloorModFloat : public BinaryFloat {};
TEST_P(FloorModFloat, EqualsTheReferenceAtPageEdges) { ExpectReferenceAtPageEdges(); }
TEST_P(FloorModFloat, HasTheSignOfTheDivisor) {
  ExpectValues({{7, 3, 1},
                {-7, 3, 2},
                {7, -3, -2},
                {-7, -3, -1},
                {6, -3, 0},
                {-6, 3, -0.0f},
                {-0.0f, 3, -0.0f},
                {5.5f, 2, 1.5f},
                {-1e-30f, 3, 3},
                {5, 0, NAN},
                {5, -0.0f, NAN},
                {5, INFINITY, 5},
                {5, -INFINITY, -INFINITY},
                {-5, INFINITY, INFINITY},
                {INFINITY, 5, NAN},
                {5, NAN, NAN}});
}
LUTRA_TEST_TABLE(FloorModFloat, kFloorModFloat);

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
class DivInt32 : public BinaryInt32 {};
TEST_P(DivInt32, DropsTheFraction) {
  ExpectPattern<int32_t>(kernel(), {}, {INT32_MIN, 7, -7, 7, INT32_MIN, 5}, {1, 2, 2, -8, -1, 0},
                         {INT32_MIN, 3, -3, 0, INT32_MIN, 0});
}
LUTRA_TEST_TABLE(DivInt32, kDivInt32);
class SquaredDifferenceInt32 : public BinaryInt32 {};
TEST_P(SquaredDifferenceInt32, Wraps) { ExpectWrapped({4, 4, 100}); }
LUTRA_TEST_TABLE(SquaredDifferenceInt32, kSquaredDifferenceInt32);

}  // namespace
}  // namespace lutra
