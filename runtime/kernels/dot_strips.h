// SPDX-License-Identifier: Apache-2.0
// Strips of an image for dot_pixels.h: the input rows under a stretch of an output row, converted, with real
// 0 where they leave the image. Loops over a strip need not check for the input's end or edges.

#pragma once

#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"
#include "runtime/kernels/dot_layer.h"

namespace lutra {
namespace {

static inline int64_t StripColumns(const ConvShape& shape, int32_t pixels) {
  return (pixels - int64_t{1}) * shape.stride_w + (shape.filter_width - int64_t{1}) * shape.dilation_w + 1;
}

// Returns the values of a strip's line for so many pixels. Behind them, `beyond` more may be read.
static inline int64_t StripLine(const ConvShape& shape, int32_t pixels, int32_t beyond) {
  return StripColumns(shape, pixels) * shape.in_channels + beyond;
}

template <typename Set>
bool FitsStrip(const ConvShape& shape, int32_t pixels, int32_t beyond) {
  // One by one, as their product may be too large for any integer.
  return StripColumns(shape, pixels) <= kStripValues<Set> && shape.in_channels <= kStripValues<Set> &&
         StripLine(shape, pixels, beyond) <= kStripValues<Set> / shape.filter_height;
}

// The part of a strip's line that lies in the image, in values: [begin, end) from value `from` of a row on.
struct LineValues {
  int32_t begin;
  int32_t end;
  intptr_t from;
  int32_t all;  // With what may be read behind the line.
};

// The values of columns [x, x + columns).
static inline LineValues LineValuesOf(const ConvShape& shape, int64_t x, int64_t columns, int32_t beyond) {
  const auto within = [](int64_t value, int64_t limit) {
    return value < 0 ? 0 : value > limit ? limit : value;
  };
  const int64_t begin = within(-x, columns);
  const int64_t end = begin + within(shape.in_width - x - begin, columns - begin);
  const auto values = [&](int64_t count) { return static_cast<int32_t>(count) * shape.in_channels; };
  return {values(begin), values(end), end > begin ? static_cast<intptr_t>(values(x + begin)) : 0,
          values(columns) + beyond};
}

// Returns how many values may be written behind a line.
template <typename Set>
constexpr int32_t BehindLine() {
  if constexpr (requires { Set::kBehindLine; }) return Set::kBehindLine;
  return 0;
}

// `row`: null for one that does not exist, of which all is padding.
template <typename Set>
void FillStripLine(const LineValues& values, int32_t input_offset, const int8_t* row,
                   typename Set::Value* line) {
  const bool is_padding = row == nullptr || values.begin >= values.end;
  if constexpr (requires { Set::kBehindLine; }) {
    if (is_padding) return Set::ConvertLine(nullptr, 0, 0, values.all, input_offset, line);
    return Set::ConvertLine(row + values.from, values.begin, values.end, values.all, input_offset, line);
  }
  if (is_padding) return Set::Pad(line, values.all, input_offset);
  Set::Pad(line, values.begin, input_offset);
  Set::Convert(row + values.from, values.end - values.begin, input_offset, line + values.begin);
  Set::Pad(line + values.end, values.all - values.end, input_offset);
}

// Output rows that share a band of input rows, the first of them in one image's row `row`.
struct Band {
  int32_t row;
  int32_t rows;
};

static inline int32_t BandLines(const ConvShape& shape, int32_t rows) {
  return (rows - 1) * shape.stride_h + shape.filter_height;
}

// Returns how many output rows may share a band of `line` values a line: one where windows are dilated or
// leave out rows.
template <typename Set>
int32_t RowsOfBand(const ConvShape& shape, int64_t line) {
  if (shape.dilation_h != 1 || shape.stride_h > shape.filter_height) return 1;
  const auto lines = static_cast<int32_t>(kStripValues<Set> / line);
  return lines < shape.filter_height ? 1 : (lines - shape.filter_height) / shape.stride_h + 1;
}

// Fills the lines of a band, for pixels [first, first + pixels) of its rows.
template <typename Set>
void FillBand(const ConvShape& shape, int32_t input_offset, const Rows& input, const Band& band,
              int32_t first, int32_t pixels, int32_t beyond, typename Set::Value* values) {
  const int32_t image = band.row / shape.out_height;
  const int64_t top = int64_t{band.row - image * shape.out_height} * shape.stride_h - shape.pad_top;
  const int64_t x = int64_t{first} * shape.stride_w - shape.pad_left;
  const int32_t lines = BandLines(shape, band.rows);
  const LineValues of_line = LineValuesOf(shape, x, StripColumns(shape, pixels), beyond);
  for (int32_t line = 0; line < lines; ++line) {
    const int64_t y = top + int64_t{line} * shape.dilation_h;
    const int8_t* from = nullptr;
    if (y >= 0 && y < shape.in_height) {
      from = reinterpret_cast<const int8_t*>(input.Row(image * shape.in_height + static_cast<int32_t>(y)));
    }
    FillStripLine<Set>(of_line, input_offset, from, values);
    values += of_line.all;
  }
}

// The strips that an image is made in.
struct StripSizes {
  int32_t pixels;    // A strip has so many of a row.
  int32_t readable;  // As DotStrip::readable_pixels.
  int32_t line;      // Values.
  int32_t rows;      // That share a band.
};

// A strip of one pixel must fit.
template <typename Set>
StripSizes SizesOfStrips(const ConvShape& shape, int32_t beyond) {
  StripSizes sizes;
  sizes.pixels = shape.out_width;
  while (!FitsStrip<Set>(shape, sizes.pixels, beyond)) sizes.pixels = (sizes.pixels + 1) / 2;
  sizes.readable = sizes.pixels;
  if (sizes.pixels > 1 && sizes.pixels < kMaxTilePixels && FitsStrip<Set>(shape, kMaxTilePixels, beyond)) {
    sizes.readable = kMaxTilePixels;
  }
  sizes.line = static_cast<int32_t>(StripLine(shape, sizes.readable, beyond));
  sizes.rows = RowsOfBand<Set>(shape, sizes.line);
  return sizes;
}

// Returns how many rows of an image ForEachStrip reads before the first is made.
template <typename Set>
int32_t RowsOfStrip(const ConvShape& shape, int32_t beyond) {
  const StripSizes sizes = SizesOfStrips<Set>(shape, beyond);
  return sizes.pixels == shape.out_width ? sizes.rows : 1;
}

// Calls make(strip, row, first pixel) for all of output rows [first_row, first_row + row_count). A strip of
// one pixel must fit. `together`: a strip may have several whole rows. `make` may set what it likes of a
// strip: a copy of what has just been written would wait for all that went before.
template <typename Set, typename Make>
void ForEachStrip(const ConvShape& shape, int32_t input_offset, int32_t beyond, const Rows& input,
                  int32_t first_row, int32_t row_count, bool together, const Make& make) {
  alignas(kPackedAlignment) typename Set::Value buffer[kStripValues<Set> + BehindLine<Set>()];
  const StripSizes sizes = SizesOfStrips<Set>(shape, beyond);
  // With a pixel at a time there is no step, and the stride may be any.
  const int32_t pixel_step = sizes.pixels > 1 ? shape.stride_w * shape.in_channels : 0;
  const int32_t end = first_row + row_count;
  for (Band band = {first_row, 0}; band.row < end; band.row += band.rows) {
    band.rows = shape.out_height - band.row % shape.out_height;  // Not beyond this image.
    if (band.rows > sizes.rows) band.rows = sizes.rows;
    if (band.rows > end - band.row) band.rows = end - band.row;
    for (int32_t first = 0; first < shape.out_width; first += sizes.pixels) {
      FillBand<Set>(shape, input_offset, input, band, first, sizes.readable, beyond, buffer);
      DotStrip<Set> strip = {buffer, pixel_step, sizes.line, sizes.pixels, sizes.readable};
      if (strip.pixels > shape.out_width - first) strip.pixels = shape.out_width - first;
      if (together && strip.pixels == shape.out_width && band.rows > 1) {
        strip.row_pixels = shape.out_width;
        strip.row_step = shape.stride_h * sizes.line;
        strip.pixels = band.rows * shape.out_width;
        make(strip, band.row, 0);
        continue;
      }
      for (int32_t i = 0; i < band.rows; ++i) {
        strip.values = buffer + static_cast<intptr_t>(i) * shape.stride_h * sizes.line;
        make(strip, band.row + i, first);
      }
    }
  }
}

}  // namespace
}  // namespace lutra
