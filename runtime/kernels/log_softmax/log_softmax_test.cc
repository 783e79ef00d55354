// SPDX-License-Identifier: Apache-2.0
// Every variant against the rows of the specification, against the plain formula to within a code,
// and in place at the safe distance.

#include "lutra/kernels/log_softmax/log_softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "runtime/testing/kernel_test.h"
#include "runtime/testing/rowwise_check.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

using Bytes = std::vector<uint8_t>;

LogSoftmaxArgs ArgsOf(int32_t depth, double scale) {
  LogSoftmaxArgs args = {};
  args.depth = depth;
  args.multiplier = QuantizeMultiplier(scale * (1 << 26));
  args.reverse = QuantizeMultiplier(static_cast<double>(int64_t{1} << (31 - args.multiplier.shift)) /
                                    args.multiplier.value);
  args.diff_min = -CalculateInputRadius(5, args.multiplier.shift);
  return args;
}

class LogSoftmax : public KernelTest<LogSoftmaxFn> {};

TEST_P(LogSoftmax, GivesTheRowsOfTheSpecification) {
#ifdef LUTRA_SINGLE_ROUNDING
  GTEST_SKIP() << "the rows are those of double rounding";
#endif
  const struct {
    double scale;
    std::vector<int8_t> input;
    std::vector<int8_t> output;
  } rows[] = {
      {0.10000000149011612, {10, 20, 30, -128}, {88, 104, 120, -128}},
      {0.0625, {0, 0, 0, 0, 0}, {101, 101, 101, 101, 101}},
      {1.0, {127, 126, -128, 0}, {122, 106, -128, -128}},
      {0.009999999776482582, {-128, 127}, {85, 126}},
      {0.25, {5}, {127}},
      {0.5, {1, 2, 3, 4, 5, 6}, {73, 81, 89, 97, 105, 113}},
      {0.0390625, {100, -100, 50, -50}, {125, 0, 94, 31}},
      {0.30000001192092896, {-128, -64, 0, 64, 127}, {-128, -128, -128, -128, 127}},
  };
  for (const auto& row : rows) {
    const LogSoftmaxArgs args = ArgsOf(static_cast<int32_t>(row.input.size()), row.scale);
    EXPECT_EQ(RunRowwise(kernel(), args, AsBytes(row.input)), AsBytes(row.output));
  }
}

TEST_P(LogSoftmax, IsWithinACodeOfTheFormula) {
  for (const int32_t depth : NetworkSizes(1024)) {
    for (const double scale : {0.004, 0.05, 0.124, 0.3, 1.7}) {
      Bytes input(2 * depth);
      FillBytes(depth, 2 * depth, input.data());
      const Bytes output = RunRowwise(kernel(), ArgsOf(depth, scale), input);
      for (int32_t row = 0; row < 2; ++row) {
        double sum = 0;
        for (int32_t i = 0; i < depth; ++i) {
          sum += std::exp(scale * static_cast<int8_t>(input[row * depth + i]));
        }
        for (int32_t i = 0; i < depth; ++i) {
          const double log = scale * static_cast<int8_t>(input[row * depth + i]) - std::log(sum);
          EXPECT_NEAR(static_cast<int8_t>(output[row * depth + i]), std::max(-128.0, 127 + 16 * log), 1.0)
              << "depth " << depth << ", scale " << scale;
        }
      }
    }
  }
}

TEST_P(LogSoftmax, RunsInPlaceAtTheSafeDistance) { CheckRowwiseInPlace(kernel(), ArgsOf(40, 0.02)); }

LUTRA_TEST_TABLE(LogSoftmax, kLogSoftmaxInt8);

}  // namespace
}  // namespace lutra
