// SPDX-License-Identifier: Apache-2.0
// For each output pixel, the input values under its window are copied into a contiguous patch, with zeros for
// padding, in the order of a filter's weights. Outputs are dot products of the patch and the filters. Long
// windows are computed in parts.

#include <string.h>

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "runtime/kernels/conv_sums.h"

namespace lutra {
namespace {

constexpr int32_t kPatchLength = 256;
constexpr int32_t kChannelBlock = 32;

// An output pixel's window in one group.
struct Window {
  int32_t image_row;  // The first row of the image.
  int32_t y;          // The image row of its first tap.
  int32_t x;
  int32_t first_channel;  // The first channel of the group.
};

// Fills values [begin, end) of a line of taps, if the values of neighbouring taps are neighbours in the
// input.
void FillDenseLine(const ConvShape& shape, int16_t offset, const int8_t* row, int32_t x, int32_t begin,
                   int32_t end, int16_t* patch) {
  const int32_t line = x * shape.in_channels;  // The line's begin in the row.
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

// Fills a line tap by tap, if a dilated filter leaves gaps between taps.
void FillSparseLine(const ConvShape& shape, int16_t offset, const int8_t* row, const Window& window,
                    int32_t begin, int32_t end, int16_t* patch) {
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

// Fills `patch` with values [begin, begin + count) of the window.
void FillPatch(const ConvShape& shape, int16_t offset, const Rows& input, const Window& window, int32_t begin,
               int32_t count, int16_t* patch) {
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
      const auto* row = reinterpret_cast<const int8_t*>(input.Row(window.image_row + y));
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

// Computes the call's channels of one output pixel.
void ComputePixel(const Conv2DArgs& args, const Rows& input, Window window, int8_t* output) {
  const ConvShape& shape = *args.shape;
  const int32_t filter_values = shape.filter_height * shape.filter_width * shape.filter_channels;
  const int32_t groups = shape.in_channels / shape.filter_channels;
  const int32_t group_channels = shape.out_channels / groups;
  int16_t patch[kPatchLength];
  uint32_t sums[kChannelBlock];
  int32_t group = args.first_channel / group_channels;
  int32_t group_end = (group + 1) * group_channels - args.first_channel;
  for (int32_t first = 0; first < args.channel_count; group_end += group_channels, ++group) {
    if (group_end > args.channel_count) group_end = args.channel_count;
    window.first_channel = group * shape.filter_channels;
    bool filled = false;
    while (first < group_end) {
      const int32_t channels = group_end - first < kChannelBlock ? group_end - first : kChannelBlock;
      const int8_t* filter = args.filter + static_cast<intptr_t>(first) * filter_values;
      StartSums(args.bias, first, channels, sums);
      for (int32_t begin = 0; begin < filter_values;) {
        const int32_t count = filter_values - begin < kPatchLength ? filter_values - begin : kPatchLength;
        // If the window has one part only, the patch serves all channels of the group.
        if (!filled) {
          FillPatch(shape, args.quantization.input_offset, input, window, begin, count, patch);
          filled = filter_values <= kPatchLength;
        }
        AddDotProducts(patch, count, filter + begin, filter_values, channels, sums);
        begin += count;
      }
      StoreSums(sums, args.multipliers + first, channels, args.quantization, output + first);
      first += channels;
    }
  }
}

}  // namespace

void Conv2DRef(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
               int32_t row_count) {
  const ConvShape& shape = *args.shape;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t image = row / shape.out_height;
    Window window = {};
    window.image_row = image * shape.in_height;
    window.y = (row - image * shape.out_height) * shape.stride_h - shape.pad_top;
    window.x = -shape.pad_left;
    auto* pixel = reinterpret_cast<int8_t*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width; ++x) {
      ComputePixel(args, input, window, pixel);
      pixel += shape.out_channels;
      window.x += shape.stride_w;
    }
  }
}

}  // namespace lutra
