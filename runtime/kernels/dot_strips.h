// SPDX-License-Identifier: Apache-2.0
// Strips of an image for dot_tiles.h: the input rows under a stretch of an output row, converted, with real 0
// where they leave the image. Neither the input's end nor its edges are to be looked at any more.

#pragma once

#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"
#include "runtime/kernels/dot_tiles.h"

namespace lutra {
namespace {

static inline int64_t StripColumns(const ConvShape& shape, int32_t pixels) {
  return (pixels - int64_t{1}) * shape.stride_w + (shape.filter_width - int64_t{1}) * shape.dilation_w + 1;
}

// Values of a strip's line for so many pixels. Behind them, `beyond` more may be read.
static inline int64_t StripLine(const ConvShape& shape, int32_t pixels, int32_t beyond) {
  return StripColumns(shape, pixels) * shape.in_channels + beyond;
}

template <typename Set>
bool FitsStrip(const ConvShape& shape, int32_t pixels, int32_t beyond) {
  // One by one, as their product may be too large for any integer.
  return StripColumns(shape, pixels) <= kStripValues<Set> && shape.in_channels <= kStripValues<Set> &&
         StripLine(shape, pixels, beyond) <= kStripValues<Set> / shape.filter_height;
}

// Columns [x, x + columns) of an image's row; of a row that does not exist (null), all are padding.
template <typename Set>
void FillStripLine(const ConvShape& shape, int32_t input_offset, const int8_t* row, int64_t x,
                   int64_t columns, int32_t beyond, typename Set::Value* line) {
  const auto within = [](int64_t value, int64_t limit) {
    return value < 0 ? 0 : value > limit ? limit : value;
  };
  const int64_t begin = row == nullptr ? columns : within(-x, columns);
  const int64_t end = begin + within(shape.in_width - x - begin, columns - begin);
  const auto values = [&](int64_t count) { return static_cast<int32_t>(count) * shape.in_channels; };
  Set::Pad(line, values(begin), input_offset);
  if (end > begin) {
    Set::Convert(row + values(x + begin), values(end - begin), input_offset, line + values(begin));
  }
  Set::Pad(line + values(end), values(columns - end) + beyond, input_offset);
}

// Pixels [first, first + pixels) of an output row.
template <typename Set>
void FillStrip(const ConvShape& shape, int32_t input_offset, const Rows& input, int32_t row, int32_t first,
               int32_t pixels, int32_t beyond, typename Set::Value* values) {
  const int32_t image = row / shape.out_height;
  const int64_t top = int64_t{row - image * shape.out_height} * shape.stride_h - shape.pad_top;
  const int64_t x = int64_t{first} * shape.stride_w - shape.pad_left;
  for (int32_t ky = 0; ky < shape.filter_height; ++ky) {
    const int64_t y = top + int64_t{ky} * shape.dilation_h;
    const int8_t* from = nullptr;
    if (y >= 0 && y < shape.in_height) {
      from = reinterpret_cast<const int8_t*>(input.Row(image * shape.in_height + static_cast<int32_t>(y)));
    }
    FillStripLine<Set>(shape, input_offset, from, x, StripColumns(shape, pixels), beyond, values);
    values += StripLine(shape, pixels, beyond);
  }
}

// Calls make(strip, first pixel) for all of an output row. A strip of one pixel must fit.
template <typename Set, typename Make>
void ForEachStrip(const ConvShape& shape, int32_t input_offset, int32_t beyond, const Rows& input,
                  int32_t row, const Make& make) {
  alignas(kPackedAlignment) typename Set::Value buffer[kStripValues<Set>];
  int32_t part = shape.out_width;
  while (!FitsStrip<Set>(shape, part, beyond)) part = (part + 1) / 2;
  for (int32_t first = 0; first < shape.out_width; first += part) {
    const int32_t pixels = shape.out_width - first < part ? shape.out_width - first : part;
    int32_t readable = pixels;
    if (pixels > 1 && pixels < kMaxTilePixels && FitsStrip<Set>(shape, kMaxTilePixels, beyond)) {
      readable = kMaxTilePixels;
    }
    FillStrip<Set>(shape, input_offset, input, row, first, readable, beyond, buffer);
    const DotStrip<Set> strip = {buffer, shape.stride_w * shape.in_channels,
                                 static_cast<int32_t>(StripLine(shape, readable, beyond)), pixels, readable};
    make(strip, first);
  }
}

}  // namespace
}  // namespace lutra
