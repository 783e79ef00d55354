// SPDX-License-Identifier: Apache-2.0
// Computes channels in blocks: for each tap of the window, the input values and the weights of neighbouring
// channels are neighbours in memory, and a block's sums stay in registers or on the stack.

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/kernels/conv_sums.h"

namespace lutra {
namespace {

constexpr int32_t kChannelBlock = 16;
constexpr int32_t kHalfBlock = 8;

struct Window {
  int32_t image_row;  // The first row of the image.
  int32_t y;          // The image row of its first tap.
  int32_t x;
  TapRange rows;
  TapRange columns;
};

// The taps of one line of the window.
struct Line {
  const int8_t* values;
  intptr_t value_step;
  const int8_t* weights;
  intptr_t weight_step;
  int32_t taps;
};

// Adds one input value for each output channel. kCount: the number of channels if the compiler should know
// it; 0: it is `count`. Not inline, like the next function: the loops need all registers.
template <int32_t kCount>
__attribute__((noinline)) void AddLine(const Line& line, int32_t offset, int32_t count,
                                       uint32_t* __restrict sums) {
  const int8_t* __restrict values = line.values;
  const int8_t* __restrict weights = line.weights;
  const intptr_t value_step = line.value_step;
  const intptr_t weight_step = line.weight_step;
  const int32_t n = kCount != 0 ? kCount : count;
  for (int32_t taps = line.taps; taps > 0; --taps) {
    for (int32_t i = 0; i < n; ++i) {
      const int16_t value = static_cast<int16_t>(values[i] + offset);
      sums[i] += static_cast<uint32_t>(value * static_cast<int16_t>(weights[i]));
    }
    values += value_step;
    weights += weight_step;
  }
}

// Adds one input value for each `multiplier` output channels; the first channel is number `phase` of its
// input's.
__attribute__((noinline)) void AddSharedLine(const Line& line, int32_t offset, int32_t multiplier,
                                             int32_t phase, int32_t count, uint32_t* sums) {
  for (int32_t tap = 0; tap < line.taps; ++tap) {
    const int8_t* values = line.values + tap * line.value_step;
    const int8_t* weights = line.weights + tap * line.weight_step;
    int32_t same = multiplier - phase;
    for (int32_t i = 0; i < count;) {
      const int16_t value = static_cast<int16_t>(*values++ + offset);
      const int32_t end = same < count - i ? i + same : count;
      for (; i < end; ++i) {
        sums[i] += static_cast<uint32_t>(value * static_cast<int16_t>(weights[i]));
      }
      same = multiplier;
    }
  }
}

// Computes the call's channels [first, first + count) of one output pixel.
void ComputeBlock(const DepthwiseConv2DArgs& args, const Rows& input, const Window& window,
                  int32_t multiplier, int32_t first, int32_t count, int8_t* output) {
  const ConvShape& shape = *args.shape;
  const int32_t offset = args.quantization.input_offset;
  const int32_t of_layer = args.first_channel + first;
  const int32_t channel = multiplier == 1 ? of_layer : of_layer / multiplier;
  const int32_t taps_before = window.columns.begin;
  Line line;
  line.taps = window.columns.end - window.columns.begin;
  // A dilation beyond the image may be of any size, but then there is no second tap to step to.
  line.value_step = line.taps > 1 ? shape.dilation_w * shape.in_channels : 0;
  line.weight_step = args.channel_count;
  uint32_t sums[kChannelBlock];
  StartSums(args.bias, first, count, sums);
  for (int32_t ky = window.rows.begin; ky < window.rows.end && line.taps > 0; ++ky) {
    line.values =
        reinterpret_cast<const int8_t*>(input.Row(window.image_row + window.y + ky * shape.dilation_h)) +
        (window.x + taps_before * shape.dilation_w) * shape.in_channels + channel;
    line.weights = args.filter + (ky * shape.filter_width + taps_before) * args.channel_count + first;
    if (multiplier != 1) {
      AddSharedLine(line, offset, multiplier, of_layer - channel * multiplier, count, sums);
    } else if (count == kChannelBlock) {
      AddLine<kChannelBlock>(line, offset, count, sums);
    } else if (count == kHalfBlock) {
      AddLine<kHalfBlock>(line, offset, count, sums);
    } else {
      AddLine<0>(line, offset, count, sums);
    }
  }
  StoreSums(sums, args.multipliers + first, count, args.quantization, output);
}

// Computes the call's channels of one output pixel.
void ComputePixel(const DepthwiseConv2DArgs& args, const Rows& input, const Window& window,
                  int32_t multiplier, int8_t* output) {
  const int32_t channels = args.channel_count;
  for (int32_t first = 0; first < channels; first += kChannelBlock) {
    const int32_t rest = channels - first;
    ComputeBlock(args, input, window, multiplier, first, rest < kChannelBlock ? rest : kChannelBlock,
                 output + first);
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
      ComputePixel(args, input, window, multiplier, pixel);
      pixel += shape.out_channels;
      window.x += shape.stride_w;
    }
  }
}

}  // namespace lutra
