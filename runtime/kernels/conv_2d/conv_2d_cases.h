// SPDX-License-Identifier: Apache-2.0
// Problems for the tests of the convolution kernels. Needs no C++ library.

#pragma once

#include "lutra/compression/decode.h"
#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/packed_weights.h"
#include "runtime/kernels/conv_cases.h"

namespace lutra {

// Channels around vector and block lengths; windows around the length of the reference's patch
// (256); windows partly and wholly in the padding.
inline constexpr ConvCase kConv2DCases[] = {
    {"one_value", 1, 1, 1, 1, 1, 1, 1, 1, true},
    {"one_by_one", 5, 7, 8, 16, 1, 1, 1, 1, true, 2},
    {"odd_channels", 6, 5, 3, 5, 3, 3, 1, 1, true, 1, 1, 0, 0},
    {"stride_two", 9, 8, 4, 9, 3, 3, 2, 1, true, 2, 1, 127, -128, -20, 90},
    {"stride_beyond_window", 10, 11, 2, 4, 2, 1, 3, 1, true, 1, 1, -1, 1},
    {"even_window", 6, 6, 1, 33, 10, 4, 2, 1, true, 2, 1, 5, -5, -128, 127, false},
    {"valid", 7, 9, 17, 31, 3, 2, 1, 1, false, 1, 1, 126, 126},
    {"dilated", 9, 8, 5, 6, 3, 3, 1, 2, true, 2},
    {"dilated_valid_stride", 11, 12, 3, 4, 3, 2, 2, 3, false, 1, 1, -128, -128, -128, 100},
    {"groups", 5, 6, 12, 9, 3, 3, 1, 1, true, 2, 3},
    {"groups_dilated", 7, 7, 8, 12, 2, 3, 1, 2, true, 1, 4, 3, -66},
    {"groups_of_blocks", 2, 3, 66, 70, 1, 1, 1, 1, true, 1, 2},
    {"patch_exactly", 3, 3, 64, 33, 2, 2, 1, 1, true},
    {"patch_and_more", 4, 3, 29, 36, 3, 3, 1, 1, true, 2, 1, 44, -91},
    {"line_beyond_patch", 2, 3, 300, 5, 2, 2, 1, 1, true},
    {"dilated_beyond_patch", 5, 6, 150, 3, 2, 3, 1, 2, true},
    {"padding_only", 2, 3, 4, 5, 2, 2, 1, 1, true, 2, 1, -7, 7, -128, 127, true, 3},
    {"padding_only_dilated", 3, 2, 4, 5, 3, 2, 2, 2, true, 1, 1, -7, 7, -128, 127, true, 4},
    {"window_beyond_image", 2, 2, 3, 4, 7, 9, 1, 1, true},
    {"dilation_beyond_image", 3, 4, 8, 9, 2, 2, 1, 1 << 29, true, 1, 1, 100, 0},
    {"short_lines", 6, 24, 1, 5, 3, 3, 1, 1, false, 1, 1, -3, 4},
    {"shorter_lines", 5, 23, 1, 8, 3, 2, 2, 1, false, 1, 1, 9, 0},
    {"many_short_lines", 14, 30, 1, 9, 10, 4, 1, 1, false, 1, 1, 33, -8},
    {"one_behind_four", 1, 5, 12, 258, 1, 1, 1, 1, true},
    {"one_behind_eight", 3, 3, 3, 129, 3, 3, 1, 1, true, 1, 1, 5, -5},
    {"one_behind_others", 5, 5, 64, 64, 1, 1, 1, 1, true, 1, 1, -128, 3},
    {"one_behind_groups", 1, 13, 20, 64, 1, 2, 1, 1, true, 1, 2, 9, 0, -128, 127, false},
    {"beyond_int32", 1, 1, 66000, 5, 1, 1, 1, 1, true, 1, 1, 127, 0, -128, 127, true, 0, true},
};

// Problems for in-place tests: rows and pixels that shrink and grow.
inline constexpr ConvCase kConv2DInPlaceCases[] = {
    {"one_by_one", 6, 8, 32, 32, 1, 1, 1, 1, true, 2}, {"growing", 6, 8, 16, 40, 3, 3, 1, 1, true},
    {"shrinking", 8, 9, 40, 24, 3, 3, 2, 1, true, 2},  {"valid", 9, 8, 24, 24, 3, 3, 1, 1, false},
    {"dilated", 9, 8, 24, 24, 3, 3, 1, 2, true, 3},
};

template <typename Args>
inline constexpr auto kConv2DProblems = [](auto& memory, auto& problems) {
  const auto add = [&](const ConvCase& c) { AddConvolution<Args>(c, ShapeOf(c), memory, problems); };
  for (const ConvCase& c : kConv2DCases) add(c);
  for (int32_t channels = 1; channels <= kMaxCount; channels += kChannelStep<Args>) {
    add({"to_8", 1, 3, channels, 8, 1, 1, 1, 1, true});
    add({"from_3", 3, 3, 3, channels, 2, 2, 1, 1, false});
  }
  if constexpr (kConvolvesReals<Args>) return;
  // The least scratch has room for three windows, but not for those of four pixels and two filters.
  for (int32_t i = 0; i < 24; ++i) {
    ConvCase c = {"three_windows", 1 + i % 4, 2 + i % 7, 20 + 4 * (i % 3), 14 + i, 3, 3,
                  1 + i % 2,       1,         i % 5 != 0};
    if (!c.same) c.height = c.width = 7;
    c.images = 1 + i % 2;
    c.input_zero_point = static_cast<int8_t>(11 * i - 128);
    c.more_padding = i % 6 == 1 ? 1 : 0;
    c.hostile = i % 4 == 2;
    add(c);
  }
  for (int32_t i = 0; i < 12; ++i) {
    ConvCase c = {"hostile_groups", 3, 5, 8, 4 + 2 * i, 1, 1, 1, 1, true, 1, 2};
    c.hostile = true;
    add(c);
  }
  uint32_t seed = random_problems_seed;
  for (int32_t i = 0; i < 150; ++i) add(RandomConvCase(&seed, false));
};

// Weights of `width` bits with one table, or one for each filter. References read them as bytes.
inline Problem<Conv2DPackedArgs> Conv2DPackedProblemOf(const ConvCase& c, const ConvShape& shape,
                                                       int32_t width, bool per_filter,
                                                       FilterExpansion expansion, int32_t first_row,
                                                       auto& memory) {
  const Problem<Conv2DArgs> plain = ConvolutionOf<Conv2DArgs>(c, shape, first_row, memory);
  const int32_t filters = shape.out_channels;
  const int32_t row_values = ProductsOf(shape);
  const int32_t count = filters * row_values;
  const int32_t entries = 1 << width;
  const int32_t tables = per_filter ? filters : 1;
  const int32_t stride = entries + (per_filter ? 1 : 0);
  const int32_t stream_bytes = (count * width + 7) / 8;
  const auto* const stream = Filled<uint8_t>(memory, 5, stream_bytes);
  const auto* const values = Filled<uint8_t>(memory, 6, tables * stride);
  auto* const weights = Data<uint8_t>(memory, count);
  for (int32_t i = 0; i < filters; ++i) {
    const uint8_t* const table = values + (per_filter ? i * stride : 0);
    UnpackIndices(stream, width, table, i * row_values, row_values, weights + i * row_values);
  }
  auto* const encoding = Data<Encoding>(memory, 1);
  *encoding = Encoding();
  encoding->type = DecodeType::kLut;
  encoding->element_bytes = 1;
  encoding->width = static_cast<uint8_t>(width);
  encoding->elements = count;
  encoding->channels = tables;
  encoding->inner = row_values;
  encoding->stream = {stream, static_cast<size_t>(stream_bytes)};
  encoding->lut = {values, static_cast<size_t>(tables * stride), stride};
  void* expanded = nullptr;
  if (expansion == FilterExpansion::kPairs) {
    auto* const pairs = Data<uint32_t>(memory, kPackedPairs);
    FillPairs(values, 8, pairs);
    expanded = pairs;
  } else if (expansion == FilterExpansion::kTables) {
    expanded = Data<uint32_t>(memory, kFilterTablesBytes / 4);
  } else {
    expanded = Data<int8_t>(memory, 2 * row_values);
  }
  Problem<Conv2DPackedArgs> problem = {
      .args = {plain.args,
               {encoding, CpuFeaturesHere(), DecodePart, filters, row_values},
               expansion,
               expanded},
      .first = plain.first,
      .count = plain.count,
      .input = plain.input,
      .output = plain.output,
  };
  problem.args.filter = reinterpret_cast<const int8_t*>(weights);
  return problem;
}

// Layers with all their channels.
inline constexpr auto kConv2DPackedProblems = [](auto& memory, auto& problems) {
  const auto add = [&](ConvCase c) {
    c.first_channel = c.channel_count = 0;
    auto* const shape = Data<ConvShape>(memory, 1);
    *shape = ShapeOf(c);
    const int32_t n = problems.count();
    const bool per_filter = n % 3 == 1;
    const bool has_tables = ProductsOf(*shape) % 4 == 0 && n % 5 != 0;
    const FilterExpansion expansion = !has_tables                ? FilterExpansion::kRows
                                      : per_filter || n % 2 == 0 ? FilterExpansion::kTables
                                                                 : FilterExpansion::kPairs;
    const int32_t width = has_tables ? 4 : 1 + n % 7;
    const int32_t first_row = FirstRow(n, c.images * shape->out_height);
    problems.Add(Conv2DPackedProblemOf(c, *shape, width, per_filter, expansion, first_row, memory));
  };
  for (int32_t channels = 1; channels <= kMaxCount; ++channels) {
    add({"to_8", 1, 3, channels, 8, 1, 1, 1, 1, true});
    add({"from_4", 3, 3, 4, channels, 2, 2, 1, 1, false});
  }
  uint32_t seed = random_problems_seed;
  for (int32_t i = 0; i < 120; ++i) {
    ConvCase c = RandomConvCase(&seed, false);
    if (i % 2 == 0) c.in_channels = (c.in_channels / c.groups + 3) / 4 * 4 * c.groups;
    add(c);
  }
  // The least scratch has no room for these filters.
  for (int32_t channels = 64; channels <= 128; channels += 32) {
    for (int32_t i = 0; i < 7; ++i) add({"large", 4, 5, channels, 5 + i, 3, 3, 1, 1, true});
  }
};

}  // namespace lutra
