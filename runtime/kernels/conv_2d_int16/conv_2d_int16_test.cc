// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula in wide integers, and in place at the safe distance.

#include "lutra/kernels/conv_2d_int16/conv_2d_int16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/kernels/conv_2d_int16/conv_2d_int16_cases.h"
#include "runtime/testing/conv_problem.h"
#include "runtime/testing/in_place.h"
#include "runtime/testing/int16_formula.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/problem_memory.h"

namespace lutra {
namespace {

// Returns the input pixel under a tap of an output pixel, along one dimension; -1: there is none.
int32_t Source(Int16ConvKind kind, int32_t out, int32_t tap, int32_t stride, int32_t dilation, int32_t pad,
               int32_t size) {
  if (kind != Int16ConvKind::kTransposed) {
    const int32_t in = out * stride - pad + tap * dilation;
    return in >= 0 && in < size ? in : -1;
  }
  const int32_t in = out + pad - tap;
  return in >= 0 && in % stride == 0 && in / stride < size ? in / stride : -1;
}

std::vector<int16_t> Expected(const ConvCase& c, Int16ConvKind kind,
                              const Problem<Conv2DInt16Args>& problem) {
  const Conv2DInt16Args& args = problem.args;
  const ConvShape& s = *args.shape;
  const auto* const input = reinterpret_cast<const int16_t*>(problem.input.Row(0));
  const int32_t groups = s.in_channels / s.filter_channels;
  const int32_t taps = s.filter_height * s.filter_width;
  std::vector<int16_t> outputs;
  for (int32_t i = 0; i < OutputCount(c, s); ++i) {
    const int32_t o = i % s.out_channels;
    const int32_t x = i / s.out_channels % s.out_width;
    const int32_t row = i / s.out_channels / s.out_width;
    const int32_t first = o / (s.out_channels / groups) * s.filter_channels;
    int64_t sum = BiasValue(args.bias, o);
    for (int32_t tap = 0; tap < taps; ++tap) {
      const int32_t iy = Source(kind, row % s.out_height, tap / s.filter_width, s.stride_h, s.dilation_h,
                                s.pad_top, s.in_height);
      const int32_t ix =
          Source(kind, x, tap % s.filter_width, s.stride_w, s.dilation_w, s.pad_left, s.in_width);
      if (iy < 0 || ix < 0) continue;
      const int32_t pixel = (row / s.out_height * s.in_height + iy) * s.in_width + ix;
      for (int32_t channel = 0; channel < s.filter_channels; ++channel) {
        const int32_t at =
            args.depthwise ? tap * s.out_channels + o : (o * taps + tap) * s.filter_channels + channel;
        sum += int64_t{input[pixel * s.in_channels + first + channel]} * args.filter[at];
      }
    }
    const int32_t scaled = ScaledByFormula(sum, args.multipliers[o], args.wide);
    outputs.push_back(
        static_cast<int16_t>(std::clamp<int32_t>(scaled, args.activation_min, args.activation_max)));
  }
  return outputs;
}

class ConvInt16 : public KernelTest<Conv2DInt16Fn> {
 protected:
  void Check(const ConvCase& c, Int16ConvKind kind, Int16ConvBias bias) const {
    SCOPED_TRACE(testing::Message() << c.name << ", kind " << static_cast<int>(kind) << ", bias "
                                    << static_cast<int>(bias));
    ProblemMemory memory;
    const Problem<Conv2DInt16Args> problem = Conv2DInt16ProblemOf(c, kind, bias, 0, memory);
    const std::vector<int16_t> expected = Expected(c, kind, problem);
    Run(problem.args, problem.input, problem.output, 0, problem.count);
    const auto* const made = reinterpret_cast<const int16_t*>(problem.output.Row(0));
    ASSERT_EQ(std::vector<int16_t>(made, made + expected.size()), expected);
    EXPECT_TRUE(memory.HasWholeGuards());
    const ConvShape& shape = *problem.args.shape;
    ExpectOnlyChannels(expected, shape.out_channels, [&](int32_t first, int32_t count, int16_t* output) {
      const std::vector<int8_t> filter(problem.args.filter,
                                       problem.args.filter + ProductsOf(shape) * shape.out_channels);
      const auto some =
          FilterOfChannels(filter, shape.out_channels, first, count, kind == Int16ConvKind::kDepthwise);
      Conv2DInt16Args args = problem.args;
      args.first_channel = first;
      args.channel_count = count;
      args.filter = some.data();
      args.multipliers += first;
      if (args.bias.values != nullptr) {
        args.bias.values = static_cast<const uint8_t*>(args.bias.values) + first * args.bias.element_bytes;
      }
      Rows rows = problem.output;
      rows.base = reinterpret_cast<uint8_t*>(output + first);
      Run(args, problem.input, rows, 0, problem.count);
    });
    if (kind == Int16ConvKind::kTransposed) return;
    const std::vector<uint8_t> input(problem.input.Row(0),
                                     problem.input.Row(0) + InputCount(c, shape) * sizeof(int16_t));
    EXPECT_TRUE(RightAtSafeDistance(
        RowMapOf(c, sizeof(int16_t)), input, BytesOf(expected),
        [&](const Rows& from, const Rows& to, int32_t row) { Run(problem.args, from, to, row, 1); }));
  }
  void CheckAll(const auto& cases, Int16ConvKind kind) const {
    for (const ConvCase& c : cases) {
      for (const Int16ConvBias bias : kInt16ConvBiases) Check(c, kind, bias);
    }
  }
};

class Conv2DInt16 : public ConvInt16 {};
TEST_P(Conv2DInt16, MatchesTheFormulaInGroups) { CheckAll(kConv2DCases, Int16ConvKind::kGrouped); }
TEST_P(Conv2DInt16, MatchesTheFormulaChannelByChannel) {
  CheckAll(kDepthwiseConv2DCases, Int16ConvKind::kDepthwise);
}
LUTRA_TEST_TABLE(Conv2DInt16, kConv2DInt16);

class TransposeConvInt16 : public ConvInt16 {};
TEST_P(TransposeConvInt16, MatchesTheFormula) { CheckAll(kTransposeConvCases, Int16ConvKind::kTransposed); }
LUTRA_TEST_TABLE(TransposeConvInt16, kTransposeConvInt16);

}  // namespace
}  // namespace lutra
