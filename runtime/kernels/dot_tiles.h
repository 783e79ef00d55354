// SPDX-License-Identifier: Apache-2.0
// Layers that are dot products of input values with filters, for vectors of any instruction set: what prepare
// packs, and the loops over tiles of some pixels by some vectors of channels.
//
// An instruction set is a struct Set with these members, all static:
//
//   kLanes         channels of a vector; a multiple of four
//   kStep          values whose products one Dot adds to a lane
//   kMaxVectors    a tile's vectors: 1, or powers of two up to this
//   Value, Weight  what input values and weights are widened to
//   Sums, Values   registers: a vector of int32, a step of values for all lanes
//   TilePixels(v)  how many pixels a tile of v vectors has; never more than kMaxTilePixels
//   StartOffset(input_offset), Convert(...), Pad(...): the form of input values
//   LoadSums, StoreSums, LoadWeights, Repeat, Dot: the arithmetic
//   LoadValues(values): one for each lane of kMaxVectors vectors
//   LoadEvenPixels(values, EvenPixels(channels)): of every second pixel, if TakesEvenPixels(channels)
//   Interleave(rows, values): of kStep rows of such values, those of each lane side by side
//   Finish<pixels, vectors, is_signed>(sums, scales, area): stores a tile's results; true if any is in doubt
//   Doubtful<is_signed>(sums, scales, in_doubt_below): the lanes that are, as bits
//
// Results are those of runtime/fixed_point/EXACTNESS.md. For the kernels' .cc files: all names are local.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"
#include "runtime/fixed_point/guarded.h"

