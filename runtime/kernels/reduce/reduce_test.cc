// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula over the elements of each output.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/reduce/reduce_cases.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

constexpr int kGuard = 90;
constexpr size_t kGuards = 16;

template <typename Element>
std::vector<Element> RandomInput(int32_t count) {
  std::vector<int8_t> codes(count);
  FillBytes(3, count, codes.data());
  std::vector<Element> values;
  for (const int8_t code : codes) values.push_back(static_cast<Element>(code));
  return values;
}

// Returns the elements of each output.
template <typename Element>
std::vector<std::vector<double>> Groups(const ReduceCase& c, const std::vector<Element>& input) {
  std::vector<std::vector<double>> groups(OutputCount(c));
  for (int32_t at = 0; at < static_cast<int32_t>(input.size()); ++at) {
    int32_t group = 0;
    int32_t below = static_cast<int32_t>(input.size());
    for (int32_t i = 0; i < c.rank; ++i) {
      below /= c.dims[i];
      if (!IsReduced(c, i)) group = group * c.dims[i] + at / below % c.dims[i];
    }
    groups[group].push_back(input[at]);
  }
  return groups;
}

double Sum(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

std::vector<ReduceCase> Cases() {
  std::vector<ReduceCase> cases(std::begin(kReduceCases), std::end(kReduceCases));
  for (const int32_t size : NetworkSizes(1024)) {
    cases.push_back({"last of a network", 2, {2, size}, false});
    cases.push_back({"first of a network", 2, {3, size}, true});
  }
  return cases;
}

template <typename Element, typename Kernel, typename Finish>
void Check(const Kernel& run, ReduceArgs args, const Finish& finish) {
  for (const ReduceCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    std::vector<Element> input = RandomInput<Element>(ElementCount(c));
    if (c.lowest) std::fill(input.begin(), input.end(), Element{-128});
    std::vector<Element> right(kGuards, Element{kGuard});
    for (const auto& group : Groups(c, input)) right.push_back(static_cast<Element>(finish(group)));
    right.insert(right.end(), kGuards, Element{kGuard});
    ReduceDim dims[2 * kMaxReduceRank];
    args.shape = ReduceShapeOf(c, dims);
    args.input = input.data();
    std::vector<Element> output(right.size(), Element{kGuard});
    args.output = output.data() + kGuards;
    run(args);
    EXPECT_EQ(output, right);
  }
}

// Compares with the reference at the ends of pages: few and many elements of either kind, multipliers of all
// shifts, and elements few of which fit a sum of 16 bits.
template <typename Test>
void ExpectTheReferenceAtPageEdges(const Test& test) {
  std::vector<ReduceCase> cases = Cases();
  for (const int32_t size : EdgeSizes()) {
    cases.push_back({"reduced", 2, {size % 3 + 1, size}, false});
    cases.push_back({"kept", 2, {size % 5 + 1, size}, true});
    cases.push_back({"reduced about it", 3, {3, size, 2}, true});
  }
  for (const int32_t size : {256, 257, 258, 259, 513, 1030, 1031}) {
    cases.push_back({"many", 2, {size, 17}, true});
  }
  for (const PageEdge::Side side : kPageEdges) {
    uint32_t seed = 0;
    for (const ReduceCase& c : cases) {
      SCOPED_TRACE(c.name);
      const int32_t count = OutputCount(c);
      const FilledEdge input(++seed, ElementCount(c), side), output(1, count, side), right(2, count, side);
      const bool same = seed % 4 == 0 || c.dims[0] > 250;
      if (same) std::fill_n(input.data(), ElementCount(c), seed % 2 == 0 ? 0x80 : 0x7F);
      ReduceDim dims[2 * kMaxReduceRank];
      ReduceArgs args = {};
      args.shape = ReduceShapeOf(c, dims);
      args.input = input.data();
      args.sum_offset = static_cast<int32_t>(seed % 256) - 128;
      args.multiplier = {static_cast<int32_t>((1u << 30) + seed * 7654321u % (1u << 30)),
                         static_cast<int32_t>(seed % 40) - 31};
      if (seed % 32 == 0) args.multiplier = {0, 0};
      // This multiplier makes sums of so many elements fit the codes.
      if (c.dims[0] > 250) args.multiplier = {1 << 30, -8};
      args.output_offset = static_cast<int32_t>(seed * 3 % 256) - 128;
      args.output = output.data();
      test.Run(args);
      args.output = right.data();
      test.RunReference(args);
      ASSERT_EQ(output.Bytes(count), right.Bytes(count)) << c.dims[0] << ", " << c.dims[1];
    }
  }
}

double Max(const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }
double Min(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }

class ReduceSumInt8 : public KernelTest<ReduceFn> {};

TEST_P(ReduceSumInt8, ScalesAndClampsTheSum) {
  ReduceArgs args = {};
  args.sum_offset = 75;
  args.multiplier = {3 << 29, -2};  // 0.1875
  args.output_offset = -11;
  Check<int8_t>(kernel(), args, [](const std::vector<double>& group) {
#ifdef LUTRA_SINGLE_ROUNDING
    const double scaled = std::floor((Sum(group) + 75) * 0.1875 + 0.5);
#else
    // Ties are rounded up, then away from zero.
    const double scaled = std::round(std::floor((Sum(group) + 75) * 0.75 + 0.5) / 4);
#endif
    return std::clamp(scaled - 11, -128.0, 127.0);
  });
}

TEST_P(ReduceSumInt8, GivesTheSumsOfTheSpecification) {
#ifdef LUTRA_SINGLE_ROUNDING
  GTEST_SKIP() << "the sums are those of double rounding";
#endif
  const struct {
    double scale;
    int32_t input_zero_point;
    int32_t output_zero_point;
    std::vector<int8_t> values;
    int8_t sum;
  } vectors[] = {
      {1.0, 0, 0, {1, 2}, 3},
      {0.5 / 0.25, -128, -128, {-128, -128, -128, -128, -128}, -128},
      {0.30000001192092896 / 0.699999988079071, 0, 5, {1, 1, 1, -1, 1, 0}, 7},
      {0.019999999552965164 / 0.029999999329447746, -5, 7, {10, 20, 30, 40, 50, 60, 70}, 127},
      {1.0, 0, 0, {-3, -3, -4, -4}, -14},
  };
  for (const auto& vector : vectors) {
    const auto count = static_cast<int32_t>(vector.values.size());
    const ReduceDim dim = {count, 1};
    int8_t output = 0;
    ReduceArgs args = {};
    args.shape = {nullptr, &dim, 0, 1};
    args.input = vector.values.data();
    args.output = &output;
    args.sum_offset = -vector.input_zero_point * count;
    args.multiplier = QuantizeMultiplier(vector.scale);
    args.output_offset = vector.output_zero_point;
    Run(args);
    EXPECT_EQ(output, vector.sum);
  }
}

TEST_P(ReduceSumInt8, EqualsTheReferenceAtPageEdges) { ExpectTheReferenceAtPageEdges(*this); }
LUTRA_TEST_TABLE(ReduceSumInt8, kReduceSumInt8);

class ReduceSumInt16 : public KernelTest<ReduceFn> {};
TEST_P(ReduceSumInt16, ScalesAndClampsTheSum) {
  ReduceArgs args = {};
  args.sum_offset = 7500;
  args.multiplier = {3 << 29, 4};  // 12
  args.output_offset = -1100;
  Check<int16_t>(kernel(), args, [](const std::vector<double>& group) {
    return std::clamp((Sum(group) + 7500) * 12 - 1100, -32768.0, 32767.0);
  });
}
// The sum has the most codes that the operator takes, all at one end of int16.
TEST_P(ReduceSumInt16, SumsTheMostCodes) {
  const ReduceDim dim = {65535, 1};
  for (const int16_t code : {INT16_MIN, INT16_MAX}) {
    const std::vector<int16_t> input(65535, code);
    int16_t output = 0;
    ReduceArgs args = {};
    args.shape = {nullptr, &dim, 0, 1};
    args.input = input.data();
    args.output = &output;
    args.multiplier = QuantizeMultiplier(1.0 / 65535);
    Run(args);
    EXPECT_EQ(output, code);
  }
}
LUTRA_TEST_TABLE(ReduceSumInt16, kReduceSumInt16);

class ReduceMaxInt8 : public KernelTest<ReduceFn> {};
TEST_P(ReduceMaxInt8, TakesTheLargest) { Check<int8_t>(kernel(), {}, Max); }
TEST_P(ReduceMaxInt8, EqualsTheReferenceAtPageEdges) { ExpectTheReferenceAtPageEdges(*this); }
LUTRA_TEST_TABLE(ReduceMaxInt8, kReduceMaxInt8);

class ReduceMinInt8 : public KernelTest<ReduceFn> {};
TEST_P(ReduceMinInt8, TakesTheSmallest) { Check<int8_t>(kernel(), {}, Min); }
TEST_P(ReduceMinInt8, EqualsTheReferenceAtPageEdges) { ExpectTheReferenceAtPageEdges(*this); }
LUTRA_TEST_TABLE(ReduceMinInt8, kReduceMinInt8);

class ReduceSumFloat : public KernelTest<ReduceFn> {};
TEST_P(ReduceSumFloat, ScalesTheSum) {
  ReduceArgs args = {};
  args.scale = 0.125f;
  Check<float>(kernel(), args, [](const std::vector<double>& group) { return Sum(group) * 0.125; });
}
LUTRA_TEST_TABLE(ReduceSumFloat, kReduceSumFloat);

class ReduceMaxFloat : public KernelTest<ReduceFn> {};
TEST_P(ReduceMaxFloat, TakesTheLargest) { Check<float>(kernel(), {}, Max); }
LUTRA_TEST_TABLE(ReduceMaxFloat, kReduceMaxFloat);

class ReduceMinFloat : public KernelTest<ReduceFn> {};
TEST_P(ReduceMinFloat, TakesTheSmallest) { Check<float>(kernel(), {}, Min); }
LUTRA_TEST_TABLE(ReduceMinFloat, kReduceMinFloat);

}  // namespace
}  // namespace lutra
