// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula, at the edges of memory and in place at the safe distance.

#include "lutra/kernels/conv_2d_uint8/conv_2d_uint8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/kernels/conv_2d_uint8/conv_2d_uint8_cases.h"
#include "runtime/testing/conv_problem.h"
#include "runtime/testing/in_place.h"
#include "runtime/testing/kernel_test.h"

namespace lutra {
namespace {

struct Uint8Problem {
  Uint8Problem(const ConvCase& c, bool depthwise, int32_t zero_point)
      : c(c),
        shape(depthwise ? DepthwiseShapeOf(c) : ShapeOf(c)),
        input(c.images * shape.in_height * shape.in_width * shape.in_channels),
        filter(ProductsOf(shape) * shape.out_channels),
        bias(shape.out_channels) {
    FillBytes(1, static_cast<int32_t>(input.size()), input.data());
    FillBytes(2, static_cast<int32_t>(filter.size()), filter.data());
    FillBias(3, shape.out_channels, bias.data());
    Multiplier multiplier = {};
    FillMultipliers(4, static_cast<int32_t>(filter.size()) / shape.out_channels, 1, &multiplier);
    if (c.extreme) {
      std::fill(input.begin(), input.end(), 255);
      std::fill(filter.begin(), filter.end(), 255);
    }
    args = {.shape = &shape,
            .first_channel = 0,
            .channel_count = shape.out_channels,
            .quantization = QuantizationOf(c, zero_point),
            .depthwise = depthwise,
            .filter = filter.data(),
            .bias = c.with_bias ? bias.data() : nullptr,
            .multiplier = multiplier};
  }

  int32_t Weight(int32_t o, int32_t ky, int32_t kx, int32_t channel) const {
    const int32_t tap = ky * shape.filter_width + kx;
    const int32_t taps = shape.filter_height * shape.filter_width;
    const int32_t at =
        args.depthwise ? tap * shape.out_channels + o : (o * taps + tap) * shape.filter_channels + channel;
    return filter[at] + args.quantization.filter_offset;
  }

  std::vector<uint8_t> Expected() const {
    const int32_t groups = shape.in_channels / shape.filter_channels;
    std::vector<uint8_t> outputs;
    for (int32_t i = 0; i < c.images * shape.out_height * shape.out_width * shape.out_channels; ++i) {
      const int32_t o = i % shape.out_channels;
      const int32_t x = i / shape.out_channels % shape.out_width;
      const int32_t row = i / shape.out_channels / shape.out_width;
      const int32_t first = o / (shape.out_channels / groups) * shape.filter_channels;
      int64_t sum = c.with_bias ? bias[o] : 0;
      for (int32_t ky = 0; ky < shape.filter_height; ++ky) {
        for (int32_t kx = 0; kx < shape.filter_width; ++kx) {
          const int32_t iy = row % shape.out_height * shape.stride_h - shape.pad_top + ky * shape.dilation_h;
          const int32_t ix = x * shape.stride_w - shape.pad_left + kx * shape.dilation_w;
          if (iy < 0 || iy >= shape.in_height || ix < 0 || ix >= shape.in_width) continue;
          const int32_t in_row = row / shape.out_height * shape.in_height + iy;
          for (int32_t channel = 0; channel < shape.filter_channels; ++channel) {
            const int32_t value = input[(in_row * shape.in_width + ix) * shape.in_channels + first + channel];
            sum += int64_t{value + args.quantization.input_offset} * Weight(o, ky, kx, channel);
          }
        }
      }
      const int64_t code = int64_t{RequantizedInTwoSteps(static_cast<int32_t>(sum), args.multiplier)} +
                           args.quantization.output_offset;
      outputs.push_back(static_cast<uint8_t>(
          std::clamp<int64_t>(code, args.quantization.activation_min, args.quantization.activation_max)));
    }
    return outputs;
  }

  ConvCase c;
  ConvShape shape;
  std::vector<uint8_t> input;
  std::vector<uint8_t> filter;
  std::vector<int32_t> bias;
  Conv2DUint8Args args;
};

class Conv2DUint8 : public KernelTest<Conv2DUint8Fn> {
 protected:
  void Check(const ConvCase& c, bool depthwise, int32_t zero_point) const {
    SCOPED_TRACE(testing::Message() << c.name << (depthwise ? " depthwise, weights' zero point " : ", ")
                                    << zero_point);
    const Uint8Problem problem(c, depthwise, zero_point);
    const std::vector<uint8_t> expected = problem.Expected();
    const ConvShape& shape = problem.shape;
    const int32_t in_row = shape.in_width * shape.in_channels;
    const int32_t out_row = shape.out_width * shape.out_channels;
    const int32_t rows = c.images * shape.out_height;
    for (const PageEdge::Side side : kPageEdges) {
      const PageEdge in(problem.input.size(), side), out(expected.size(), side);
      const PageEdge filter(problem.filter.size(), side);
      std::memcpy(in.data(), problem.input.data(), problem.input.size());
      std::memcpy(filter.data(), problem.filter.data(), problem.filter.size());
      Conv2DUint8Args args = problem.args;
      args.filter = filter.data();
      Run(args, {in.data(), in_row}, {out.data(), out_row}, 0, rows);
      ASSERT_EQ(std::vector<uint8_t>(out.data(), out.data() + expected.size()), expected);
    }
    ExpectOnlyChannels(expected, shape.out_channels, [&](int32_t first, int32_t count, uint8_t* output) {
      const auto some = FilterOfChannels(problem.filter, shape.out_channels, first, count, depthwise);
      Conv2DUint8Args args = problem.args;
      args.first_channel = first;
      args.channel_count = count;
      args.filter = some.data();
      if (args.bias != nullptr) args.bias += first;
      auto* const input = const_cast<uint8_t*>(problem.input.data());
      Run(args, {input, in_row}, {output + first, out_row}, 0, rows);
    });
    RowMap map = RowMapOf(c, 1);
    EXPECT_TRUE(RightAtSafeDistance(
        map, problem.input, expected,
        [&](const Rows& from, const Rows& to, int32_t row) { Run(problem.args, from, to, row, 1); }));
  }
};

TEST_P(Conv2DUint8, MatchesTheFormulaInGroups) {
  int i = 0;
  for (const ConvCase& c : kConv2DCases) Check(c, false, kWeightZeroPoints[i++ % 5]);
}
TEST_P(Conv2DUint8, MatchesTheFormulaChannelByChannel) {
  int i = 0;
  for (const ConvCase& c : kDepthwiseConv2DCases) Check(c, true, kWeightZeroPoints[i++ % 5]);
}
TEST_P(Conv2DUint8, TakesEveryZeroPoint) {
  for (int32_t zero_point = 0; zero_point < 256; ++zero_point) {
    Check({"grouped", 3, 3, 5, 3, 2, 2, 1, 1, true}, false, zero_point);
    Check({"each", 3, 3, 5, 5, 2, 2, 1, 1, true}, true, zero_point);
  }
}
LUTRA_TEST_TABLE(Conv2DUint8, kConv2DUint8);

}  // namespace
}  // namespace lutra
