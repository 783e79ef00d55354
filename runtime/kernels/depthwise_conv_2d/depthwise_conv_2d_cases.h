// SPDX-License-Identifier: Apache-2.0
// Problems for the tests of the depthwise convolution kernels. Needs no C++ library.

#pragma once

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/kernels/conv_cases.h"

namespace lutra {

// Channels around vector and block lengths; windows partly and wholly in the padding.
inline constexpr ConvCase kDepthwiseConv2DCases[] = {
    {"one_value", 1, 1, 1, 1, 1, 1, 1, 1, true},
    {"block", 6, 5, 16, 16, 3, 3, 1, 1, true, 2},
    {"below_block", 6, 5, 15, 15, 3, 3, 1, 1, true, 1, 1, 0, 0},
    {"above_block", 5, 6, 33, 33, 3, 3, 2, 1, true, 2, 1, 127, -128, -20, 90},
    {"eight", 7, 7, 8, 8, 3, 3, 1, 1, true, 1, 1, 126, 126},
    {"whole_image", 25, 5, 64, 64, 25, 5, 1, 1, false},
    {"even_window", 8, 7, 3, 3, 4, 2, 2, 1, true, 2, 1, 5, -5, -128, 127, false},
    {"stride_beyond_window", 10, 11, 4, 4, 1, 2, 3, 1, true, 1, 1, -1, 1},
    {"dilated", 9, 8, 20, 20, 3, 3, 1, 2, true, 2},
    {"dilated_valid_stride", 11, 12, 3, 3, 3, 2, 2, 3, false, 1, 1, -128, -128, -128, 100},
    {"one_channel_to_eight", 9, 8, 1, 8, 10, 8, 2, 1, true, 2},
    {"one_channel_to_many", 4, 5, 1, 37, 3, 3, 1, 1, true},
    {"multiplier_two", 5, 6, 11, 22, 3, 3, 2, 1, true, 2},
    {"multiplier_three", 5, 6, 7, 21, 2, 3, 1, 1, true, 1, 1, 3, -66},
    {"multiplier_beyond_block", 3, 4, 3, 60, 3, 3, 1, 2, true},
    {"padding_only", 2, 3, 18, 18, 2, 2, 1, 1, true, 2, 1, -7, 7, -128, 127, true, 3},
    {"padding_only_multiplier", 3, 2, 4, 8, 3, 2, 2, 2, true, 1, 1, -7, 7, -128, 127, true, 4},
    {"window_beyond_image", 2, 2, 5, 5, 7, 9, 1, 1, true},
    {"dilation_beyond_image", 3, 4, 24, 24, 2, 2, 1, 1 << 29, true, 1, 1, 100, 0},
    {"distant_taps", 1, 4, 24, 24, 3, 3, 1, 1 << 28, true, 1, 1, 100, 0},
    {"column", 28, 1, 24, 24, 5, 1, 1, 1, false, 2, 1, -128, 4},
    {"column_same", 49, 1, 22, 22, 9, 1, 1, 1, true, 2, 1, 100, -7, -128, 60},
    {"column_to_point", 21, 1, 64, 64, 21, 1, 1, 1, false, 1, 1, 127, -10},
    {"column_dilated", 30, 1, 7, 7, 3, 1, 2, 4, true, 1, 1, -128, 127},
    {"two_columns", 9, 2, 18, 18, 3, 3, 1, 1, true, 2, 1, 5, 5},
    {"two_narrow_columns", 7, 5, 9, 9, 2, 4, 2, 1, false, 1, 1, 5, 5, -128, 127, false},
    {"points", 4, 4, 20, 20, 4, 4, 1, 1, false, 3, 1, -128, 0},
    {"one_channel_to_fours", 90, 90, 1, 8, 5, 5, 2, 1, false, 1, 1, 0, -128},
    {"wide_to_fours", 5, 3400, 1, 8, 5, 5, 1, 1, false, 1, 1, 0, 5},
    {"column_same_long", 40, 1, 5, 5, 9, 1, 1, 1, true, 1, 1, 3, 4},
    {"column_same_odd", 41, 1, 6, 6, 8, 1, 1, 1, true, 1, 1, -3, 4},
    {"two_channels_to_fours", 8, 3, 2, 16, 3, 2, 1, 1, true, 2, 1, -9, 9},
    {"beyond_int32", 257, 257, 1, 1, 257, 257, 1, 1, false, 1, 1, 127, 0, -128, 127, true, 0, true},
};

// Problems for in-place tests: rows and pixels that shrink and grow.
inline constexpr ConvCase kDepthwiseConv2DInPlaceCases[] = {
    {"same", 6, 8, 32, 32, 3, 3, 1, 1, true, 2},         {"growing", 6, 8, 16, 32, 3, 3, 1, 1, true},
    {"shrinking", 8, 9, 40, 40, 3, 3, 2, 1, true, 2},    {"valid", 9, 8, 24, 24, 3, 3, 1, 1, false},
    {"dilated", 9, 8, 24, 24, 3, 3, 1, 2, true, 3},      {"column", 28, 1, 24, 24, 5, 1, 1, 1, false},
    {"column_same", 30, 1, 22, 22, 9, 1, 1, 1, true, 2}, {"column_stride", 49, 1, 12, 12, 9, 1, 2, 1, true},
    {"column_growing", 12, 1, 4, 16, 3, 1, 1, 1, true},  {"two_columns", 12, 2, 10, 10, 3, 3, 1, 1, true},
};

template <typename Args>
inline constexpr auto kDepthwiseConv2DProblems = [](auto& memory, auto& problems) {
  const auto add = [&](const ConvCase& c) { AddConvolution<Args>(c, DepthwiseShapeOf(c), memory, problems); };
  for (const ConvCase& c : kDepthwiseConv2DCases) add(c);
  for (int32_t channels = 1; channels <= kMaxCount; channels += kChannelStep<Args>) {
    add({"each", 4, 3, channels, channels, 3, 3, 1, 1, true, 1, 1, 5});
    add({"from_1", 2, 3, 1, channels, 2, 2, 1, 1, false});
  }
  if constexpr (kConvolvesReals<Args>) return;
  // The sums of these layers need no sign; their images have small widths.
  for (int32_t i = 0; i < 60; ++i) {
    const int32_t channels = 4 + i % 7;
    ConvCase c = {"no_sign", 3 + i % 3, 1 + i % 11, channels, channels, 3, 3, 1, 1, i % 11 < 2 || i % 4 != 0};
    c.input_zero_point = static_cast<int8_t>(4 * i - 128);
    c.output_zero_point = c.activation_min = static_cast<int8_t>(100 - 7 * (i % 9));
    c.hostile = i % 3 == 0;
    add(c);
  }
  uint32_t seed = random_problems_seed;
  for (int32_t i = 0; i < 150; ++i) add(RandomConvCase(&seed, true));
};

}  // namespace lutra
