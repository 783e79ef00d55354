// SPDX-License-Identifier: Apache-2.0
// How much scratch the variants `armdsp` take, and how they divide it. Of every compiler: the plan of a board
// follows from these numbers.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/kernels/conv_shape.h"

namespace lutra {

// Beyond this, strips of pixels gain nothing by more memory.
inline constexpr int32_t kMostArmdspBytes = 32 * 1024;
// The plan adds no more than this to an arena; layers that want more at least run where the head has it.
inline constexpr int32_t kLeastArmdspBytes = 1856;

// What is certain to be there, and what would be of use: `least` bytes are needed, with `enough` little is
// lost, and `most` serve all pixels at once.
static inline ScratchBytes ArmdspScratch(int64_t least, int64_t enough, int64_t most) {
  if (least > kMostArmdspBytes) return {0, 0};
  const int64_t wanted = most < kMostArmdspBytes ? most : kMostArmdspBytes;
  const auto bytes = static_cast<int32_t>(((wanted > least ? wanted : least) + 15) / 16 * 16);
  int64_t certain = enough < kLeastArmdspBytes ? (enough + 15) / 16 * 16 : kLeastArmdspBytes;
  if (certain > bytes) certain = bytes;
  return {static_cast<int32_t>(certain), bytes};
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

static inline bool ArmdspConvLayoutOf(const ConvShape& shape, ArmdspConvLayout* layout) {
  const int64_t values = int64_t{shape.filter_height} * shape.filter_width * shape.filter_channels;
  if (values > kMostArmdspBytes) return false;
  const int32_t line_values = shape.filter_width * shape.filter_channels;
  layout->values = static_cast<int32_t>(values);
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

static inline ScratchBytes ArmdspConvScratch(const ConvShape& shape) {
  ArmdspConvLayout layout;
  if (!ArmdspConvLayoutOf(shape, &layout)) return {0, 0};
  // Sixteen pixels are a sixteenth of an instruction for each product.
  constexpr int32_t kEnoughQuads = 4;
  const int64_t quads = (int64_t{shape.out_height} * shape.out_width + 3) / 4;
  return ArmdspScratch(layout.pair_bytes + layout.quad_bytes,
                       layout.pair_bytes + int64_t{kEnoughQuads} * layout.quad_bytes,
                       layout.pair_bytes + quads * layout.quad_bytes);
}

// DEPTHWISE_CONV_2D with 3 x 3 taps: four channels of the input of a few rows of output, pairs of columns
// with all rows one after the other; and behind them, where several rows are made over their own input, a
// copy of that.
static inline int32_t ArmdspDepthwisePairs(const ConvShape& shape) {
  return ((shape.out_width - 1) * shape.stride_w + 5) / 2;
}

static inline bool HasArmdspDepthwise(const ConvShape& shape) {
  return shape.filter_height == 3 && shape.filter_width == 3 && shape.dilation_h == 1 &&
         shape.dilation_w == 1 && shape.out_channels == shape.in_channels && shape.in_channels >= 4 &&
         shape.stride_w <= 2 && shape.pad_left <= 2 && shape.out_width <= 4096;
}

// Bytes of one row of input.
static inline int64_t ArmdspDepthwiseRowBytes(const ConvShape& shape) {
  return int64_t{4} * 4 * ArmdspDepthwisePairs(shape);
}

// Rows of output that so many bytes have room for, if each takes `more` besides; 0 if the layer is not for
// the variant. Several lie one below the other as far apart as pixels do beside each other.
static inline int32_t ArmdspDepthwiseRows(const ConvShape& shape, int64_t bytes, int64_t more = 0) {
  if (!HasArmdspDepthwise(shape)) return 0;
  const int64_t row = ArmdspDepthwiseRowBytes(shape);
  const int64_t rest = bytes - (3 - shape.stride_h) * row;
  const int64_t rows = rest > 0 ? rest / (shape.stride_h * row + more) : 0;
  if (shape.stride_h != shape.stride_w) return rows > 0 ? 1 : 0;
  return rows < shape.out_height ? static_cast<int32_t>(rows) : shape.out_height;
}

// As many have room beside a copy of their input.
static inline int32_t ArmdspDepthwiseCopiedRows(const ConvShape& shape, int32_t scratch_bytes) {
  const int64_t in_row = int64_t{shape.in_width} * shape.in_channels;
  return ArmdspDepthwiseRows(shape, scratch_bytes - (3 - shape.stride_h) * in_row, shape.stride_h * in_row);
}

static inline ScratchBytes ArmdspDepthwiseScratch(const ConvShape& shape) {
  if (!HasArmdspDepthwise(shape)) return {0, 0};
  const int64_t row = ArmdspDepthwiseRowBytes(shape);
  const auto of_rows = [&](int64_t rows) { return ((rows - 1) * shape.stride_h + 3) * row; };
  const int32_t fit = ArmdspDepthwiseRows(shape, kLeastArmdspBytes);
  const int64_t copied =
      (int64_t{shape.out_height} * shape.stride_h + 3) * shape.in_width * shape.in_channels;
  return ArmdspScratch(of_rows(1), of_rows(fit > 1 ? fit : 1), of_rows(shape.out_height) + copied);
}

// FULLY_CONNECTED: a row of input, or a part of it, expanded to int16.
inline constexpr int32_t kArmdspPartBytes = 512;

static inline ScratchBytes ArmdspRowScratch(int32_t depth) {
  const int64_t bytes = int64_t{depth} / 4 * 8;
  const int64_t part = bytes < kArmdspPartBytes ? bytes : kArmdspPartBytes;
  return ArmdspScratch(part, part, bytes);
}

}  // namespace lutra
