// SPDX-License-Identifier: Apache-2.0
// Computes pixels one by one: multiplies the lines of a window that lie in the image with the filters,
// without copying a window. Padding, which adds nothing, is left out. If there is room for three whole
// windows, three neighbouring pixels are computed together.
//
//   RowMemory memory(args.scratch, args.scratch_bytes);
//   Pixels pixels(args, input, memory.values, memory.words);
//   pixels.Make(window, first_channel, outputs, output);
//   if (pixels.HasThree()) pixels.MakeThree(window, outputs, output);

#pragma once

#include <stdint.h>

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "runtime/kernels/conv_sums.h"
#include "runtime/kernels/loops_armdsp.h"
#include "runtime/kernels/row_products_armdsp.h"

namespace lutra {
namespace {

struct Window {
  int32_t image_row;  // The first row of the image.
  int32_t y;          // The image row of its first tap.
  int32_t x;
};

// Returns the window of an output pixel.
inline Window WindowAt(const ConvShape& shape, int32_t row, int32_t column) {
  const int32_t image = row / shape.out_height;
  return {image * shape.in_height, (row - image * shape.out_height) * shape.stride_h - shape.pad_top,
          column * shape.stride_w - shape.pad_left};
}

class Pixels {
 public:
  // `memory` has room for `most_words` words of four values, 8 bytes each: whole windows are expanded once if
  // they fit, else part by part, again for each 32 channels.
  Pixels(const Conv2DArgs& args, const Rows& input, uint32_t* memory, int32_t most_words)
      : args_(args), shape_(*args.shape), input_(input), memory_(memory), most_words_(most_words) {
    offset_ = static_cast<uint32_t>(args.quantization.input_offset & 0xFFFF) * 0x10001u;
    is_dense_ =
        (shape_.dilation_w == 1 || shape_.filter_width == 1) && shape_.filter_channels == shape_.in_channels;
    depth_ = shape_.filter_height * shape_.filter_width * shape_.filter_channels;
    keeps_ = depth_ / 4 <= most_words_;
  }

  // Returns whether there are enough contiguous values for whole words. Otherwise values are multiplied one
  // by one.
  static bool HasWords(const ConvShape& shape) {
    const bool is_dense = shape.dilation_w == 1 && shape.filter_channels == shape.in_channels;
    return (is_dense ? shape.filter_width * shape.filter_channels : shape.filter_channels) >= 4;
  }

  // Returns whether there is room for the windows of three neighbouring pixels.
  bool HasThree() const {
    return is_dense_ && shape_.in_channels % 4 == 0 && 3 * (depth_ / 4) <= most_words_;
  }

  // Computes output channels of the group that begins at `first_channel` of the input.
  LUTRA_RARE void Make(const Window& window, int32_t first_channel, const ChannelRange& outputs,
                       int8_t* output) {
    constexpr int32_t kChannelBlock = 32;
    uint32_t sums[kChannelBlock];
    is_expanded_ = false;
    for (int32_t first = outputs.begin; first < outputs.end; first += kChannelBlock) {
      int32_t channels = outputs.end - first;
      if (channels > kChannelBlock) channels = kChannelBlock;
      sums[1] = 0;  // A single channel is computed twice; this sum is not stored.
      StartSums(args_.bias, first, channels, sums);
      block_ = {.filter = args_.filter + static_cast<intptr_t>(first) * depth_,
                .step = channels > 1 ? depth_ : 0,
                .channels = channels,
                .sums = sums,
                .values = memory_};
      AddWindow(window, first_channel);
      is_expanded_ = keeps_;
      StoreSums(sums, args_.multipliers + first, channels, args_.quantization, output + first);
    }
  }

