// SPDX-License-Identifier: Apache-2.0
// CONV_2D as dot_tiles.h has it: a pixel's line of taps is a part of a strip's line. A window of one tap
// needs no strips: pixels are rows of values.

#pragma once

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "runtime/kernels/dot_strips.h"
#include "runtime/kernels/dot_tiles.h"

namespace lutra {
namespace {

static inline DotLayer DotLayerOf(const Conv2DArgs& args) {
  const ConvShape& shape = *args.shape;
  const int32_t line_values = shape.filter_width * shape.in_channels;
  return {.filter = args.filter,
          .channel_step = static_cast<intptr_t>(shape.filter_height) * line_values,
          .value_step = 1,
          .bias = args.bias,
          .multipliers = args.multipliers,
          .one_multiplier = false,
          .channels = shape.out_channels,
          .packed_channels = shape.out_channels,
          .lines = shape.filter_height,
          .line_values = line_values,
          .quantization = args.quantization};
}

// Whether output pixel i is made from input pixel i.
static inline bool IsPointwise(const ConvShape& shape) {
  return shape.filter_height == 1 && shape.filter_width == 1 && shape.stride_h == 1 && shape.stride_w == 1 &&
         shape.pad_top == 0 && shape.pad_left == 0 && shape.out_height == shape.in_height &&
         shape.out_width == shape.in_width;
}

template <typename Set>
int32_t PrepareConv2DDots(const Conv2DArgs& args, void* memory) {
  const ConvShape& shape = *args.shape;
  if (shape.filter_channels != shape.in_channels) return kNotForTheseArgs;
  if (shape.filter_width > 1 && shape.dilation_w != 1) return kNotForTheseArgs;
  if (!FitsRun<Set>(shape.in_channels) || !FitsStrip<Set>(shape, 1, Set::kStep)) return kNotForTheseArgs;
  return PrepareDots<Set>(DotLayerOf(args), memory);
}

template <typename Set>
void RunConv2DDots(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                   int32_t row_count) {
  const ConvShape& shape = *args.shape;
  const DotLayer layer = DotLayerOf(args);
  if (IsPointwise(shape)) {
    return MakeRows<Set>(layer, args.prepared, shape.in_width, input, output, first_row, row_count);
  }
  ForEachStrip<Set>(shape, args.quantization.input_offset, Set::kStep, input, first_row, row_count,
                    [&](const DotStrip<Set>& strip, int32_t row, int32_t first) {
                      MakePixels<Set>(layer, args.prepared, strip,
                                      reinterpret_cast<int8_t*>(output.Row(row)) +
                                          static_cast<intptr_t>(first) * shape.out_channels);
                    });
}

}  // namespace
}  // namespace lutra
