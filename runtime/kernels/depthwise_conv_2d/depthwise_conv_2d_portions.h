// SPDX-License-Identifier: Apache-2.0
// How variants that make several rows of a depthwise convolution at once divide them, and what they may
// overwrite.

#pragma once

#include <stdint.h>

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/kernels/loops_armdsp.h"

namespace lutra {
namespace {

struct Stretch {
  const uint8_t* begin;
  int32_t bytes;
};

// Returns whether outputs lie over inputs of other channels. A channel has its own inputs in its plane before
// it is made.
LUTRA_RARE bool Overwrites(const ConvShape& shape, const Stretch& written, const Stretch& read) {
  const auto in = reinterpret_cast<uintptr_t>(read.begin);
  const auto out = reinterpret_cast<uintptr_t>(written.begin);
  if (in >= out + static_cast<uintptr_t>(written.bytes)) return false;
  if (out >= in + static_cast<uintptr_t>(read.bytes)) return false;
  return shape.out_channels != shape.in_channels ||
         (in > out ? in - out : out - in) % static_cast<uintptr_t>(shape.in_channels) != 0;
}

// Returns whether output rows [row, end) lie over inputs of other channels, anywhere in their images.
LUTRA_RARE bool OverwritesOthers(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                                 int32_t row, int32_t end) {
  const ConvShape& shape = *args.shape;
  const int32_t first_image = row / shape.out_height;
  const int32_t images = (end - 1) / shape.out_height + 1 - first_image;
  return Overwrites(
      shape, {output.PlainRow(row), (end - row) * output.row_bytes},
      {input.PlainRow(first_image * shape.in_height), images * shape.in_height * input.row_bytes});
}

// Calls make(first_row, row_count), which makes at most `capacity` rows of one image, in the order that is
// asked for.
template <typename Make>
void InPortions(const DepthwiseConv2DArgs& args, int32_t row, int32_t end, int32_t capacity,
                const Make& make) {
  const int32_t height = args.shape->out_height;
  while (row < end) {
    int32_t rows = args.downwards ? (end - 1) % height + 1 : height - row % height;
    if (rows > end - row) rows = end - row;
    if (rows > capacity) rows = capacity;
    if (args.downwards) end -= rows;
    make(args.downwards ? end : row, rows);
    if (!args.downwards) row += rows;
  }
}

}  // namespace
}  // namespace lutra