  // Computes output channels of a pixel and of the next two, in a layer of one group.
  LUTRA_RARE void MakeThree(const Window& window, const ChannelRange& outputs, int8_t* output) {
    constexpr int32_t kChannelBlock = 16;
    uint32_t sums[3 * kChannelBlock];
    const TapRange rows = TapsInside(window.y, shape_.filter_height, shape_.dilation_h, shape_.in_height);
    const int32_t line_values = shape_.filter_width * shape_.filter_channels;
    const int32_t lines = rows.end > rows.begin ? rows.end - rows.begin : 0;
    const int32_t words = lines * line_values / 4;
    for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
      const auto* line =
          reinterpret_cast<const int8_t*>(input_.Row(window.image_row + window.y + ky * shape_.dilation_h));
      for (int32_t i = 0; i < 3; ++i) {
        ExpandLine(line, window.x + i * shape_.stride_w,
                   memory_ + 6 * (line_values / 4) * (ky - rows.begin) + 2 * i);
      }
    }
    for (int32_t first = outputs.begin; first < outputs.end; first += kChannelBlock) {
      int32_t channels = outputs.end - first;
      if (channels > kChannelBlock) channels = kChannelBlock;
      for (int32_t i = 0; i < 3; ++i) StartSums(args_.bias, first, channels, sums + i * channels);
      const ThreeRowsJob job = {
          .values = memory_,
          .blocks_end = memory_ + words / 4 * 24,
          .values_end = memory_ + words * 6,
          .step = depth_ - 4 * words,
          .sums = sums,
          .channels = channels,
          .weights = args_.filter + static_cast<intptr_t>(first) * depth_ + rows.begin * line_values};
      LutraThreeRowsArmdsp(&job);
      for (int32_t i = 0; i < 3; ++i) {
        StoreSums(sums + i * channels, args_.multipliers + first, channels, args_.quantization,
                  output + i * shape_.out_channels + first);
      }
    }
  }

 private:
  // Expands a line of the window at column x for MakeThree. Padding becomes zeros.
  void ExpandLine(const int8_t* line, int32_t x, uint32_t* to) const {
    const TapRange columns = TapsInside(x, shape_.filter_width, shape_.dilation_w, shape_.in_width);
    const int32_t tap_words = shape_.in_channels / 4;
    for (int32_t i = 0; i < shape_.filter_width * tap_words; ++i) to[6 * i] = to[6 * i + 1] = 0;
    const int32_t words = (columns.end - columns.begin) * tap_words;
    if (words <= 0) return;
    LutraExpandRowOfThreeArmdsp(line + (x + columns.begin) * shape_.in_channels,
                                to + 6 * columns.begin * tap_words, words, offset_);
  }

  // Channels that are computed together.
  struct Block {
    const int8_t* filter;
    int32_t step;  // From filter to filter.
    int32_t channels;
    uint32_t* sums;
    uint32_t* values;  // Where the next values are expanded.
  };

  void AddWindow(const Window& window, int32_t first_channel) {
    const TapRange rows = TapsInside(window.y, shape_.filter_height, shape_.dilation_h, shape_.in_height);
    const TapRange columns = TapsInside(window.x, shape_.filter_width, shape_.dilation_w, shape_.in_width);
    const int32_t taps = columns.end - columns.begin;
    if (taps <= 0) return;
    const int32_t runs = is_dense_ ? 1 : taps;
    const int32_t count = (is_dense_ ? taps : 1) * shape_.filter_channels;
    for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
      const auto* values =
          reinterpret_cast<const int8_t*>(input_.Row(window.image_row + window.y + ky * shape_.dilation_h));
      int32_t x = window.x + columns.begin * shape_.dilation_w;
      const int8_t* weights =
          block_.filter + (ky * shape_.filter_width + columns.begin) * shape_.filter_channels;
      for (int32_t i = 0; i < runs; ++i, x += shape_.dilation_w, weights += count) {
        AddRun(values + x * shape_.in_channels + first_channel, weights, count);
      }
    }
  }

  // Adds the products of contiguous values.
  void AddRun(const int8_t* values, const int8_t* weights, int32_t count) {
    for (int32_t left = count / 4; left > 0;) {
      const int32_t words = left < most_words_ ? left : most_words_;
      if (!is_expanded_) LutraExpandRowArmdsp(values, block_.values, words, offset_);
      const int32_t channels = block_.channels > 1 ? block_.channels : 2;
      AddRowProducts({block_.values, words, weights, block_.step}, channels, block_.sums);
      if (keeps_) block_.values += 2 * words;
      values += 4 * words;
      weights += 4 * words;
      left -= words;
    }
    if (count % 4 == 0) return;
    AddRowRest(values, count % 4, args_.quantization.input_offset, {nullptr, 0, weights, block_.step},
               block_.channels, block_.sums);
  }

  const Conv2DArgs& args_;
  const ConvShape& shape_;
  const Rows& input_;
  uint32_t* memory_;
  int32_t most_words_;
  uint32_t offset_;
  bool is_dense_;  // A window's line is contiguous in the input.
  bool keeps_;     // Whole windows are expanded once.
  bool is_expanded_ = false;
  int32_t depth_;  // Values of a window.
  Block block_ = {};
};

}  // namespace
}  // namespace lutra
