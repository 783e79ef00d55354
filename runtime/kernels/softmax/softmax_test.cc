// SPDX-License-Identifier: Apache-2.0
// Every variant against the rows of the specification, against the plain formula to within a code,
// and in place at the safe distance.

#include "lutra/kernels/softmax/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/rowwise_check.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

using Bytes = std::vector<uint8_t>;

// The arguments for beta * scale = `factor`.
SoftmaxArgs ArgsOf(int32_t depth, double factor) {
  SoftmaxArgs args = {};
  args.depth = depth;
  args.multiplier = QuantizeMultiplier(factor * (1 << 26));
  args.diff_min = -CalculateInputRadius(5, args.multiplier.shift);
  return args;
}

// Probabilities of each row, in doubles.
std::vector<double> Probabilities(const std::vector<double>& input, int32_t depth) {
  std::vector<double> result;
  for (size_t row = 0; row < input.size(); row += depth) {
    const double max = *std::max_element(input.begin() + row, input.begin() + row + depth);
    double sum = 0;
    for (int32_t i = 0; i < depth; ++i) sum += std::exp(input[row + i] - max);
    for (int32_t i = 0; i < depth; ++i) result.push_back(std::exp(input[row + i] - max) / sum);
  }
  return result;
}

// The output's scale is 1 / codes.
template <typename Output, typename Kernel>
void CheckAgainstFormula(const Kernel& run, double codes, double tolerance) {
  constexpr double kLowest = std::numeric_limits<Output>::min();
  constexpr double kHighest = std::numeric_limits<Output>::max();
  for (const int32_t depth : NetworkSizes(512)) {
    for (const double factor : {0.004, 0.05, 0.3, 1.7, 8.0}) {
      Bytes input(3 * depth);
      FillBytes(depth, 3 * depth, input.data());
      std::vector<double> real;
      for (const uint8_t code : input) real.push_back(static_cast<int8_t>(code) * factor);
      const std::vector<double> expected = Probabilities(real, depth);
      const Bytes output = RunRowwise(run, ArgsOf(depth, factor), input, sizeof(Output));
      for (size_t i = 0; i < input.size(); ++i) {
        Output code;
        std::memcpy(&code, &output[i * sizeof(Output)], sizeof(code));
        EXPECT_NEAR(code, std::clamp(expected[i] * codes + kLowest, kLowest, kHighest), tolerance)
            << "depth " << depth << ", factor " << factor;
      }
    }
  }
}

// Compares with the reference at the ends of pages, in calls of one row and of several rows, which may share
// exponentials.
template <typename Output, typename Test>
void ExpectTheReferenceAtPageEdges(const Test& test) {
  std::vector<int32_t> depths = EdgeSizes();
  depths.insert(depths.end(), {3, 12, 1001, 2049});
  for (const PageEdge::Side side : kPageEdges) {
    uint32_t seed = 1;
    for (const int32_t depth : depths) {
      for (const double factor : {2e-8, 0.004, 0.3, 1.0, 31.0}) {
        const SoftmaxArgs args = ArgsOf(depth, factor);
        const int32_t row_count = seed++ % 2 == 0 ? 1 : depth < 5 ? 600 : 3;
        const int32_t output_bytes = row_count * depth * static_cast<int32_t>(sizeof(Output));
        const FilledEdge input(seed, row_count * depth, side);
        const FilledEdge output(1, output_bytes, side), right(2, output_bytes, side);
        const Rows in = {input.data(), depth};
        const auto out = [&](const FilledEdge& edge) {
          return Rows{edge.data(), depth * static_cast<int32_t>(sizeof(Output))};
        };
        test.Run(args, in, out(output), 0, row_count);
        test.RunReference(args, in, out(right), 0, row_count);
        ASSERT_EQ(output.Bytes(output_bytes), right.Bytes(output_bytes))
            << "depth " << depth << ", factor " << factor;
      }
    }
  }
}

class SoftmaxInt8 : public KernelTest<SoftmaxFn> {};

