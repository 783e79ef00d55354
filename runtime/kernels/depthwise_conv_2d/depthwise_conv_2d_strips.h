// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D's variants copy an image in strips to a buffer, converted, with real 0 outside the image,
// and laid out so that for any stride, dilation and depth multiplier, the values of one tap for an output row
// are neighbours:
//
//   - columns are separated into as many phases as the stride is wide, so that neighbouring windows read
//   neighbouring columns;
//   - a channel that m filters have is stored m times.

#pragma once

#include <stdint.h>

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/kernels/dot_tiles.h"

namespace lutra {
namespace {

// If pixels are not neighbours, this many values are converted at a time, and may be written behind a pixel.
constexpr int32_t kChunk = 16;

// Input values that are converted at a time, on the stack. The number is the same for values of one byte and
// of two: fewer rows that share lines cost more than values beyond the first cache.
constexpr int32_t kBufferValues = 16384;

// Output values that are computed at a time.
template <typename Set>
constexpr int32_t kBlockLanes = Set::kMaxVectors* Set::kLanes;
// The last block may read this many values behind a row's, and the last chunk may write this many.
template <typename Set>
constexpr int32_t kBeyond = kBlockLanes<Set> > Set::kPadChunk ? kBlockLanes<Set> : Set::kPadChunk;

// The layout of the strips of a layer.
struct StripLayout {
  int32_t channels;  // Of the output; less than all if these do not fit.
  int32_t pixels;    // Of the output.
  int32_t rows;      // Of the output that share their lines.
  int32_t phases;
  int32_t phase_values;
  int32_t line_values;
};

static inline int64_t WindowReach(const ConvShape& shape) {
  return (shape.filter_width - int64_t{1}) * shape.dilation_w;
}

// Returns false if not even a pixel of some channels fits.
template <typename Set>
bool MakeStripLayout(const ConvShape& shape, StripLayout* layout) {
  constexpr int32_t kLanes = kBlockLanes<Set>;
  constexpr int64_t kMost = kBufferValues;
  const int64_t reach = WindowReach(shape);
  // Each factor is checked by itself, as products may be too large for any integer.
  if (reach > kMost || shape.filter_height > kMost) return false;
  const int64_t phases = reach < shape.stride_w ? reach + 1 : shape.stride_w;
  const auto phase_values = [&](int64_t pixels, int64_t channels) {
    return (pixels + reach / shape.stride_w) * channels + kBeyond<Set>;
  };
  const auto fits = [&](int64_t pixels, int64_t channels) {
    return phases * phase_values(pixels, channels) <= kMost / shape.filter_height;
  };
  int32_t channels = shape.out_channels;
  while (channels > kMost || !fits(1, channels)) {
    if (channels <= kLanes) return false;
    channels = (channels / 2 + kLanes - 1) / kLanes * kLanes;
  }
  int32_t pixels = shape.out_width;
  while (pixels > kMost || !fits(pixels, channels)) pixels = (pixels + 1) / 2;
  layout->channels = channels;
  layout->pixels = pixels;
  layout->phases = static_cast<int32_t>(phases);
  layout->phase_values = static_cast<int32_t>(phase_values(pixels, channels));
  layout->line_values = layout->phases * layout->phase_values;
  // The rows of dilated windows, or of windows that skip rows, share no lines.
  const auto lines = static_cast<int32_t>(kMost / layout->line_values);
  const bool shares = shape.dilation_h == 1 && shape.stride_h <= shape.filter_height;
  layout->rows = 1;
  if (shares) {
    // Bands of about the same height.
    const int32_t most = (lines - shape.filter_height) / shape.stride_h + 1;
    const int32_t bands = (shape.out_height + most - 1) / most;
    layout->rows = (shape.out_height + bands - 1) / bands;
  }
  return true;
}

// Returns the offset in a line of the values of a window's column `kx` for the first pixel.
static inline int32_t ColumnOffset(const ConvShape& shape, const StripLayout& layout, int32_t kx) {
  const int64_t column = int64_t{kx} * shape.dilation_w;
  return static_cast<int32_t>(column % shape.stride_w * layout.phase_values +
                              column / shape.stride_w * layout.channels);
}

// The channels of a strip, of the output and of the input.
struct ChannelRange {
  int32_t first;
  int32_t count;
  int32_t step;        // From one pixel of the strip to the next.
  int32_t multiplier;  // Filters of an input channel.
};

template <typename Set>
[[gnu::always_inline]] inline void PadChunks(typename Set::Value* to, int32_t count, int32_t input_offset) {
  for (int32_t i = 0; i < count; i += Set::kPadChunk) Set::PadChunk(to + i, input_offset);
}

// Stores each input value once for each of its filters.
template <typename Set>
void RepeatPixel(const ChannelRange& range, const int8_t* from, int32_t input_offset,
                 typename Set::Value* to) {
  int32_t filter = range.first % range.multiplier;
  for (int32_t i = 0; i < range.count; ++from) {
    int32_t end = i + range.multiplier - filter;
    if (end > range.count) end = range.count;
    for (int32_t k = i; k < end; k += kChunk) Set::RepeatChunk(*from, input_offset, to + k);
    i = end;
    filter = 0;
  }
}

// Converts `pixels` pixels of a row that are `step` values apart; `readable` values may be read.
template <typename Set>
void FillPixels(const ChannelRange& range, const int8_t* from, int64_t readable, int64_t step, int32_t pixels,
                int32_t input_offset, typename Set::Value* to) {
  int32_t i = 0;
  if (step == 2 * int64_t{range.step}) i = Set::ConvertEvenPixels(from, readable, range.step, pixels, to);
  from += i * step;
  to += static_cast<intptr_t>(i) * range.step;
  const int64_t rest = readable - i * step - (range.count + kChunk - 1) / kChunk * kChunk;
  // Pixels before `whole` may be read in chunks.
  int64_t whole = rest < 0 ? i : i + rest / step + 1;
  if (whole > pixels) whole = pixels;
  if (range.count % (4 * kChunk) == 0) {
    // These fill whole vectors of any instruction set.
  } else if (range.count <= kChunk) {
    for (; i < whole; ++i, from += step, to += range.step) Set::ConvertChunk(from, input_offset, to);
  } else {
    for (; i < whole; ++i, from += step, to += range.step) {
      for (int32_t k = 0; k < range.count; k += kChunk) Set::ConvertChunk(from + k, input_offset, to + k);
    }
  }
  for (; i < pixels; ++i, from += step, to += range.step) Set::Convert(from, range.count, input_offset, to);
}

// The columns of one phase before, within and behind the image.
struct PhaseColumns {
  int32_t before;
  int32_t within;
  int32_t behind;
  int64_t first;  // The image column of the first one within.
};

// `x` is the first column, the others are `step` apart.
static inline PhaseColumns PhaseColumnsOf(int64_t x, int32_t step, int32_t columns, int32_t width) {
  const auto count = [&](int64_t end) {  // Returns how many lie before `end`.
    int64_t before = x >= end ? 0 : end - x;
    if (step != 1) before = (before + step - 1) / step;
    return static_cast<int32_t>(before < columns ? before : columns);
  };
  const int32_t begin = count(0);
  const int32_t end = count(width);
  return {begin, end - begin, columns - end, x + int64_t{begin} * step};
}

// Fills one phase of a line with the columns of a row of the image; if that is null, all are padding.
template <typename Set>
[[gnu::always_inline]] inline void FillPhase(const ConvShape& shape, const ChannelRange& range,
                                             int32_t input_offset, const int8_t* row,
                                             const PhaseColumns& columns, typename Set::Value* to) {
  const int32_t within = columns.within * range.step;
  if (row == nullptr || within == 0) {
    return PadChunks<Set>(to, (columns.before + columns.behind) * range.step + within, input_offset);
  }
  PadChunks<Set>(to, columns.before * range.step, input_offset);
  to += columns.before * range.step;
  int64_t at = columns.first * shape.in_channels + range.first / range.multiplier;
  if (shape.stride_w == 1 && range.multiplier == 1 && range.step == shape.in_channels) {
    Set::Convert(row + at, within, input_offset, to);
  } else {
    const int64_t step = int64_t{shape.stride_w} * shape.in_channels;
    if (range.multiplier == 1) {
      const int64_t readable = int64_t{shape.in_width} * shape.in_channels - at;
      FillPixels<Set>(range, row + at, readable, step, columns.within, input_offset, to);
    } else {
      for (int32_t i = 0; i < columns.within; ++i) {
        RepeatPixel<Set>(range, row + at + i * step, input_offset,
                         to + static_cast<intptr_t>(i) * range.step);
      }
    }
  }
  PadChunks<Set>(to + within, columns.behind * range.step, input_offset);
}

// Output rows that share lines; `row` is numbered through the batch.
struct RowBand {
  int32_t row;
  int32_t rows;
};

// Fills the lines of a band for `pixels` output pixels from `first` on.
template <typename Set>
void FillBand(const ConvShape& shape, const StripLayout& layout, const ChannelRange& range,
              int32_t input_offset, const Rows& input, const RowBand& band, int32_t first, int32_t pixels,
              typename Set::Value* to) {
  const int32_t image = band.row / shape.out_height;
  const int64_t top = int64_t{band.row - image * shape.out_height} * shape.stride_h - shape.pad_top;
  const int64_t x = int64_t{first} * shape.stride_w - shape.pad_left;
  const auto columns = static_cast<int32_t>(pixels + WindowReach(shape) / shape.stride_w);
  const int32_t lines = (band.rows - 1) * shape.stride_h + shape.filter_height;
  for (int32_t phase = 0; phase < layout.phases; ++phase, to += layout.phase_values) {
    const PhaseColumns those = PhaseColumnsOf(x + phase, shape.stride_w, columns, shape.in_width);
    typename Set::Value* line = to;
    for (int32_t i = 0; i < lines; ++i, line += layout.line_values) {
      const int64_t y = top + int64_t{i} * shape.dilation_h;
      const int8_t* row = nullptr;
      if (y >= 0 && y < shape.in_height) {
        row = reinterpret_cast<const int8_t*>(input.Row(image * shape.in_height + static_cast<int32_t>(y)));
      }
      FillPhase<Set>(shape, range, input_offset, row, those, line);
    }
  }
}

// Calls make(values, range, band, first pixel, pixels) for each strip of output rows [first_row, first_row +
// row_count).
template <typename Set, typename Make>
void ForEachStrip(const ConvShape& shape, const StripLayout& layout, int32_t input_offset, const Rows& input,
                  int32_t first_row, int32_t row_count, const Make& make) {
  alignas(kPackedAlignment) typename Set::Value buffer[kBufferValues];
  const int32_t end = first_row + row_count;
  ChannelRange range = {0, layout.channels, layout.channels, shape.out_channels / shape.in_channels};
  for (; range.first < shape.out_channels; range.first += range.count) {
    if (range.count > shape.out_channels - range.first) range.count = shape.out_channels - range.first;
    for (RowBand band = {first_row, 0}; band.row < end; band.row += band.rows) {
      band.rows = shape.out_height - band.row % shape.out_height;  // Ends with this image.
      if (band.rows > layout.rows) band.rows = layout.rows;
      if (band.rows > end - band.row) band.rows = end - band.row;
      for (int32_t first = 0; first < shape.out_width; first += layout.pixels) {
        const int32_t rest = shape.out_width - first;
        const int32_t pixels = rest < layout.pixels ? rest : layout.pixels;
        FillBand<Set>(shape, layout, range, input_offset, input, band, first, pixels, buffer);
        make(buffer, range, band, first, pixels);
      }
    }
  }
}

}  // namespace
}  // namespace lutra
