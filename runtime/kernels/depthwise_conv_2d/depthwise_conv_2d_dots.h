// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D with one filter for each channel, in the terms of dot_tiles.h. A lane is a value of the
// output row; the products of a lane are its taps, brought side by side by interleaving as many rows of
// values.
//
// Values of a row are made in blocks of as many lanes as a tile has. Where the windows are neighbours, a
// block goes on from one pixel to the next, and lanes hold the channels in one of a few patterns; else a
// pixel's channels are blocks of their own, the last of them with lanes that nobody wants.

#pragma once

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/kernels/dot_strips.h"
#include "runtime/kernels/dot_tiles.h"

namespace lutra {
namespace {

// Filters of more taps are the reference's.
constexpr int32_t kMaxTaps = 128;
// Patterns of channels that blocks across pixels may have.
constexpr int32_t kMaxPatterns = 8;

template <typename Set>
constexpr int32_t kBlockLanes = Set::kMaxVectors* Set::kLanes;
// The last block reads as much, beyond what it wants.
template <typename Set>
constexpr int32_t kReadBeyond = 2 * kBlockLanes<Set>;

static inline int32_t GreatestCommonDivisor(int32_t a, int32_t b) {
  while (b != 0) {
    const int32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// After how many blocks the lanes hold the same channels again; 0: blocks end where pixels do.
template <typename Set>
int32_t PatternsOf(const ConvShape& shape) {
  if (shape.stride_w == 2) return Set::TakesEvenPixels(shape.out_channels) ? 1 : 0;
  if (shape.stride_w != 1) return 0;
  const int32_t patterns = shape.out_channels / GreatestCommonDivisor(shape.out_channels, kBlockLanes<Set>);
  return patterns <= kMaxPatterns ? patterns : 0;
}

template <typename Set>
DotLayer DotLayerOf(const DepthwiseConv2DArgs& args) {
  const ConvShape& shape = *args.shape;
  const int32_t patterns = PatternsOf<Set>(shape);
  const int32_t blocks = (shape.out_channels + kBlockLanes<Set> - 1) / kBlockLanes<Set>;
  return {.filter = args.filter,
          .channel_step = 1,
          .value_step = shape.out_channels,
          .bias = args.bias,
          .multipliers = args.multipliers,
          .one_multiplier = false,
          .channels = shape.out_channels,
          .packed_channels = (patterns != 0 ? patterns : blocks) * kBlockLanes<Set>,
          .lines = 1,
          .line_values = shape.filter_height * shape.filter_width,
          .quantization = args.quantization};
}

template <typename Set>
int32_t PrepareDepthwiseConv2DDots(const DepthwiseConv2DArgs& args, void* memory) {
  const ConvShape& shape = *args.shape;
  if (shape.in_channels != shape.out_channels) return kNotForTheseArgs;
  if (int64_t{shape.filter_height} * shape.filter_width > kMaxTaps) return kNotForTheseArgs;
  if (!FitsStrip<Set>(shape, 1, kReadBeyond<Set>)) return kNotForTheseArgs;
  return PrepareDots<Set>(DotLayerOf<Set>(args), memory);
}

// Where the values of each tap begin for a strip's first pixel, and as many more as make the last step whole:
// these have weights of 0.
template <typename Set>
struct Taps {
  const typename Set::Value* at[kMaxTaps + Set::kStep];
};

template <typename Set>
Taps<Set> TapsOf(const ConvShape& shape, const DotStrip<Set>& strip) {
  Taps<Set> taps;
  int32_t count = 0;
  for (int32_t ky = 0; ky < shape.filter_height; ++ky) {
    for (int32_t kx = 0; kx < shape.filter_width; ++kx) {
      taps.at[count++] = strip.values + static_cast<intptr_t>(ky) * strip.line_step +
                         static_cast<intptr_t>(kx) * shape.dilation_w * shape.in_channels;
    }
  }
  for (int32_t i = 0; i < Set::kStep; ++i) taps.at[count + i] = taps.at[0];
  return taps;
}

// One block of values, which begin `at` values behind those of the taps.
template <typename Set, bool kSigned, bool kEven>
[[gnu::always_inline]] inline void MakeDepthwiseBlock(const DotLayer& layer, const PackedBlock<Set>& block,
                                                      const Taps<Set>& taps, intptr_t at,
                                                      typename Set::Sums even, int32_t first_channel,
                                                      const DotArea& area) {
  constexpr int kVectors = Set::kMaxVectors;
  typename Set::Sums sums[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) sums[v] = Set::LoadSums(block.starts + v * Set::kLanes);
  const typename Set::Weight* weights = block.weights;
  const int32_t steps = LineSteps<Set>(layer);
  for (int32_t step = 0; step < steps; ++step) {
    typename Set::Sums rows[Set::kStep];
#pragma GCC unroll 4
    for (int i = 0; i < Set::kStep; ++i) {
      const typename Set::Value* const row = taps.at[step * Set::kStep + i] + at;
      rows[i] = kEven ? Set::LoadEvenPixels(row, even) : Set::LoadValues(row);
    }
    typename Set::Sums values[kVectors];
    Set::Interleave(rows, values);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      sums[v] = Set::Dot(sums[v], values[v], Set::LoadWeights(weights + v * Set::kLanes * Set::kStep));
    }
    weights += kVectors * Set::kLanes * Set::kStep;
  }
  FinishTile<Set, 1, kVectors, kSigned>(layer, block, sums, first_channel, area);
}

// The pixels of a strip, one after the other in the output. kEven: in the input, every second.
template <typename Set, bool kSigned, bool kEven>
void MakeDepthwisePixels(const DepthwiseConv2DArgs& args, const DotLayer& layer, const DotStrip<Set>& strip,
                         int8_t* output) {
  constexpr int32_t kLanes = kBlockLanes<Set>;
  const int32_t channels = layer.channels;
  PackedHeader* const header = PackedHeaderAt(args.prepared);
  auto* const blocks = reinterpret_cast<uint8_t*>(header + 1);
  const int64_t block_bytes = BytesOfBlock<Set>(layer, Set::kMaxVectors);
  const Taps<Set> taps = TapsOf<Set>(*args.shape, strip);
  DotArea area = AreaOf(layer, *header);
  area.pixels = 1;
  const bool across = PatternsOf<Set>(*args.shape) != 0;
  // Across pixels all of them are one.
  const int32_t pixels = across ? 1 : strip.pixels;
  const int32_t values = across ? strip.pixels * channels : channels;
  const int32_t patterns = layer.packed_channels / kLanes;
  const typename Set::Sums even = kEven ? Set::EvenPixels(channels) : typename Set::Sums{};
  for (int32_t pixel = 0; pixel < pixels; ++pixel) {
    int32_t pattern = 0;
    for (int32_t first = 0; first < values; first += kLanes) {
      const PackedBlock<Set> block = BlockAt<Set>(layer, blocks + pattern * block_bytes, Set::kMaxVectors);
      area.output = output + static_cast<intptr_t>(pixel) * channels + first;
      area.channels = values - first < kLanes ? values - first : kLanes;
      const intptr_t at = static_cast<intptr_t>(pixel) * strip.pixel_step + (kEven ? 2 : 1) * first;
      MakeDepthwiseBlock<Set, kSigned, kEven>(layer, block, taps, at, even, first, area);
      pattern = pattern + 1 < patterns ? pattern + 1 : 0;
    }
  }
}

template <typename Set>
void RunDepthwiseConv2DDots(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                            int32_t first_row, int32_t row_count) {
  const DotLayer layer = DotLayerOf<Set>(args);
  const bool is_signed = PackedHeaderAt(args.prepared)->is_signed;
  const bool even = args.shape->stride_w == 2 && PatternsOf<Set>(*args.shape) != 0;
  const auto make =
      is_signed ? (even ? MakeDepthwisePixels<Set, true, true> : MakeDepthwisePixels<Set, true, false>)
      : even    ? MakeDepthwisePixels<Set, false, true>
                : MakeDepthwisePixels<Set, false, false>;
  ForEachStrip<Set>(*args.shape, args.quantization.input_offset, kReadBeyond<Set>, input, first_row,
                    row_count, [&](const DotStrip<Set>& strip, int32_t row, int32_t first) {
                      int8_t* const to = reinterpret_cast<int8_t*>(output.Row(row)) +
                                         static_cast<intptr_t>(first) * layer.channels;
                      make(args, layer, strip, to);
                    });
}

}  // namespace
}  // namespace lutra