namespace lutra {
namespace {

constexpr int32_t kMaxTilePixels = 12;
// Of the part of the input that is converted at a time. It lies on the stack.
constexpr int32_t kStripBytes = 16384;
constexpr int64_t kPackedAlignment = 64;

template <typename Set>
constexpr int32_t kStripValues = kStripBytes / static_cast<int32_t>(sizeof(typename Set::Value));

// The weight of value i of line l: filter[channel * channel_step + (l * line_values + i) * value_step].
// Values of a line are neighbours in the input, too.
struct DotLayer {
  const int8_t* filter;
  intptr_t channel_step;
  intptr_t value_step;
  const int32_t* bias;  // Or null.
  const Multiplier* multipliers;
  bool one_multiplier;
  int32_t channels;
  int32_t packed_channels;  // As many are packed; behind the last comes the first again.
  int32_t lines;
  int32_t line_values;
  ConvQuantization quantization;
};

// The input values of some pixels, converted. Pixel p's line l begins at values + p * pixel_step + l *
// line_step.
template <typename Set>
struct DotStrip {
  const typename Set::Value* values;
  int32_t pixel_step;
  int32_t line_step;
  int32_t pixels;
  int32_t readable_pixels;  // As many may be read, if not all are wanted.
};

// Float constants of a block of channels, in the order of lanes.
struct DotScales {
  const float* scale;
  const float* above;
  const float* below;
};

// Where a tile's results go.
struct DotArea {
  int8_t* output;
  int32_t pixel_step;
  int32_t pixels;    // Of the tile's, so many are wanted.
  int32_t channels;  // The same of channels.
  int8_t min;
  int8_t max;
  int32_t in_doubt_below;
};

// What prepared memory begins with. Blocks follow: sums to start with, scales, weights.
struct alignas(kPackedAlignment) PackedHeader {
  int32_t in_doubt_below;
  bool is_signed;
};

template <typename Set>
struct PackedBlock {
  int32_t* starts;
  float* scale;
  float* above;
  float* below;
  typename Set::Weight* weights;  // [line][step][vector][lane][value]
  uint8_t* end;
};

// The channel that a lane of a block's vector holds: so that narrowing four vectors, which works on quarters
// of registers, leaves channels in their order.
constexpr int32_t ChannelOfLane(int32_t vectors, int32_t vector, int32_t lane) {
  return lane / 4 * 4 * vectors + vector * 4 + lane % 4;
}

template <typename Set>
constexpr int32_t BlockVectors(int32_t channels) {
  int32_t vectors = 1;
  while (vectors < Set::kMaxVectors && vectors * Set::kLanes < channels) vectors *= 2;
  return vectors;
}

template <typename Set>
int32_t LineSteps(const DotLayer& layer) {
  return (layer.line_values + Set::kStep - 1) / Set::kStep;
}

template <typename Set>
int64_t WeightsOfBlock(const DotLayer& layer, int32_t vectors) {
  return int64_t{layer.lines} * LineSteps<Set>(layer) * vectors * Set::kLanes * Set::kStep;
}

template <typename Set>
int64_t BytesOfBlock(const DotLayer& layer, int32_t vectors) {
  const int64_t lanes = int64_t{vectors} * Set::kLanes;
  const int64_t bytes =
      lanes * static_cast<int64_t>(sizeof(int32_t) + 3 * sizeof(float)) +
      WeightsOfBlock<Set>(layer, vectors) * static_cast<int64_t>(sizeof(typename Set::Weight));
  return (bytes + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment;
}

template <typename Set>
PackedBlock<Set> BlockAt(const DotLayer& layer, uint8_t* memory, int32_t vectors) {
  const int32_t lanes = vectors * Set::kLanes;
  PackedBlock<Set> block;
  block.starts = reinterpret_cast<int32_t*>(memory);
  block.scale = reinterpret_cast<float*>(block.starts + lanes);
  block.above = block.scale + lanes;
  block.below = block.above + lanes;
  block.weights = reinterpret_cast<typename Set::Weight*>(block.below + lanes);
  block.end = memory + BytesOfBlock<Set>(layer, vectors);
  return block;
}

static inline PackedHeader* PackedHeaderAt(const void* memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  constexpr auto kMask = static_cast<uintptr_t>(kPackedAlignment - 1);
  return reinterpret_cast<PackedHeader*>((address + kMask) & ~kMask);
}

// ---- Prepare.

static inline const int8_t* FilterOf(const DotLayer& layer, int32_t channel) {
  return layer.filter + channel * layer.channel_step;
}

// What no sum of the channel exceeds, whatever the input.
static inline int64_t MagnitudeOf(const DotLayer& layer, int32_t channel) {
  const int8_t* const filter = FilterOf(layer, channel);
  const int64_t count = int64_t{layer.lines} * layer.line_values;
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t weight = filter[i * layer.value_step];
    sum += weight < 0 ? -weight : weight;
  }
  const int64_t bias = layer.bias != nullptr ? layer.bias[channel] : 0;
  return 255 * sum + (bias < 0 ? -bias : bias);
}

static inline Multiplier MultiplierOf(const DotLayer& layer, int32_t channel) {
  return layer.multipliers[layer.one_multiplier ? 0 : channel];
}

template <typename Set>
void PackLane(const DotLayer& layer, int32_t channel, int32_t width, int32_t vectors, int32_t vector,
              int32_t lane, const PackedBlock<Set>& block) {
  const int32_t at = vector * Set::kLanes + lane;
  GuardedScale guarded = kNoChannel;
  block.starts[at] = 0;
  if (channel < layer.packed_channels) {
    channel %= layer.channels;
    MakeGuardedScale(MultiplierOf(layer, channel), layer.quantization.output_offset, 0, width, &guarded);
    const int8_t* filter = FilterOf(layer, channel);
    typename Set::Weight* weights = block.weights + at * Set::kStep;
    uint32_t sum = 0;
    for (int32_t line = 0; line < layer.lines; ++line) {
      for (int32_t i = 0; i < layer.line_values; ++i) {
        weights[intptr_t{i / Set::kStep} * vectors * Set::kLanes * Set::kStep + i % Set::kStep] = *filter;
        sum += static_cast<uint32_t>(*filter);
        filter += layer.value_step;
      }
      weights += intptr_t{LineSteps<Set>(layer)} * vectors * Set::kLanes * Set::kStep;
    }
    const int32_t offset = Set::StartOffset(layer.quantization.input_offset);
    const uint32_t bias = layer.bias != nullptr ? static_cast<uint32_t>(layer.bias[channel]) : 0;
    block.starts[at] = static_cast<int32_t>(bias + static_cast<uint32_t>(offset) * sum);
  }
  block.scale[at] = guarded.scale;
  block.above[at] = guarded.above;
  block.below[at] = guarded.below;
}

// The largest guard width that a channel wants, and 0 if some channel needs integers.
static inline int32_t WidthOf(const DotLayer& layer) {
  int32_t width = 0;
  for (int32_t channel = 0; channel < layer.channels; ++channel) {
    const int64_t magnitude = MagnitudeOf(layer, channel);
    const int32_t wanted = GuardWidth(magnitude);
    GuardedScale unused;
    if (!MakeGuardedScale(MultiplierOf(layer, channel), layer.quantization.output_offset, magnitude, wanted,
                          &unused)) {
      return 0;
    }
    if (wanted > width) width = wanted;
  }
  return width;
}

// As Variant::prepare.
template <typename Set>
int32_t PrepareDots(const DotLayer& layer, void* memory) {
  if (layer.filter == nullptr || layer.multipliers == nullptr) return kNotForTheseArgs;
  int64_t bytes = kPackedAlignment + static_cast<int64_t>(sizeof(PackedHeader));
  for (int32_t first = 0; first < layer.packed_channels;) {
    const int32_t vectors = BlockVectors<Set>(layer.packed_channels - first);
    bytes += BytesOfBlock<Set>(layer, vectors);
    first += vectors * Set::kLanes;
  }
  if (bytes > INT32_MAX / 2) return kNotForTheseArgs;
  const int32_t width = WidthOf(layer);
  if (width == 0) return kNotForTheseArgs;
  if (memory == nullptr) return static_cast<int32_t>(bytes);
  memset(memory, 0, static_cast<size_t>(bytes));
  PackedHeader* const header = PackedHeaderAt(memory);
  header->in_doubt_below = 2 * width;
  header->is_signed = layer.quantization.activation_min < layer.quantization.output_offset;
  auto* at = reinterpret_cast<uint8_t*>(header + 1);
  for (int32_t first = 0; first < layer.packed_channels;) {
    const int32_t vectors = BlockVectors<Set>(layer.packed_channels - first);
    const PackedBlock<Set> block = BlockAt<Set>(layer, at, vectors);
    for (int32_t vector = 0; vector < vectors; ++vector) {
      for (int32_t lane = 0; lane < Set::kLanes; ++lane) {
        const int32_t channel = first + ChannelOfLane(vectors, vector, lane);
        PackLane<Set>(layer, channel, width, vectors, vector, lane, block);
      }
    }
    first += vectors * Set::kLanes;
    at = block.end;
  }
  return static_cast<int32_t>(bytes);
}

// ---- Run.

// Results in doubt, in integers. `sums`: of a tile, [pixel][vector][lane].
template <typename Set, int kVectors, bool kSigned>
[[gnu::noinline, gnu::cold]] void CorrectTile(const DotLayer& layer, int32_t first_channel,
                                              const int32_t* sums, const DotScales& scales,
                                              const DotArea& area) {
  for (int32_t pixel = 0; pixel < area.pixels; ++pixel) {
    for (int32_t vector = 0; vector < kVectors; ++vector, sums += Set::kLanes) {
      const int32_t at = vector * Set::kLanes;
      uint32_t lanes = Set::template Doubtful<kSigned>(
          sums, {scales.scale + at, scales.above + at, scales.below + at}, area.in_doubt_below);
      for (; lanes != 0; lanes &= lanes - 1) {
        const int32_t lane = __builtin_ctz(lanes);
        const int32_t channel = ChannelOfLane(kVectors, vector, lane);
        if (channel >= area.channels) continue;
        const Multiplier multiplier = MultiplierOf(layer, (first_channel + channel) % layer.channels);
        const int32_t scaled = MultiplyByQuantizedMultiplier(sums[lane], multiplier);
        area.output[static_cast<intptr_t>(pixel) * area.pixel_step + channel] =
            static_cast<int8_t>(ClampToInt8(scaled + layer.quantization.output_offset, area.min, area.max));
      }
    }
  }
}

// Results of a tile's sums.
template <typename Set, int kPixels, int kVectors, bool kSigned>
[[gnu::always_inline]] inline void FinishTile(const DotLayer& layer, const PackedBlock<Set>& block,
                                              const typename Set::Sums (&sums)[kPixels * kVectors],
                                              int32_t first_channel, const DotArea& area) {
  const DotScales scales = {block.scale, block.above, block.below};
  if (__builtin_expect(Set::template Finish<kPixels, kVectors, kSigned>(sums, scales, area), 0)) {
    int32_t stored[kPixels * kVectors * Set::kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kPixels * kVectors; ++i) Set::StoreSums(sums[i], stored + i * Set::kLanes);
    CorrectTile<Set, kVectors, kSigned>(layer, first_channel, stored, scales, area);
  }
}

template <typename Set, int kPixels, int kVectors, bool kSigned>
void MakeTile(const DotLayer& layer, const PackedBlock<Set>& block, const DotStrip<Set>& strip,
              int32_t first_pixel, int32_t first_channel, const DotArea& area) {
  // Addresses of three neighbours have one base, so that the bases fit registers.
  constexpr int kBases = (kPixels + 2) / 3;
  typename Set::Sums sums[kPixels * kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kPixels * kVectors; ++i) {
    sums[i] = Set::LoadSums(block.starts + i % kVectors * Set::kLanes);
  }
  const intptr_t pixel_step = strip.pixel_step;
  const typename Set::Value* line = strip.values + first_pixel * pixel_step;
  const typename Set::Weight* weights = block.weights;
  const int32_t steps = LineSteps<Set>(layer);
  for (int32_t lines = layer.lines; lines > 0; --lines, line += strip.line_step) {
    const typename Set::Value* bases[kBases];
#pragma GCC unroll 16
    for (int i = 0; i < kBases; ++i) bases[i] = line + 3 * i * pixel_step;
    for (int32_t step = steps; step > 0; --step) {
      typename Set::Sums filters[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v)
        filters[v] = Set::LoadWeights(weights + v * Set::kLanes * Set::kStep);
      weights += kVectors * Set::kLanes * Set::kStep;
#pragma GCC unroll 16
      for (int p = 0; p < kPixels; ++p) {
        const typename Set::Sums values = Set::Repeat(bases[p / 3] + p % 3 * pixel_step);
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) {
          sums[p * kVectors + v] = Set::Dot(sums[p * kVectors + v], values, filters[v]);
        }
      }
#pragma GCC unroll 16
      for (int i = 0; i < kBases; ++i) bases[i] += Set::kStep;
    }
  }
  FinishTile<Set, kPixels, kVectors, kSigned>(layer, block, sums, first_channel, area);
}

// What of an area is the same for all tiles of the layer.
static inline DotArea AreaOf(const DotLayer& layer, const PackedHeader& header) {
  DotArea area = {};
  area.pixel_step = layer.channels;
  area.min = layer.quantization.activation_min;
  area.max = layer.quantization.activation_max;
  area.in_doubt_below = header.in_doubt_below;
  return area;
}

// All pixels of a strip, the channels of one block.
template <typename Set, int kVectors, bool kSigned>
void MakeBlock(const DotLayer& layer, const PackedHeader& header, const PackedBlock<Set>& block,
               const DotStrip<Set>& strip, int32_t first_channel, int8_t* output) {
  constexpr int32_t kTile = Set::TilePixels(kVectors);
  static_assert(kTile <= kMaxTilePixels);
  DotArea area = AreaOf(layer, header);
  area.channels = layer.channels - first_channel;
  if (area.channels > kVectors * Set::kLanes) area.channels = kVectors * Set::kLanes;
  output += first_channel;
  if (strip.pixels == 1 || strip.readable_pixels < kTile) {
    area.pixels = 1;
    for (int32_t pixel = 0; pixel < strip.pixels; ++pixel) {
      area.output = output + static_cast<intptr_t>(pixel) * layer.channels;
      MakeTile<Set, 1, kVectors, kSigned>(layer, block, strip, pixel, first_channel, area);
    }
    return;
  }
  for (int32_t pixel = 0; pixel < strip.pixels; pixel += kTile) {
    int32_t first = pixel;
    // The last tile makes pixels again rather than fewer at a time.
    if (strip.pixels - first < kTile && strip.pixels >= kTile) first = strip.pixels - kTile;
    area.pixels = strip.pixels - first < kTile ? strip.pixels - first : kTile;
    area.output = output + static_cast<intptr_t>(first) * layer.channels;
    MakeTile<Set, kTile, kVectors, kSigned>(layer, block, strip, first, first_channel, area);
  }
}

template <typename Set, int kVectors>
void MakeBlock(const DotLayer& layer, const PackedHeader& header, const PackedBlock<Set>& block,
               const DotStrip<Set>& strip, int32_t first_channel, int8_t* output) {
  if (header.is_signed) {
    MakeBlock<Set, kVectors, true>(layer, header, block, strip, first_channel, output);
  } else {
    MakeBlock<Set, kVectors, false>(layer, header, block, strip, first_channel, output);
  }
}

// All channels of a strip's pixels, which lie one after the other in the output.
template <typename Set>
void MakePixels(const DotLayer& layer, const void* prepared, const DotStrip<Set>& strip, int8_t* output) {
  PackedHeader* const header = PackedHeaderAt(prepared);
  auto* at = reinterpret_cast<uint8_t*>(header + 1);
  for (int32_t first = 0; first < layer.channels;) {
    const int32_t vectors = BlockVectors<Set>(layer.channels - first);
    const PackedBlock<Set> block = BlockAt<Set>(layer, at, vectors);
    if (vectors == 1) {
      MakeBlock<Set, 1>(layer, *header, block, strip, first, output);
    } else if (vectors == 2) {
      MakeBlock<Set, 2>(layer, *header, block, strip, first, output);
    } else if constexpr (Set::kMaxVectors >= 4) {
      MakeBlock<Set, 4>(layer, *header, block, strip, first, output);
    }
    first += vectors * Set::kLanes;
    at = block.end;
  }
}

// Whether MakeRun can take the layer.
template <typename Set>
bool FitsRun(int32_t depth) {
  return depth <= kStripValues<Set> - Set::kStep;
}

// Pixels of `layer.line_values` values that lie one after the other in the input, and so in the output.
template <typename Set>
void MakeRun(const DotLayer& layer, const void* prepared, const int8_t* input, int32_t pixels,
             int8_t* output) {
  // A multiple of all tiles' heights.
  constexpr int32_t kTiles = 24;
  alignas(kPackedAlignment) typename Set::Value buffer[kStripValues<Set>];
  const int32_t depth = layer.line_values;
  const int32_t capacity = (kStripValues<Set> - Set::kStep) / depth;
  const int32_t part = capacity >= kTiles ? capacity / kTiles * kTiles : capacity;
  for (int32_t done = 0; done < pixels; done += part) {
    const int32_t count = pixels - done < part ? pixels - done : part;
    int32_t readable = count < kMaxTilePixels ? kMaxTilePixels : count;
    if (count == 1 || readable > capacity) readable = count;
    Set::Convert(input + static_cast<intptr_t>(done) * depth, count * depth, layer.quantization.input_offset,
                 buffer);
    Set::Pad(buffer + count * depth, (readable - count) * depth + Set::kStep,
             layer.quantization.input_offset);
    MakePixels<Set>(layer, prepared, {buffer, depth, 0, count, readable},
                    output + static_cast<intptr_t>(done) * layer.channels);
  }
}

// Rows of `row_pixels` such pixels; of rows that lie one after the other, all at once.
template <typename Set>
void MakeRows(const DotLayer& layer, const void* prepared, int32_t row_pixels, const Rows& input,
              const Rows& output, int32_t first_row, int32_t row_count) {
  const bool dense = input.ring_rows == 0 && output.ring_rows == 0 &&
                     input.row_bytes == row_pixels * layer.line_values &&
                     output.row_bytes == row_pixels * layer.channels;
  const int32_t step = dense ? row_count : 1;
  for (int32_t row = first_row; row < first_row + row_count; row += step) {
    MakeRun<Set>(layer, prepared, reinterpret_cast<const int8_t*>(input.Row(row)), step * row_pixels,
                 reinterpret_cast<int8_t*>(output.Row(row)));
  }
}

}  // namespace
}  // namespace lutra
