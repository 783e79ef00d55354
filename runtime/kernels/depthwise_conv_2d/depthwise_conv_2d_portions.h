// SPDX-License-Identifier: Apache-2.0
// Divides the rows of a depthwise convolution for variants that compute several at once, and says which
// inputs these may overwrite.

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

// Returns whether outputs overwrite inputs of other channels. A channel's own inputs are in its plane before
// it is computed.
LUTRA_RARE bool Overwrites(const ConvShape& shape, const Stretch& written, const Stretch& read) {
  const auto in = reinterpret_cast<uintptr_t>(read.begin);
  const auto out = reinterpret_cast<uintptr_t>(written.begin);
  if (in >= out + static_cast<uintptr_t>(written.bytes)) return false;
  if (out >= in + static_cast<uintptr_t>(read.bytes)) return false;
  return shape.out_channels != shape.in_channels ||
         (in > out ? in - out : out - in) % static_cast<uintptr_t>(shape.in_channels) != 0;
}

// Returns whether output rows [row, end) overwrite inputs of other channels in any of their images.
LUTRA_RARE bool OverwritesOthers(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                                 int32_t row, int32_t end) {
  const ConvShape& shape = *args.shape;
  const int32_t first_image = row / shape.out_height;
  const int32_t images = (end - 1) / shape.out_height + 1 - first_image;
  return Overwrites(shape, {output.Row(row), (end - row) * output.row_bytes},
                    {input.Row(first_image * shape.in_height), images * shape.in_height * input.row_bytes});
}

// Output rows [row, end) in portions of at most `capacity` rows of one image, in the order of args.downwards.
//
//   for (Portions portions(args, row, end, capacity); portions.Next();) Make(portions.row, portions.count);
class Portions {
 public:
  Portions(const DepthwiseConv2DArgs& args, int32_t begin, int32_t end, int32_t capacity)
      : height_(args.shape->out_height),
        downwards_(args.downwards),
        begin_(begin),
        end_(end),
        capacity_(capacity) {}

  LUTRA_RARE bool Next() {
    if (begin_ >= end_) return false;
    count = downwards_ ? (end_ - 1) % height_ + 1 : height_ - begin_ % height_;
    if (count > end_ - begin_) count = end_ - begin_;
    if (count > capacity_) count = capacity_;
    if (downwards_) end_ -= count;
    row = downwards_ ? end_ : begin_;
    if (!downwards_) begin_ += count;
    return true;
  }

  int32_t row = 0;
  int32_t count = 0;

 private:
  int32_t height_;
  bool downwards_;
  int32_t begin_;
  int32_t end_;
  int32_t capacity_;
};

}  // namespace
}  // namespace lutra