TEST_P(SoftmaxInt8, GivesTheRowsOfTheSpecification) {
#ifdef LUTRA_SINGLE_ROUNDING
  GTEST_SKIP() << "the rows are those of double rounding";
#endif
  const struct {
    double factor;
    std::vector<int8_t> input;
    std::vector<int8_t> output;
  } rows[] = {
      {0.10000000149011612, {10, 20, 30, -128}, {-105, -65, 42, -128}},
      {0.0625, {0, 0, 0, 0, 0}, {-77, -77, -77, -77, -77}},
      {1.0, {127, 126, -128, 0}, {59, -59, -128, -128}},
      {0.009999999776482582, {-128, 127}, {-109, 109}},
      {0.25, {1, 2, 3, 4, 5, 6}, {-107, -101, -94, -84, -71, -55}},
      {0.25, {5}, {127}},
      {0.10000000149011612, {0, 0}, {0, 0}},
      {0.10000000149011612, {0, 0, 0}, {-43, -43, -43}},
      {0.0390625, {100, -100, 50, -50}, {96, -128, -96, -127}},
      {0.003921568859368563,
       {-128, -127, -126, -125, -124, -123, -122, -121, -120, -119},
       {-103, -103, -103, -103, -102, -102, -102, -102, -102, -102}},
  };
  for (const auto& row : rows) {
    const SoftmaxArgs args = ArgsOf(static_cast<int32_t>(row.input.size()), row.factor);
    EXPECT_EQ(RunRowwise(kernel(), args, AsBytes(row.input)), AsBytes(row.output));
  }
}

TEST_P(SoftmaxInt8, IsWithinACodeOfTheFormula) { CheckAgainstFormula<int8_t>(kernel(), 256, 1.0); }

TEST_P(SoftmaxInt8, GivesTheLowestCodeWhereTheSumReaches512) {
  for (const int32_t depth : {512, 4095, 4096, 8292}) {
    const Bytes lowest(depth, 0x80);
    EXPECT_EQ(RunRowwise(kernel(), ArgsOf(depth, 0.1), Bytes(depth, 5)), lowest) << depth;
  }
}

TEST_P(SoftmaxInt8, RunsInPlaceAtTheSafeDistance) { CheckRowwiseInPlace(kernel(), ArgsOf(40, 0.02)); }

TEST_P(SoftmaxInt8, EqualsTheReferenceAtPageEdges) { ExpectTheReferenceAtPageEdges<int8_t>(*this); }

LUTRA_TEST_TABLE(SoftmaxInt8, kSoftmaxOf<int8_t>);

class SoftmaxInt16Output : public KernelTest<SoftmaxFn> {};

TEST_P(SoftmaxInt16Output, IsCloseToTheFormula) { CheckAgainstFormula<int16_t>(kernel(), 65536, 8.0); }

// At this scale diff_min is -1, and e^-8 is 22 codes.
TEST_P(SoftmaxInt16Output, CountsTheSmallestDifference) {
  const SoftmaxArgs args = ArgsOf(2, 8.0);
  ASSERT_EQ(args.diff_min, -1);
  const Bytes output = RunRowwise(kernel(), args, {127, 126}, 2);
  int16_t codes[2];
  std::memcpy(codes, output.data(), sizeof(codes));
  EXPECT_NEAR(codes[0], 32768 - 22, 1);
  EXPECT_NEAR(codes[1], -32768 + 22, 1);
}

TEST_P(SoftmaxInt16Output, RunsInPlaceAtTheSafeDistance) {
  CheckRowwiseInPlace(kernel(), ArgsOf(40, 0.02), 2);
}

TEST_P(SoftmaxInt16Output, EqualsTheReferenceAtPageEdges) { ExpectTheReferenceAtPageEdges<int16_t>(*this); }

LUTRA_TEST_TABLE(SoftmaxInt16Output, kSoftmaxOf<int16_t>);

class SoftmaxFloat : public KernelTest<SoftmaxFloatFn> {};

TEST_P(SoftmaxFloat, MatchesTheFormula) {
  for (const int32_t depth : NetworkSizes(128)) {
    for (const float beta : {0.5f, 2.0f}) {
      std::vector<int8_t> codes(2 * depth);
      FillBytes(depth, 2 * depth, codes.data());
      std::vector<float> input;
      std::vector<double> real;
      for (const int8_t code : codes) {
        // Values are far from zero: only differences may count.
        input.push_back(300.0f + static_cast<float>(code) / 16);
        real.push_back(code * beta / 16.0);
      }
      std::vector<float> output(input.size());
      Run({depth, beta}, Rows{reinterpret_cast<uint8_t*>(input.data()), depth * 4},
          Rows{reinterpret_cast<uint8_t*>(output.data()), depth * 4}, 0, 2);
      const std::vector<double> expected = Probabilities(real, depth);
      for (size_t i = 0; i < output.size(); ++i) EXPECT_NEAR(output[i], expected[i], 1e-6);
    }
  }
}

LUTRA_TEST_TABLE(SoftmaxFloat, kSoftmaxFloat);

}  // namespace
}  // namespace lutra
