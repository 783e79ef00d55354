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
// The plan adds no more than this to an arena; layers that want more at least run where the head has it.
inline constexpr int32_t kLeastArmdspBytes = 1856;

// Multiplies factors that are not negative. Dimensions may be large, but more than this is too much in any
// case.
inline int32_t BoundedProduct(int32_t a, int32_t b) {
  constexpr uint64_t kBound = 1 << 20;
  const uint64_t product = uint64_t{static_cast<uint32_t>(a)} * static_cast<uint32_t>(b);
  return static_cast<int32_t>(product < kBound ? product : kBound);
}

// Returns how much is certain to be there, and how much would be of use: `least` bytes are needed, with
// `enough` little is lost, and `most` serve all pixels at once.
__attribute__((cold, noinline)) inline ScratchBytes ArmdspScratch(int32_t least, int32_t enough,
                                                                  int32_t most) {
  if (least > kMostArmdspBytes) return {0, 0};
  if (most > kMostArmdspBytes) most = kMostArmdspBytes;
  if (most < least) most = least;
  if (enough > kLeastArmdspBytes) enough = kLeastArmdspBytes;
  if (enough > most) enough = most;
  return {(enough + 15) / 16 * 16, (most + 15) / 16 * 16};
}

// CONV_2D: the weights of two outputs, in whose place there are windows of two pixels before, unless they are
// read where they lie; and four pixels, or strips of as many as there is room for, expanded to int16.
struct ArmdspConvLayout {
  int32_t values;  // Of a window in one group.
  int32_t words;   // Of four values, an even number of them.
  bool dense;      // Values of a window's line are neighbours in the input.
  bool in_place;   // Lines are whole words: those within the image are read where they lie.
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

// Returns the scratch of calls that make so many rows of an image.
inline ScratchBytes ArmdspConvScratch(const ConvShape& shape, int32_t rows) {
  ArmdspConvLayout layout;
  if (!ArmdspConvLayoutOf(shape, &layout)) return {0, 0};
  // Sixteen pixels are a sixteenth of an instruction for each product.
  constexpr int32_t kEnoughQuads = 4;
  const int32_t pixels = BoundedProduct(rows, shape.out_width);
  // A pixel behind whole fours takes a quarter of their place.
  const int32_t last_bytes = pixels % 4 == 1   ? layout.quad_bytes / 4
                             : pixels % 4 != 0 ? layout.quad_bytes
                                               : 0;
  return ArmdspScratch(layout.pair_bytes + layout.quad_bytes,
                       layout.pair_bytes + kEnoughQuads * layout.quad_bytes,
                       layout.pair_bytes + BoundedProduct(pixels / 4, layout.quad_bytes) + last_bytes);
}

// Returns whether filters of so many values have a scratch.
inline bool HasArmdspConvScratch(int32_t values) {
  ConvShape shape = {};
  shape.filter_height = shape.filter_width = shape.out_height = shape.out_width = 1;
  shape.filter_channels = values;
  return ArmdspConvScratch(shape, 1).most != 0;
}

// DEPTHWISE_CONV_2D with 3 x 3 taps: four channels of the input of a few rows of output, pairs of columns
// with all rows one after the other; and behind them, where several rows are made over their own input, a
// copy of that.
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

// Returns how many rows of output so many bytes have room for, if each row of input takes `more` besides.
// Several lie one below the other as far apart as pixels do beside each other.
inline int32_t ArmdspDepthwiseRows(const ConvShape& shape, int32_t bytes, int32_t more = 0) {
  const int32_t row = ArmdspDepthwiseRowBytes(shape) + more;
  const int32_t rest = bytes - 3 * row;
  if (rest < 0) return 0;
  if (shape.stride_h != shape.stride_w) return 1;
  const int32_t rows = rest / (shape.stride_h * row) + 1;
  return rows < shape.out_height ? rows : shape.out_height;
}

// Returns how many rows have room beside a copy of their input.
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
  int32_t slack_bytes;  // Four outputs are made of a row's last.
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

// Returns how many rows of output so many bytes have room for.
inline int32_t ArmdspWindowsRows(const ConvShape& shape, const ArmdspWindowsLayout& layout, int32_t bytes) {
  const int32_t in_rows = (bytes - layout.filter_bytes - layout.slack_bytes) / (2 * layout.row_values);
  if (in_rows < layout.window_rows) return 0;
  const int32_t rows = (in_rows - layout.window_rows) / shape.stride_h + 1;
  return rows < shape.out_height ? rows : shape.out_height;
}

// Returns whether a convolution of as many channels as its input is quicker tap by tap, which takes no
// scratch. In quarters of an instruction for each channel of a row of output: 14 for each tap and 100 for an
// output; in planes of the windows' rows 22 for each tap of four outputs and 180 besides, and 24 for a value.
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
    // Less than a row more is of no use.
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
  // Rows that are made over their input are several.
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
