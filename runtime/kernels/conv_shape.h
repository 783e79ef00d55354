// SPDX-License-Identifier: Apache-2.0
// The geometry of a convolution.
//
// Images are [rows, width, channels]; the rows of a batch are numbered through (rows.h). Output
// pixel (y, x) has a window of the input pixels
//   (y * stride_h - pad_top + ky * dilation_h, x * stride_w - pad_left + kx * dilation_w),
// of which those outside the image count as real 0. Prepare has checked that every such coordinate fits
// int32; a window may lie outside the image altogether.
//
// A call computes output channels [first_channel, first_channel + channel_count) of its rows. Filters, biases
// and multipliers are those of these channels alone. Output rows begin with the first of these channels;
// pixels are out_channels apart. Variants that prepare take all channels of a layer.

#pragma once

#include <stdint.h>

namespace lutra {

struct ConvShape {
  int32_t in_height;  // Rows of each image.
  int32_t in_width;
  int32_t in_channels;
  int32_t out_height;
  int32_t out_width;
  int32_t out_channels;
  int32_t filter_height;
  int32_t filter_width;
  int32_t filter_channels;  // The input channels of one output channel.
  int32_t stride_h;
  int32_t stride_w;
  int32_t dilation_h;
  int32_t dilation_w;
  int32_t pad_top;
  int32_t pad_left;
};

// Returns whether a call computes all channels of its layer.
template <typename Args>
static inline bool MakesAllChannels(const Args& args) {
  return args.channel_count == args.shape->out_channels;
}

// The channels of a group that a call computes, numbered from the call's first one. Empty: end <= begin.
struct ChannelRange {
  int32_t begin;
  int32_t end;
};
template <typename Args>
static inline ChannelRange ChannelsOfGroup(const Args& args, int32_t group, int32_t channels_of_group) {
  const int32_t begin = group * channels_of_group - args.first_channel;
  const int32_t end = begin + channels_of_group;
  return {begin > 0 ? begin : 0, end < args.channel_count ? end : args.channel_count};
}

// Says how an int8 convolution reads its input and writes its output.
struct ConvQuantization {
  int16_t input_offset;   // Minus the input's zero point.
  int16_t output_offset;  // The output's zero point.
  int8_t activation_min;
  int8_t activation_max;
};

// The taps [begin, end) of a window that lie within [0, size). The window has `window` taps, from `origin` on
// and `dilation` apart. Empty: end <= begin.
struct TapRange {
  int32_t begin;
  int32_t end;
};
static inline TapRange TapsInside(int32_t origin, int32_t window, int32_t dilation, int32_t size) {
  TapRange taps = {0, 0};
  if (origin >= size) return taps;
  if (origin < 0) taps.begin = (-1 - origin) / dilation + 1;
  // The difference has 32 bits, as origin may be far below 0.
  const uint32_t last =
      (static_cast<uint32_t>(size) - 1 - static_cast<uint32_t>(origin)) / static_cast<uint32_t>(dilation);
  taps.end = last < static_cast<uint32_t>(window) ? static_cast<int32_t>(last) + 1 : window;
  return taps;
}

}  // namespace lutra
