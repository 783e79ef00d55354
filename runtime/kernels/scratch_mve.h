// SPDX-License-Identifier: Apache-2.0
// How much scratch the variants `mve` take, and how they divide it. Of every compiler: the plan of a board
// follows from these numbers.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/kernels/conv_shape.h"
#include "runtime/kernels/scratch_armdsp.h"

namespace lutra {

// CONV_2D: first sums of the output channels of a group, or of as many as there is room for, then windows of
// up to twelve pixels, unless these are single points that are read where they lie.
inline constexpr int32_t kMveStripPixels = 12;

struct MveConvLayout {
  int32_t values;        // Of a window in one group.
  int32_t window_bytes;  // Whole vectors.
  int32_t channels;      // Of a group.
  bool dense;            // Values of a window's line are neighbours in the input.
  bool points;           // Windows are single points within the image.
};

static inline MveConvLayout MveConvLayoutOf(const ConvShape& shape) {
  const int32_t values =
      BoundedProduct(BoundedProduct(shape.filter_height, shape.filter_width), shape.filter_channels);
  const int32_t groups = shape.in_channels / shape.filter_channels;
  return {.values = values,
          .window_bytes = (values + 15) / 16 * 16,
          .channels = shape.out_channels / groups,
          .dense = (shape.dilation_w == 1 || shape.filter_width == 1) && groups == 1,
          .points = shape.filter_height == 1 && shape.filter_width == 1 && shape.pad_top == 0 &&
                    shape.pad_left == 0 &&
                    (int64_t{shape.out_height} - 1) * shape.stride_h < shape.in_height &&
                    (int64_t{shape.out_width} - 1) * shape.stride_w < shape.in_width};
}

// Bytes of the first sums of so many channels.
static inline int32_t MveSumsBytes(int32_t channels) { return BoundedProduct((channels + 7) / 8, 32); }

static inline ScratchBytes MveConvScratch(const ConvShape& shape) {
  const MveConvLayout layout = MveConvLayoutOf(shape);
  const int32_t least = MveSumsBytes(1) + (layout.points ? 0 : layout.window_bytes);
  const int32_t most = MveSumsBytes(layout.channels) + BoundedProduct(kMveStripPixels, layout.window_bytes);
  return ArmdspScratch(least, most, most);
}

}  // namespace lutra
