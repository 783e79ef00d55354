// SPDX-License-Identifier: Apache-2.0
// Says how much scratch the variants `armdsp` take, and how they divide it. Every compiler sees this file:
// the plan of a board follows from these numbers.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/kernels/conv_shape.h"

namespace lutra {

// Beyond this, strips of pixels gain nothing by more memory.
inline constexpr int32_t kMostArmdspBytes = 32 * 1024;
// The plan adds no more than this to an arena; layers that need more get it only where the head has room.
inline constexpr int32_t kLeastArmdspBytes = 1856;

// Multiplies factors that are not negative. Returns kBound if the product of large dimensions is larger: no
// scratch is.
inline int32_t BoundedProduct(int32_t a, int32_t b) {
  constexpr uint64_t kBound = 1 << 20;
  const uint64_t product = uint64_t{static_cast<uint32_t>(a)} * static_cast<uint32_t>(b);
  return static_cast<int32_t>(product < kBound ? product : kBound);
}

// Returns the scratch that is always there, and the most that is of use. `least` bytes are needed, with
// `enough` a variant is nearly at its best speed, and `most` serve all pixels at once.
__attribute__((cold, noinline)) inline ScratchBytes ArmdspScratch(int32_t least, int32_t enough,
                                                                  int32_t most) {
  if (least > kMostArmdspBytes) return {0, 0};
  if (most > kMostArmdspBytes) most = kMostArmdspBytes;
  if (most < least) most = least;
  if (enough > kLeastArmdspBytes) enough = kLeastArmdspBytes;
  if (enough > most) enough = most;
  return {(enough + 15) / 16 * 16, (most + 15) / 16 * 16};
}

// CONV_2D's scratch has the weights of two outputs, in whose place windows of two pixels are copied before,
// unless these are read in place; and four pixels, or strips of as many as there is room for, expanded to
// int16.
struct ArmdspConvLayout {
  int32_t values;  // Of a window in one group.
  int32_t words;   // Of four values, an even number of them.
  bool dense;      // Values of a window's line are neighbours in the input.
  bool in_place;   // Lines are whole words: those within the image are read in place.
  int32_t pair_bytes;
  int32_t window_bytes;  // 0: windows are single points within the image.
  int32_t quad_bytes;
};

inline bool ArmdspConvLayoutOf(const ConvShape& shape, ArmdspConvLayout* layout) {
  const int32_t line_values = BoundedProduct(shape.filter_width, shape.filter_channels);
  layout->values = BoundedProduct(shape.filter_height, line_values);
  if (layout->values > kMostArmdspBytes) return false;
  layout->words = (layout->values + 7) / 8 * 2;
  layout->dense =
      (shape.dilation_w == 1 || shape.filter_width == 1) && shape.filter_channels == shape.in_channels;
  layout->in_place = layout->dense && line_values % 4 == 0;
  const bool points = layout->in_place && shape.filter_height == 1 && shape.filter_width == 1 &&
                      shape.pad_top == 0 && shape.pad_left == 0 &&
                      (int64_t{shape.out_height} - 1) * shape.stride_h < shape.in_height &&
                      (int64_t{shape.out_width} - 1) * shape.stride_w < shape.in_width;
  layout->pair_bytes = 8 + layout->words * 16 + 24;
  layout->window_bytes = points ? 0 : layout->words * 8;
  layout->quad_bytes = layout->words * 32;
  return true;
}

// Returns the scratch of calls that make `rows` rows of an image.
inline ScratchBytes ArmdspConvScratch(const ConvShape& shape, int32_t rows) {
  ArmdspConvLayout layout;
  if (!ArmdspConvLayoutOf(shape, &layout)) return {0, 0};
  // With sixteen pixels, expanding the weights takes a sixteenth of an instruction for each product.
  constexpr int32_t kEnoughQuads = 4;
  const int32_t pixels = BoundedProduct(rows, shape.out_width);
  // A single pixel behind whole quads takes a quarter of a quad.
  const int32_t last_bytes = pixels % 4 == 1   ? layout.quad_bytes / 4
                             : pixels % 4 != 0 ? layout.quad_bytes
                                               : 0;
  return ArmdspScratch(layout.pair_bytes + layout.quad_bytes,
                       layout.pair_bytes + kEnoughQuads * layout.quad_bytes,
                       layout.pair_bytes + BoundedProduct(pixels / 4, layout.quad_bytes) + last_bytes);
}

// Returns whether filters of `values` values have a scratch.
inline bool HasArmdspConvScratch(int32_t values) {
  ConvShape shape = {};
  shape.filter_height = shape.filter_width = shape.out_height = shape.out_width = 1;
  shape.filter_channels = values;
  return ArmdspConvScratch(shape, 1).most != 0;
}

// The scratch of DEPTHWISE_CONV_2D with 3 x 3 taps has four channels of the input of a few output rows, pair
// by pair of columns, each with all its rows; and behind them, if several rows are written over their own
// input, a copy of that input.
inline int32_t ArmdspDepthwisePairs(const ConvShape& shape) {
  return ((shape.out_width - 1) * shape.stride_w + 5) / 2;
}

inline bool HasArmdspDepthwise(const ConvShape& shape) {
  return shape.filter_height == 3 && shape.filter_width == 3 && shape.dilation_h == 1 &&
         shape.dilation_w == 1 && shape.out_channels == shape.in_channels && shape.in_channels >= 4 &&
         shape.stride_w <= 2 && shape.pad_left <= 2 && shape.out_width <= 4096;
}

// Bytes of one row of input.
inline int32_t ArmdspDepthwiseRowBytes(const ConvShape& shape) { return 4 * 4 * ArmdspDepthwisePairs(shape); }

// Returns how many rows of output fit into `bytes`, if each row of input takes `more` bytes besides. Several
// rows are made together only if both strides are equal.
inline int32_t ArmdspDepthwiseRows(const ConvShape& shape, int32_t bytes, int32_t more = 0) {
  const int32_t row = ArmdspDepthwiseRowBytes(shape) + more;
  const int32_t rest = bytes - 3 * row;
  if (rest < 0) return 0;
  if (shape.stride_h != shape.stride_w) return 1;
  const int32_t rows = rest / (shape.stride_h * row) + 1;
  return rows < shape.out_height ? rows : shape.out_height;
}

// Returns how many rows fit into the scratch beside a copy of their input.
inline int32_t ArmdspDepthwiseCopiedRows(const ConvShape& shape, int32_t scratch_bytes) {
  return ArmdspDepthwiseRows(shape, scratch_bytes, BoundedProduct(shape.in_width, shape.in_channels));
}

// Windows of any other kind: the weights of an output channel, then a plane of one input channel, rows of
// int16 with the padding that windows reach.
struct ArmdspWindowsLayout {
  int32_t taps;        // Words of a filter's row: pairs of neighbouring taps, or single ones.
  int32_t tap_step;    // Bytes from one to the next in a plane.
  int32_t row_values;  // Of a plane.
  int32_t window_rows;
  int32_t filter_bytes;
  int32_t slack_bytes;  // Read behind the last row, as outputs are made four at a time.
};

inline bool ArmdspWindowsLayoutOf(const ConvShape& shape, ArmdspWindowsLayout* layout) {
  const int32_t width = BoundedProduct(shape.out_width - 1, shape.stride_w) +
                        BoundedProduct(shape.filter_width - 1, shape.dilation_w) + 2;
  const int32_t height = BoundedProduct(shape.filter_height - 1, shape.dilation_h) + 1;
  const int32_t taps =
      shape.dilation_w == 1 ? shape.filter_width / 2 + shape.filter_width % 2 : shape.filter_width;
  *layout = {.taps = taps,
             .tap_step = shape.dilation_w == 1 ? 4 : 2 * BoundedProduct(shape.dilation_w, 1),
             .row_values = width,
             .window_rows = height,
             .filter_bytes = 4 * BoundedProduct(shape.filter_height, taps),
             .slack_bytes = 6 * BoundedProduct(shape.stride_w, 1) + 4};
  return layout->filter_bytes + layout->slack_bytes + 2 * BoundedProduct(height, width) <= kMostArmdspBytes;
}

// Returns how many rows of output fit into `bytes`.
inline int32_t ArmdspWindowsRows(const ConvShape& shape, const ArmdspWindowsLayout& layout, int32_t bytes) {
  const int32_t in_rows = (bytes - layout.filter_bytes - layout.slack_bytes) / (2 * layout.row_values);
  if (in_rows < layout.window_rows) return 0;
  const int32_t rows = (in_rows - layout.window_rows) / shape.stride_h + 1;
  return rows < shape.out_height ? rows : shape.out_height;
}

// Returns whether a convolution of as many channels as its input is quicker tap by tap, which takes no
// scratch. Costs are in quarters of an instruction, for each channel of a row of output: tap by tap 14 for
// each tap and 100 for an output; with planes of the windows' rows 22 for each tap and 180 for four outputs,
// and 24 for a value of the planes.
inline bool PrefersArmdspTaps(const ConvShape& shape) {
  if (shape.out_channels != shape.in_channels || shape.in_channels < 4) return false;
  if (HasArmdspDepthwise(shape)) return shape.out_width <= 2;
  // With more columns, four outputs at a time are quicker unless windows have few taps.
  if (shape.out_width > 16) return false;
  const int32_t taps = BoundedProduct(shape.filter_height, shape.filter_width);
  const int32_t values = BoundedProduct(shape.stride_h, shape.in_width);
  const int32_t by_taps = shape.out_width * (14 * taps + 100);
  return by_taps < (shape.out_width + 3) / 4 * (22 * taps + 180) + 24 * values + 120;
}

// Returns the scratch of calls that make so many rows of an image.
inline ScratchBytes ArmdspDepthwiseScratch(const ConvShape& shape, int32_t rows) {
  int32_t fixed = 0;
  int32_t row = 0;
  int32_t window_rows = 3;
  int32_t enough_rows = rows;
  int32_t copied = 0;
  if (PrefersArmdspTaps(shape)) return {0, 0};
  if (HasArmdspDepthwise(shape)) {
    row = ArmdspDepthwiseRowBytes(shape);
    // Scratch is of use in whole rows only.
    enough_rows = ArmdspDepthwiseRows(shape, kLeastArmdspBytes);
    if (enough_rows == 0) enough_rows = 1;
    if (enough_rows > rows) enough_rows = rows;
    copied = BoundedProduct(shape.in_height + 6, BoundedProduct(shape.in_width, shape.in_channels));
  } else {
    ArmdspWindowsLayout layout;
    if (!ArmdspWindowsLayoutOf(shape, &layout)) return {0, 0};
    fixed = layout.filter_bytes + layout.slack_bytes;
    row = 2 * layout.row_values;
    window_rows = layout.window_rows;
  }
  const auto bytes_of = [&](int32_t out_rows) {
    return fixed + BoundedProduct(BoundedProduct(out_rows - 1, shape.stride_h) + window_rows, row);
  };
  // Only several rows need a copy of their input.
  return ArmdspScratch(bytes_of(1), bytes_of(enough_rows), bytes_of(rows) + (rows > 1 ? copied : 0));
}

// FULLY_CONNECTED: a row of input, expanded to int16. A kernel has room for a part of it on its stack, and
// each part more costs some 10 instructions for each output.
inline constexpr int32_t kArmdspPartBytes = 256;

inline ScratchBytes ArmdspRowScratch(int32_t depth) {
  const int32_t bytes = BoundedProduct(depth / 4, 8);
  return bytes <= kArmdspPartBytes ? ScratchBytes{0, 0} : ArmdspScratch(16, 16, bytes);
}

}  // namespace lutra
