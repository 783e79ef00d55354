// SPDX-License-Identifier: Apache-2.0
// Says how much scratch the variants `mve` take, and how they divide it. Every compiler sees this file:
// the plan of a board follows from these numbers.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/kernels/conv_shape.h"
#include "runtime/kernels/scratch_armdsp.h"

namespace lutra {

// CONV_2D's scratch has the first sums of the output channels of a group, or of as many as there is room for,
// then windows of up to 24 pixels, unless these are single points that are read in place. Of long windows,
// half as many are enough.
inline constexpr int32_t kMveStripPixels = 24;

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

// CONV_2D prepares the first sums of each group, FULLY_CONNECTED those of layers of eight channels or more.
static inline int32_t MveConvPreparedBytes(const ConvShape& shape) {
  return BoundedProduct(shape.in_channels / shape.filter_channels,
                        MveSumsBytes(MveConvLayoutOf(shape).channels));
}
static inline int32_t MveRowPreparedBytes(int32_t channels) {
  return channels < 8 ? 0 : MveSumsBytes(channels);
}

static inline ScratchBytes MveConvScratch(const ConvShape& shape) {
  const MveConvLayout layout = MveConvLayoutOf(shape);
  const int32_t least = MveSumsBytes(1) + (layout.points ? 0 : layout.window_bytes);
  constexpr int32_t kLongWindow = 192;
  const int32_t pixels = layout.window_bytes <= kLongWindow ? kMveStripPixels : kMveStripPixels / 2;
  const int32_t most = MveSumsBytes(layout.channels) + BoundedProduct(pixels, layout.window_bytes);
  return ArmdspScratch(least, most, most);
}

// DEPTHWISE_CONV_2D with 3 x 3 taps: the weights of four channels, then strips of the input that these see,
// four rows of each column side by side. A strip makes two rows of output, with strides of two one.
static inline bool HasMveDepthwise(const ConvShape& shape) {
  return shape.filter_height == 3 && shape.filter_width == 3 && shape.dilation_h == 1 &&
         shape.dilation_w == 1 && shape.out_channels == shape.in_channels && shape.in_channels % 4 == 0 &&
         shape.stride_w <= 2 && shape.stride_h == shape.stride_w && shape.pad_left <= 2 &&
         shape.out_width <= 4096;
}

struct MveDepthwiseLayout {
  int32_t columns;  // Of a strip.
  int32_t strip_bytes;
  int32_t rows;  // Of output that a strip makes.
};

// Windows of four columns with a column of zeros at either side.
inline constexpr int32_t kMveDepthwiseFilterBytes = 5 * 16;

// A strip has the columns that whole tiles see, of two outputs or, with strides of two, of four, and four at
// least that the image may fill.
static inline MveDepthwiseLayout MveDepthwiseLayoutOf(const ConvShape& shape) {
  const int32_t tile_width = shape.stride_w == 1 ? 2 : 4;
  const int32_t width = shape.out_width < tile_width ? tile_width : shape.out_width;
  int32_t columns = shape.stride_w * width + 2;
  if (columns < shape.pad_left + 4) columns = shape.pad_left + 4;
  return {.columns = columns, .strip_bytes = columns * 16, .rows = 3 - shape.stride_w};
}

// Returns how many rows of output so many bytes have room for.
static inline int32_t MveDepthwiseRows(const ConvShape& shape, int32_t bytes) {
  const MveDepthwiseLayout layout = MveDepthwiseLayoutOf(shape);
  if (bytes < kMveDepthwiseFilterBytes) return 0;
  const int32_t rows = (bytes - kMveDepthwiseFilterBytes) / layout.strip_bytes * layout.rows;
  return rows < shape.out_height ? rows : shape.out_height;
}

static inline ScratchBytes MveDepthwiseScratch(const ConvShape& shape, int32_t rows) {
  if (!HasMveDepthwise(shape)) return ArmdspDepthwiseScratch(shape, rows);
  const MveDepthwiseLayout layout = MveDepthwiseLayoutOf(shape);
  const int32_t all = (rows + layout.rows - 1) / layout.rows;
  // Scratch is of use in whole strips only.
  constexpr int32_t kEnoughBytes = 1536;
  int32_t enough = (kEnoughBytes - kMveDepthwiseFilterBytes) / layout.strip_bytes;
  if (enough > all) enough = all;
  if (enough == 0) enough = 1;
  return ArmdspScratch(kMveDepthwiseFilterBytes + layout.strip_bytes,
                       kMveDepthwiseFilterBytes + enough * layout.strip_bytes,
                       kMveDepthwiseFilterBytes + BoundedProduct(all, layout.strip_bytes));
}

}  // namespace lutra
