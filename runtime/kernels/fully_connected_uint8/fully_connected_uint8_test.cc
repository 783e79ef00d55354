// SPDX-License-Identifier: Apache-2.0
// Every variant against the formula in double, at the edges of memory.

#include "lutra/kernels/fully_connected_uint8/fully_connected_uint8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/kernels/conv_2d_uint8/conv_2d_uint8_cases.h"
#include "runtime/kernels/fully_connected/fully_connected_cases.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"

namespace lutra {
namespace {

class FullyConnectedUint8 : public KernelTest<FullyConnectedUint8Fn> {
 protected:
  void Check(const FullyConnectedCase& c, int32_t zero_point, double factor, PageEdge::Side side) const {
    const FilledEdge input(1, c.rows * c.depth, side), weights(2, c.channels * c.depth, side);
    const PageEdge output(static_cast<size_t>(c.rows) * c.channels, side);
    std::vector<int32_t> bias(c.channels);
    FillBias(3, c.channels, bias.data());
    const Uint8Quantization q = {
        static_cast<int16_t>(-c.input_zero_point - 128), static_cast<int16_t>(-zero_point),
        static_cast<int16_t>(c.output_zero_point + 128), static_cast<uint8_t>(c.activation_min + 128),
        static_cast<uint8_t>(c.activation_max + 128)};
    Run({c.depth, c.channels, q, weights.data(), c.with_bias ? bias.data() : nullptr, factor},
        {input.data(), c.depth}, {output.data(), c.channels}, 0, c.rows);
    for (int32_t row = 0; row < c.rows; ++row) {
      for (int32_t o = 0; o < c.channels; ++o) {
        int64_t sum = c.with_bias ? bias[o] : 0;
        for (int32_t d = 0; d < c.depth; ++d) {
          sum += int64_t{input.data()[row * c.depth + d] + q.input_offset} *
                 (weights.data()[o * c.depth + d] + q.filter_offset);
        }
        const double code =
            std::round(static_cast<double>(static_cast<int32_t>(sum)) * factor) + q.output_offset;
        ASSERT_EQ(output.data()[row * c.channels + o],
                  std::clamp<double>(code, q.activation_min, q.activation_max))
            << c.name << " row " << row << " channel " << o;
      }
    }
  }
};

TEST_P(FullyConnectedUint8, MatchesTheFormula) {
  int i = 0;
  for (const FullyConnectedCase& c : kFullyConnectedCases) {
    for (const PageEdge::Side side : kPageEdges) {
      // With 2^-8 some sums are halves; with 2^30 all are far beyond any code.
      for (const double factor : {0x1p-8, 0.00037, 0x1p30, 0.0}) {
        Check(c, kWeightZeroPoints[i++ % 5], factor, side);
      }
    }
  }
}

// Results are half a code, and the doubles next to it.
TEST_P(FullyConnectedUint8, HalvesGoAwayFromZero) {
  const uint8_t one = 1;
  for (const double factor : {0.5, 0.49999999999999994, 0.5000000000000001}) {
    for (const int32_t sum : {-3, -1, 1, 3}) {
      uint8_t out = 0;
      uint8_t in = 0;
      Run({1, 1, {0, 0, 100, 0, 255}, &one, &sum, factor}, {&in, 1}, {&out, 1}, 0, 1);
      EXPECT_EQ(out, 100 + std::round(sum * factor)) << sum << " * " << factor;
    }
  }
}
LUTRA_TEST_TABLE(FullyConnectedUint8, kFullyConnectedUint8);

}  // namespace
}  // namespace lutra
