// SPDX-License-Identifier: Apache-2.0
// Channels go by in blocks: for each tap of the window, one input value and one weight per channel
// are neighbours in memory, and a block's sums stay in registers or on the stack.

#include "runtime/kernels/conv_sums.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d.h"

namespace lutra {
namespace {

constexpr int32_t kChannelBlock = 16;

struct Window {
  int32_t image_row;  // The first row of the image.
  int32_t y;          // Of its first tap, in the image.
  int32_t x;
  TapRange rows;
  TapRange columns;
};

// Calls add(input pixel, weights of output channel 0) for each tap inside the image.
template <typename Add>
inline void ForEachTap(const DepthwiseConv2DArgs& args, const Rows& input, const Window& window,
                       const Add& add) {
  const ConvShape& shape = *args.shape;
  for (int32_t ky = window.rows.begin; ky < window.rows.end; ++ky) {
    const auto* row =
        reinterpret_cast<const int8_t*>(input.Row(window.image_row + window.y + ky * shape.dilation_h));
    const int8_t* weights = args.filter + ky * shape.filter_width * shape.out_channels;
    for (int32_t kx = window.columns.begin; kx < window.columns.end; ++kx) {
      add(row + (window.x + kx * shape.dilation_w) * shape.in_channels, weights + kx * shape.out_channels);
    }
  }
}

// One input value per output channel.
inline void AddProducts(const int8_t* __restrict values, const int8_t* __restrict weights, int16_t offset,
                        int32_t count, uint32_t* __restrict sums) {
  for (int32_t i = 0; i < count; ++i) {
    const int16_t value = static_cast<int16_t>(values[i] + offset);
    sums[i] += static_cast<uint32_t>(value * static_cast<int16_t>(weights[i]));
  }
}

// One input value for `multiplier` output channels; the first of them is number `phase` of its own.
inline void AddSharedProducts(const int8_t* values, const int8_t* weights, int16_t offset, int32_t multiplier,
                              int32_t phase, int32_t count, uint32_t* sums) {
  for (int32_t i = 0; i < count;) {
    const int16_t value = static_cast<int16_t>(*values++ + offset);
    const int32_t end = multiplier - phase < count - i ? i + multiplier - phase : count;
    for (; i < end; ++i) {
      sums[i] += static_cast<uint32_t>(value * static_cast<int16_t>(weights[i]));
    }
    phase = 0;
  }
}

// All channels of one output pixel.
void MakePixel(const DepthwiseConv2DArgs& args, const Rows& input, const Window& window, int32_t multiplier,
               int8_t* output) {
  const int32_t channels = args.shape->out_channels;
  const int16_t offset = args.quantization.input_offset;
  uint32_t sums[kChannelBlock];
  for (int32_t first = 0; first < channels; first += kChannelBlock) {
    const int32_t count = channels - first < kChannelBlock ? channels - first : kChannelBlock;
    StartSums(args.bias, first, count, sums);
    if (multiplier != 1) {
      const int32_t channel = first / multiplier;
      const int32_t phase = first - channel * multiplier;
      ForEachTap(args, input, window, [&](const int8_t* pixel, const int8_t* weights) {
        AddSharedProducts(pixel + channel, weights + first, offset, multiplier, phase, count, sums);
      });
    } else if (count == kChannelBlock) {
      ForEachTap(args, input, window, [&](const int8_t* pixel, const int8_t* weights) {
        AddProducts(pixel + first, weights + first, offset, kChannelBlock, sums);
      });
    } else {
      ForEachTap(args, input, window, [&](const int8_t* pixel, const int8_t* weights) {
        AddProducts(pixel + first, weights + first, offset, count, sums);
      });
    }
    StoreSums(sums, args.multipliers + first, count, args.quantization, output + first);
  }
}

}  // namespace

void DepthwiseConv2DRef(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                        int32_t first_row, int32_t row_count) {
  const ConvShape& shape = *args.shape;
  const int32_t multiplier = shape.out_channels / shape.in_channels;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t image = row / shape.out_height;
    Window window;
    window.image_row = image * shape.in_height;
    window.y = (row - image * shape.out_height) * shape.stride_h - shape.pad_top;
    window.x = -shape.pad_left;
    window.rows = TapsInside(window.y, shape.filter_height, shape.dilation_h, shape.in_height);
    auto* pixel = reinterpret_cast<int8_t*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width; ++x) {
      window.columns = TapsInside(window.x, shape.filter_width, shape.dilation_w, shape.in_width);
      MakePixel(args, input, window, multiplier, pixel);
      pixel += shape.out_channels;
      window.x += shape.stride_w;
    }
  }
}

}  // namespace lutra
