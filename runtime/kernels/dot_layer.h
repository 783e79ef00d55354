// SPDX-License-Identifier: Apache-2.0
// A layer of dot products for vectors of any instruction set (dot_set.h): what it is, and where its filters,
// sums to start with and scales lie in prepared memory, block by block. dot_packing.h fills that,
// dot_pixels.h runs it.
//
// Results are those of runtime/fixed_point/EXACTNESS.md. For the kernels' .cc files: all names are local.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/cpu.h"
#include "lutra/kernels/conv_shape.h"
#include "runtime/kernels/dot_nibbles.h"
#include "runtime/kernels/dot_set.h"

namespace lutra {
namespace {

// The bytes of the input that are converted at a time. They lie on the stack.
constexpr int32_t kStripBytes = 16384;
constexpr int64_t kPackedAlignment = 64;

template <typename Set>
constexpr int32_t kStripValues = kStripBytes / static_cast<int32_t>(sizeof(typename Set::Value));

// The weight of value i of tap t of line l:
//   filter[first_value + channel * channel_step + l * line_step + t * tap_step + i * value_step]
// Values of a tap are neighbours in the input, too. A layer may be several groups at once, each with as many
// channels: they see as many of a tap's values, so that their i counts from the group's first on, and all
// other weights are 0.
struct DotLayer {
  const int8_t* filter;
  intptr_t channel_step;
  intptr_t value_step;
  const int32_t* bias;  // Or null.
  const Multiplier* multipliers;
  bool one_multiplier;
  int32_t channels;
  int32_t packed_channels;  // So many are packed; behind the last comes the first again.
  int32_t lines;
  int32_t tap_values;
  ConvQuantization quantization;
  int32_t taps = 1;
  int32_t groups = 1;
  intptr_t line_step = 0;
  intptr_t tap_step = 0;
  int32_t other_channels = 0;  // Those of an output pixel that are not the layer's.
  // The filter, where it is compressed and `filter` null: weights are those elements.
  const StreamedRows* rows = nullptr;
  bool may_decode = false;  // Runs by ComputePixels alone, which decodes blocks before it uses them.
  intptr_t first_value = 0;
  DecodedFilter* decoded = nullptr;  // The values of `rows`, while the layer is prepared.
};

// The input values of some pixels, converted. Tap t of pixel p's line l begins at values + p * pixel_step + l
// * line_step + t * tap_step.
template <typename Set>
struct DotStrip {
  const typename Set::Value* values;
  int32_t pixel_step;
  int32_t line_step;
  int32_t pixels;
  int32_t readable_pixels;  // So many may be read, though not all are wanted.
  int32_t tap_step = 0;
  // If not 0: so many pixels are a row, and the next row's first is row_step behind this one's. The output's
  // rows lie one after the other.
  int32_t row_pixels = 0;
  int32_t row_step = 0;
  const intptr_t* places = nullptr;  // A tile of Tile::kScattered has its pixels there.
};

// Prepared memory begins with this. Behind it, and before the flags, are blocks: sums to start with, scales,
// weights or nibbles. If there is one multiplier, the scales of all blocks stand in front of the first.
struct alignas(kPackedAlignment) PackedHeader {
  int32_t exact_check_threshold;
  int32_t flags;  // Bytes to them: for each block, whether its results are proved and need no guard.
  bool is_signed;
  PackedFilters filters;
};

template <typename Set>
struct PackedBlock {
  int32_t* starts;
  float* scale;
  float* above;
  float* below;
  typename Set::Weight* weights;  // [line][step][vector][lane][value]
  uint8_t* nibbles;               // Or these: a NibbleLayout's tables, and what it has behind them.
  uint8_t* end;
  bool is_proved;
};

// The channel that a lane of a block's vector holds: so that narrowing four vectors, which works on quarters
// of registers, leaves channels in their order.
constexpr int32_t ChannelOfLane(int32_t vectors, int32_t vector, int32_t lane) {
  return lane / 4 * 4 * vectors + vector * 4 + lane % 4;
}

// Returns whether a vector holds two pixels, the channels of one behind those of the other.
template <typename Set>
bool TakesPairs(const DotLayer& layer) {
  return kHasPairs<Set> && layer.channels == Set::kLanes / 2 && layer.packed_channels == layer.channels &&
         layer.other_channels == 0;
}

template <typename Set>
int32_t PackedChannels(const DotLayer& layer) {
  return TakesPairs<Set>(layer) ? Set::kLanes : layer.packed_channels;
}

template <typename Set>
constexpr int32_t BlockVectors(int32_t channels) {
  int32_t vectors = 1;
  while (vectors < Set::kMaxVectors && vectors * Set::kLanes < channels) vectors *= 2;
  return vectors;
}

template <typename Set>
int32_t TapSteps(const DotLayer& layer) {
  return (layer.tap_values + Set::kStep - 1) / Set::kStep;
}

template <typename Set>
int64_t WeightsOfBlock(const DotLayer& layer, int32_t vectors) {
  return int64_t{layer.lines} * layer.taps * TapSteps<Set>(layer) * vectors * Set::kLanes * Set::kStep;
}

// Bytes of the scales of so many lanes.
static inline int64_t BytesOfScales(int32_t lanes) {
  return lanes * int64_t{3} * static_cast<int64_t>(sizeof(float));
}

template <typename Set>
NibbleLayout<Set> NibblesOfBlock(const DotLayer& layer, PackedFilters filters, int32_t vectors) {
  return {filters == PackedFilters::kOneTable, layer.lines * layer.taps, TapSteps<Set>(layer), vectors};
}

// Returns how prepare packs the layer's filters. Nibbles are not used if their tables take more bytes than
// they save, or if a tap's values do not fill whole steps: a table may lack the 0 that would fill the last
// step.
template <typename Set>
PackedFilters FiltersOf(const DotLayer& layer) {
  constexpr PackedFilters kNone = PackedFilters::kWeights;
  if (!Set::kTakesNibbles || !layer.may_decode || layer.groups != 1 || TakesPairs<Set>(layer)) return kNone;
  if (layer.rows == nullptr || layer.rows->only_once || !DecodedFilter::HasTables(*layer.rows)) return kNone;
  const Encoding& encoding = *layer.rows->encoding;
  if (encoding.width > kNibbleBits || layer.tap_values % Set::kStep != 0) return kNone;
  const bool one_table = encoding.channels == 1;
  const bool table_for_each = encoding.channels == layer.channels && encoding.inner == layer.channel_step;
  if (!one_table && !(Set::kTakesTablesOfChannels && table_for_each)) return kNone;
  const PackedFilters filters = one_table ? PackedFilters::kOneTable : PackedFilters::kTables;
  const int32_t vectors = BlockVectors<Set>(layer.channels);
  const NibbleLayout<Set> layout = NibblesOfBlock<Set>(layer, filters, vectors);
  constexpr auto kWeightBytes = static_cast<int64_t>(sizeof(typename Set::Weight));
  if (layout.DecodedWeights() * kWeightBytes > kDecodedBytes) return kNone;
  return layout.Bytes() < WeightsOfBlock<Set>(layer, vectors) * kWeightBytes ? filters : kNone;
}

template <typename Set>
int64_t BytesOfSharedScales(const DotLayer& layer) {
  const int64_t bytes = layer.one_multiplier ? BytesOfScales(Set::kMaxVectors * Set::kLanes) : 0;
  return (bytes + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment;
}

template <typename Set>
int64_t BytesOfBlock(const DotLayer& layer, PackedFilters filters, int32_t vectors) {
  const int32_t lanes = vectors * Set::kLanes;
  const int64_t bytes =
      lanes * static_cast<int64_t>(sizeof(int32_t)) + (layer.one_multiplier ? 0 : BytesOfScales(lanes)) +
      (filters != PackedFilters::kWeights
           ? NibblesOfBlock<Set>(layer, filters, vectors).Bytes()
           : WeightsOfBlock<Set>(layer, vectors) * static_cast<int64_t>(sizeof(typename Set::Weight)));
  return (bytes + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment;
}

// The block that begins at `bytes`. `shared`: the scales of all blocks, if they share them.
template <typename Set>
PackedBlock<Set> BlockAt(PackedFilters filters, uint8_t* memory, int64_t bytes, int32_t vectors,
                         float* shared = nullptr) {
  const int32_t lanes = vectors * Set::kLanes;
  PackedBlock<Set> block;
  block.starts = reinterpret_cast<int32_t*>(memory);
  auto* const behind = reinterpret_cast<float*>(block.starts + lanes);
  const int32_t step = shared != nullptr ? Set::kMaxVectors * Set::kLanes : lanes;
  block.scale = shared != nullptr ? shared : behind;
  block.above = block.scale + step;
  block.below = block.above + step;
  block.weights = reinterpret_cast<typename Set::Weight*>(shared != nullptr ? behind : block.below + lanes);
  block.nibbles = filters != PackedFilters::kWeights ? reinterpret_cast<uint8_t*>(block.weights) : nullptr;
  block.end = memory + bytes;
  block.is_proved = false;
  return block;
}

static inline PackedHeader* PackedHeaderAt(const void* memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  constexpr auto kMask = static_cast<uintptr_t>(kPackedAlignment - 1);
  return reinterpret_cast<PackedHeader*>((address + kMask) & ~kMask);
}

// The scales of all blocks; null if they have their own.
static inline float* SharedScales(const DotLayer& layer, PackedHeader* header) {
  return layer.one_multiplier ? reinterpret_cast<float*>(header + 1) : nullptr;
}

static inline bool* FlagsOf(PackedHeader* header) { return reinterpret_cast<bool*>(header) + header->flags; }

template <typename Set>
uint8_t* FirstBlock(const DotLayer& layer, PackedHeader* header) {
  return reinterpret_cast<uint8_t*>(header + 1) + BytesOfSharedScales<Set>(layer);
}

template <int kVectors>
struct VectorCount {
  static constexpr int kCount = kVectors;
};

// Calls visit(VectorCount, block, first channel) for all blocks of
// `channels` channels.
template <typename Set, typename Visit>
void ForEachBlock(const DotLayer& layer, PackedHeader* header, int32_t channels, const Visit& visit) {
  uint8_t* at = FirstBlock<Set>(layer, header);
  const bool* is_proved = FlagsOf(header);
  int32_t last_vectors = 0;
  int64_t bytes = 0;
  for (int32_t first = 0; first < channels;) {
    const int32_t vectors = BlockVectors<Set>(channels - first);
    if (vectors != last_vectors) bytes = BytesOfBlock<Set>(layer, header->filters, vectors);
    last_vectors = vectors;
    PackedBlock<Set> block = BlockAt<Set>(header->filters, at, bytes, vectors, SharedScales(layer, header));
    block.is_proved = *is_proved++;
    if (vectors == 1) {
      visit(VectorCount<1>(), block, first);
    } else if (vectors == 2) {
      visit(VectorCount<2>(), block, first);
    } else if constexpr (Set::kMaxVectors >= 4) {
      visit(VectorCount<4>(), block, first);
    }
    first += vectors * Set::kLanes;
    at = block.end;
  }
}

}  // namespace
}  // namespace lutra
