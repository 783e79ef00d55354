// SPDX-License-Identifier: Apache-2.0
// Every variant against the rows of the specification, against the plain formula to within a code,
// and in place at the safe distance.

#include "lutra/kernels/l2_normalize/l2_normalize.h"

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

class L2Normalize : public KernelTest<L2NormalizeFn> {};

TEST_P(L2Normalize, GivesTheRowsOfTheSpecification) {
#ifdef LUTRA_SINGLE_ROUNDING
  GTEST_SKIP() << "the rows are those of double rounding";
#endif
  const struct {
    int32_t zero_point;
    std::vector<int8_t> input;
    std::vector<int8_t> output;
  } rows[] = {
      {0, {1, 2, 3, 4}, {23, 47, 70, 93}},
      {0, {0, 0, 0}, {0, 0, 0}},
      {5, {5, 5, 5}, {0, 0, 0}},
      {0, {-128, 127}, {-91, 90}},
      {127, {-128, -128, -128, -128}, {-64, -64, -64, -64}},
      {0, {1}, {127}},
      {0, {-1}, {-128}},
      {0, {3, -4}, {77, -102}},
      {-20, {100, 50, 25}, {105, 61, 39}},
      {-128, std::vector<int8_t>(16, 127), std::vector<int8_t>(16, 32)},
  };
  for (const auto& row : rows) {
    const L2NormalizeArgs args = {static_cast<int32_t>(row.input.size()), row.zero_point};
    EXPECT_EQ(RunRowwise(kernel(), args, AsBytes(row.input)), AsBytes(row.output));
  }
}

TEST_P(L2Normalize, IsWithinACodeOfTheFormula) {
  // 33,025 is the greatest depth whose sum fits int32.
  std::vector<int32_t> depths = NetworkSizes(256);
  depths.push_back(33025);
  for (const int32_t depth : depths) {
    for (const int32_t zero_point : {-128, -3, 0, 127}) {
      Bytes input(2 * depth);
      FillBytes(depth, 2 * depth, input.data());
      const Bytes output = RunRowwise(kernel(), L2NormalizeArgs{depth, zero_point}, input);
      for (int32_t row = 0; row < 2; ++row) {
        const auto x = [&](int32_t i) {
          return static_cast<double>(static_cast<int8_t>(input[row * depth + i]) - zero_point);
        };
        double sum = 0;
        for (int32_t i = 0; i < depth; ++i) sum += x(i) * x(i);
        for (int32_t i = 0; i < depth; ++i) {
          EXPECT_NEAR(static_cast<int8_t>(output[row * depth + i]),
                      std::clamp(128 * x(i) / std::sqrt(std::max(sum, 1.0)), -128.0, 127.0), 1.0);
        }
      }
    }
  }
}

TEST_P(L2Normalize, EqualsTheReference) {
  for (const int32_t depth : NetworkSizes(256)) {
    for (const int32_t zero_point : {-128, -3, 127}) {
      const L2NormalizeArgs args = {depth, zero_point};
      Bytes input(3 * depth);
      FillBytes(depth, 3 * depth, input.data());
      const auto reference = [&](auto&&... rest) { RunReference(rest...); };
      EXPECT_EQ(RunRowwise(kernel(), args, input), RunRowwise(reference, args, input)) << depth;
    }
  }
}

TEST_P(L2Normalize, RunsInPlaceAtTheSafeDistance) { CheckRowwiseInPlace(kernel(), L2NormalizeArgs{40, 3}); }

LUTRA_TEST_TABLE(L2Normalize, kL2NormalizeInt8);

}  // namespace
}  // namespace lutra
