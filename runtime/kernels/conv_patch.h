// SPDX-License-Identifier: Apache-2.0
// Convolutions of 8 bits in groups. For each output pixel, the input values under its window are copied into
// one contiguous patch, with zeros for padding, in the order of a filter's weights. What remains are dot
// products of the patch with the filters, without any bounds to look at. Long windows are done in parts. For
// the kernels' .cc files: the functions are static so that a file compiled for one instruction set keeps its
// own copy.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"
#include "runtime/kernels/conv_sums.h"

namespace lutra {

constexpr int32_t kPatchLength = 256;
constexpr int32_t kChannelBlock = 32;

// An output pixel's window in one group.
struct ConvWindow {
  int32_t image_row;  // The first row of the image.
  int32_t y;          // Where its first tap lies in the image.
  int32_t x;
  int32_t first_channel;  // The group begins here.
};

// One line of taps, values [begin, end) of it, when the values of neighbouring taps are neighbours
// in the input.
template <typename Value>
static inline void FillDenseLine(const ConvShape& shape, int16_t offset, const Value* row, int32_t x,
                                 int32_t begin, int32_t end, int16_t* patch) {
  const int32_t line = x * shape.in_channels;  // Where the line begins in the row.
  const int32_t row_values = shape.in_width * shape.in_channels;
  int32_t inside_begin = begin < -line ? -line : begin;
  int32_t inside_end = int64_t{line} + end > row_values ? row_values - line : end;
  if (inside_begin >= inside_end) inside_begin = inside_end = end;
  memset(patch, 0, static_cast<size_t>(inside_begin - begin) * sizeof(int16_t));
  patch += inside_begin - begin;
  if (inside_begin < inside_end) {
    Widen(row + line + inside_begin, inside_end - inside_begin, offset, patch);
  }
  patch += inside_end - inside_begin;
  memset(patch, 0, static_cast<size_t>(end - inside_end) * sizeof(int16_t));
}

// Fills a line tap by tap, where a dilated filter leaves gaps between them.
template <typename Value>
static inline void FillSparseLine(const ConvShape& shape, int16_t offset, const Value* row,
                                  const ConvWindow& window, int32_t begin, int32_t end, int16_t* patch) {
  int32_t tap = begin / shape.filter_channels;
  int32_t channel = begin - tap * shape.filter_channels;
  while (begin < end) {
    int32_t count = shape.filter_channels - channel;
    if (count > end - begin) count = end - begin;
    const int32_t x = window.x + tap * shape.dilation_w;
    if (x >= 0 && x < shape.in_width) {
      Widen(row + x * shape.in_channels + window.first_channel + channel, count, offset, patch);
    } else {
      memset(patch, 0, static_cast<size_t>(count) * sizeof(int16_t));
    }
    patch += count;
    begin += count;
    channel = 0;
    ++tap;
  }
}

// Values [begin, begin + count) of the window.
template <typename Value>
static inline void FillPatch(const ConvShape& shape, int16_t offset, const Rows& input,
                             const ConvWindow& window, int32_t begin, int32_t count, int16_t* patch) {
  const int32_t line_values = shape.filter_width * shape.filter_channels;
  const bool dense = shape.dilation_w == 1 && shape.filter_channels == shape.in_channels;
  int32_t ky = begin / line_values;
  int32_t line_begin = begin - ky * line_values;
  while (count > 0) {
    const int32_t line_end = line_values - line_begin < count ? line_values : line_begin + count;
    const int32_t y = window.y + ky * shape.dilation_h;
    if (y < 0 || y >= shape.in_height) {
      memset(patch, 0, static_cast<size_t>(line_end - line_begin) * sizeof(int16_t));
    } else {
      const auto* row = reinterpret_cast<const Value*>(input.Row(window.image_row + y));
      if (dense) {
        FillDenseLine(shape, offset, row, window.x, line_begin, line_end, patch);
      } else {
        FillSparseLine(shape, offset, row, window, line_begin, line_end, patch);
      }
    }
    patch += line_end - line_begin;
    count -= line_end - line_begin;
    line_begin = 0;
    ++ky;
  }
}

// All channels of one output pixel; store(sums, first, count) takes those of some channels.
template <typename Value, typename Read, typename Store>
static inline void ConvolvePixel(const ConvShape& shape, const Value* filters, const int32_t* bias,
                                 int16_t input_offset, Read read, const Rows& input, ConvWindow window,
                                 Store store) {
  const int32_t filter_values = shape.filter_height * shape.filter_width * shape.filter_channels;
  const int32_t groups = shape.in_channels / shape.filter_channels;
  const int32_t group_channels = shape.out_channels / groups;
  int16_t patch[kPatchLength];
  uint32_t sums[kChannelBlock];
  int32_t first = 0;
  for (int32_t group = 0; group < groups; ++group) {
    const int32_t group_end = first + group_channels;
    window.first_channel = group * shape.filter_channels;
    bool filled = false;
    while (first < group_end) {
      const int32_t channels = group_end - first < kChannelBlock ? group_end - first : kChannelBlock;
      const Value* filter = filters + static_cast<intptr_t>(first) * filter_values;
      StartSums(bias, first, channels, sums);
      for (int32_t begin = 0; begin < filter_values;) {
        const int32_t count = filter_values - begin < kPatchLength ? filter_values - begin : kPatchLength;
        // A window of a single part serves all channels of the group.
        if (!filled) {
          FillPatch<Value>(shape, input_offset, input, window, begin, count, patch);
          filled = filter_values <= kPatchLength;
        }
        AddDotProducts(patch, count, filter + begin, filter_values, channels, read, sums);
        begin += count;
      }
      store(sums, first, channels);
      first += channels;
    }
  }
}

// Output rows [first_row, first_row + row_count); store(sums, first, count, pixel) makes them of sums.
template <typename Value, typename Read, typename Store>
static inline void ConvolveRows(const ConvShape& shape, const Value* filters, const int32_t* bias,
                                int16_t input_offset, Read read, const Rows& input, const Rows& output,
                                int32_t first_row, int32_t row_count, Store store) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t image = row / shape.out_height;
    ConvWindow window = {};
    window.image_row = image * shape.in_height;
    window.y = (row - image * shape.out_height) * shape.stride_h - shape.pad_top;
    window.x = -shape.pad_left;
    auto* pixel = reinterpret_cast<Value*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width; ++x) {
      ConvolvePixel(
          shape, filters, bias, input_offset, read, input, window,
          [&](const uint32_t* sums, int32_t first, int32_t count) { store(sums, first, count, pixel); });
      pixel += shape.out_channels;
      window.x += shape.stride_w;
    }
  }
}

}  // namespace lutra
