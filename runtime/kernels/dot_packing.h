// SPDX-License-Identifier: Apache-2.0
// Prepares a layer for dot_pixels.h: packed filters, first sums, scales, and the proofs that blocks of
// channels need no guard.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/cpu.h"
#include "runtime/fixed_point/guarded.h"
#include "runtime/fixed_point/proved.h"
#include "runtime/kernels/dot_layer.h"
#include "runtime/kernels/dot_nibbles.h"

namespace lutra {
namespace {

// Calls visit(tap, value of it, place in the filter) for all weights of the channel; taps of all lines are
// numbered through.
template <typename Visit>
static inline void ForEachPlace(const DotLayer& layer, int32_t channel, const Visit& visit) {
  const int32_t seen = layer.tap_values / layer.groups;
  const int32_t first = channel / (layer.channels / layer.groups) * seen;
  const intptr_t place = layer.first_value + channel * layer.channel_step;
  for (int32_t line = 0; line < layer.lines; ++line) {
    for (int32_t tap = 0; tap < layer.taps; ++tap) {
      const intptr_t at = place + line * layer.line_step + tap * layer.tap_step;
      for (int32_t i = 0; i < seen; ++i) {
        visit(line * layer.taps + tap, first + i, at + i * layer.value_step);
      }
    }
  }
}

// Calls visit(line, value of it, weight).
template <typename Visit>
static inline void ForEachWeight(const DotLayer& layer, int32_t channel, const Visit& visit) {
  if (layer.rows == nullptr) {
    return ForEachPlace(layer, channel, [&](int32_t line, int32_t i, intptr_t place) {
      visit(line, i, int32_t{layer.filter[place]});
    });
  }
  ForEachPlace(layer, channel, [&](int32_t line, int32_t i, intptr_t place) {
    visit(line, i, int32_t{layer.decoded->ValueAt(place)});
  });
}

// Calls prepare(layer), whose weights can be visited then.
template <typename Prepare>
static inline int32_t WithValues(const DotLayer& layer, const Prepare& prepare) {
  if (layer.decoded != nullptr || layer.filter != nullptr) return prepare(layer);
  if (layer.rows == nullptr || !DecodedFilter::Takes(*layer.rows)) return kNotForTheseArgs;
  DecodedFilter decoded(*layer.rows);
  DotLayer with_values = layer;
  with_values.decoded = &decoded;
  return prepare(with_values);
}

// Returns a bound that no sum of the channel exceeds, whatever the input.
static inline int64_t MagnitudeOf(const DotLayer& layer, int32_t channel) {
  int64_t sum = 0;
  ForEachWeight(layer, channel,
                [&](int32_t, int32_t, int32_t weight) { sum += weight < 0 ? -weight : weight; });
  const int64_t bias = layer.bias != nullptr ? layer.bias[channel] : 0;
  return 255 * sum + (bias < 0 ? -bias : bias);
}

static inline Multiplier MultiplierOf(const DotLayer& layer, int32_t channel) {
  return layer.multipliers[layer.one_multiplier ? 0 : channel];
}

template <typename Set>
void SetScale(const GuardedScale& guarded, int32_t at, const PackedBlock<Set>& block) {
  block.scale[at] = guarded.scale;
  block.above[at] = guarded.above;
  block.below[at] = guarded.below;
}

template <typename Set>
void PackLane(const DotLayer& layer, PackedFilters filters, int32_t channel, int32_t width, int32_t vectors,
              int32_t vector, int32_t lane, const PackedBlock<Set>& block) {
  const int32_t at = vector * Set::kLanes + lane;
  GuardedScale guarded = kNoChannel;
  block.starts[at] = 0;
  if (channel < PackedChannels<Set>(layer)) {
    channel %= layer.channels;
    ComputeGuardedScale(MultiplierOf(layer, channel), layer.quantization.output_offset, 0, width, &guarded);
    typename Set::Weight* const weights = block.weights + at * Set::kStep;
    const intptr_t step_weights = intptr_t{vectors} * Set::kLanes * Set::kStep;
    const int32_t steps = TapSteps<Set>(layer);
    NibbleLayout<Set> layout = {};
    FilterTable table = {};
    if (block.nibbles != nullptr) {
      layout = NibblesOfBlock<Set>(layer, filters, vectors);
      table = FilterTable::At(*layer.rows->encoding, layer.first_value + channel * layer.channel_step);
      memcpy(block.nibbles + layout.TableAt(vector, lane), table.entries, static_cast<size_t>(table.count));
    }
    uint32_t sum = 0;
    ForEachWeight(layer, channel, [&](int32_t tap, int32_t i, int32_t weight) {
      sum += static_cast<uint32_t>(weight);
      if (block.nibbles != nullptr) {
        return layout.Put(tap, i, vector, lane, table.IndexOf(weight), block.nibbles + layout.TableBytes());
      }
      const intptr_t step = intptr_t{tap} * steps + i / Set::kStep;
      weights[step * step_weights + i % Set::kStep] = static_cast<typename Set::Weight>(weight);
    });
    const int32_t offset = Set::StartOffset(layer.quantization.input_offset);
    const uint32_t bias = layer.bias != nullptr ? static_cast<uint32_t>(layer.bias[channel]) : 0;
    block.starts[at] = static_cast<int32_t>(bias + static_cast<uint32_t>(offset) * sum);
  }
  if (!layer.one_multiplier) SetScale(guarded, at, block);
}

// The largest guard width that a channel wants, and 0 if some channel needs integers. How far sums may go
// does not matter: those whose units leave int32 are in doubt on x86.
template <typename Set>
int32_t WidthOf(const DotLayer& layer) {
  int32_t width = 0;
  for (int32_t channel = 0; channel < layer.channels; ++channel) {
    const int32_t wanted = GuardWidth(MagnitudeOf(layer, channel)) + (Set::kIsFused ? 0 : 1);
    GuardedScale unused;
    if (!ComputeGuardedScale(MultiplierOf(layer, channel), layer.quantization.output_offset, 0, wanted,
                             &unused)) {
      return 0;
    }
    if (wanted > width) width = wanted;
  }
  return width;
}

template <typename Set>
int32_t BlocksOf(const DotLayer& layer) {
  int32_t blocks = 0;
  for (int32_t first = 0; first < PackedChannels<Set>(layer); ++blocks) {
    first += BlockVectors<Set>(PackedChannels<Set>(layer) - first) * Set::kLanes;
  }
  return blocks;
}

// Returns the bytes from the header to the flags.
template <typename Set>
int64_t BytesToFlags(const DotLayer& layer) {
  const PackedFilters filters = FiltersOf<Set>(layer);
  int64_t bytes = static_cast<int64_t>(sizeof(PackedHeader)) + BytesOfSharedScales<Set>(layer);
  for (int32_t first = 0; first < PackedChannels<Set>(layer);) {
    const int32_t vectors = BlockVectors<Set>(PackedChannels<Set>(layer) - first);
    bytes += BytesOfBlock<Set>(layer, filters, vectors);
    first += vectors * Set::kLanes;
  }
  return bytes;
}

// Returns a multiple of kPackedAlignment.
template <typename Set>
int64_t PreparedBytes(const DotLayer& layer) {
  const int64_t bytes = kPackedAlignment + BytesToFlags<Set>(layer) + BlocksOf<Set>(layer);
  return (bytes + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment;
}

// Widens [least, most] to the sums that a channel can have, whatever the input.
static inline void WidenToSums(const DotLayer& layer, int32_t channel, int64_t* least, int64_t* most) {
  const int32_t offset = layer.quantization.input_offset;
  const int64_t bias = layer.bias != nullptr ? layer.bias[channel] : 0;
  int64_t low = bias;
  int64_t high = bias;
  ForEachWeight(layer, channel, [&](int32_t, int32_t, int32_t weight) {
    const int32_t a = weight * (INT8_MIN + offset);
    const int32_t b = weight * (INT8_MAX + offset);
    low += a < b ? a : b;
    high += a < b ? b : a;
  });
  if (low < *least) *least = low;
  if (high > *most) *most = high;
}

// Constants that need no guard, for a channel of the layer, or for all if there is one multiplier.
template <typename Set>
bool ProveChannel(const DotLayer& layer, bool is_signed, int32_t channel, GuardedScale* scale) {
  int64_t least = INT64_MAX;
  int64_t most = INT64_MIN;
  if (layer.one_multiplier) {
    for (int32_t c = 0; c < layer.channels; ++c) WidenToSums(layer, c, &least, &most);
  } else {
    WidenToSums(layer, channel, &least, &most);
  }
  const auto units = [&](const int32_t* sums, const GuardedScale& tried, int32_t* results) {
    float constants[3][Set::kLanes];
    for (int32_t lane = 0; lane < Set::kLanes; ++lane) {
      constants[0][lane] = tried.scale;
      constants[1][lane] = tried.above;
      constants[2][lane] = is_signed ? tried.below : tried.above;
    }
    Set::StoreSums(Set::template Units<true>(Set::LoadSums(sums), {constants[0], constants[1], constants[2]}),
                   results);
  };
  const ConvQuantization& quantization = layer.quantization;
  const ResultRange range = {quantization.output_offset, quantization.activation_min,
                             quantization.activation_max};
  StepsOfSums steps;
  if (!FindSteps(MultiplierOf(layer, channel), range, least, most, &steps)) return false;
  if (!ProveScale<Set::kLanes>(steps, units, scale)) return false;
  if (!is_signed) scale->below = scale->above;
  return true;
}

// Gives a block constants without a guard if all of its channels, from `first` on, have some.
template <typename Set, int32_t kVectors>
bool ProveBlock(const DotLayer& layer, bool is_signed, int32_t first, const PackedBlock<Set>& block) {
  constexpr int32_t kLanes = kVectors * Set::kLanes;
  GuardedScale scales[kLanes];
  for (int32_t at = 0; at < kLanes; ++at) {
    const int32_t channel = first + ChannelOfLane(kVectors, at / Set::kLanes, at % Set::kLanes);
    scales[at] = kNoChannel;
    if (channel < PackedChannels<Set>(layer) &&
        !ProveChannel<Set>(layer, is_signed, channel % layer.channels, &scales[at])) {
      return false;
    }
  }
  for (int32_t at = 0; at < kLanes; ++at) SetScale(scales[at], at, block);
  return true;
}

template <typename Set>
int32_t PackDots(const DotLayer& layer, void* memory) {
  const int64_t bytes = PreparedBytes<Set>(layer);
  if (bytes > INT32_MAX / 2) return kNotForTheseArgs;
  const int32_t width = WidthOf<Set>(layer);
  if (width == 0) return kNotForTheseArgs;
  if (memory == nullptr) return static_cast<int32_t>(bytes);
  memset(memory, 0, static_cast<size_t>(bytes));
  PackedHeader* const header = PackedHeaderAt(memory);
  header->exact_check_threshold = 2 * width;
  header->flags = static_cast<int32_t>(BytesToFlags<Set>(layer));
  header->is_signed = layer.quantization.activation_min < layer.quantization.output_offset;
  header->filters = FiltersOf<Set>(layer);
  // The scale of all channels, if they share one.
  GuardedScale shared = kNoChannel;
  bool is_proved = false;
  if (layer.one_multiplier) {
    ComputeGuardedScale(layer.multipliers[0], layer.quantization.output_offset, 0, width, &shared);
    if constexpr (kProves<Set>) is_proved = ProveChannel<Set>(layer, header->is_signed, 0, &shared);
  }
  bool* flag = FlagsOf(header);
  ForEachBlock<Set>(layer, header, PackedChannels<Set>(layer),
                    [&](auto count, const PackedBlock<Set>& block, int32_t first) {
                      constexpr int32_t kVectors = decltype(count)::kCount;
                      for (int32_t at = 0; at < kVectors * Set::kLanes; ++at) {
                        const int32_t vector = at / Set::kLanes;
                        const int32_t lane = at % Set::kLanes;
                        const int32_t channel = first + ChannelOfLane(kVectors, vector, lane);
                        PackLane<Set>(layer, header->filters, channel, width, kVectors, vector, lane, block);
                        // A lane without a channel has a sum of 0, which is not in doubt either.
                        if (layer.one_multiplier) SetScale(shared, at, block);
                      }
                      if constexpr (kProves<Set>) {
                        if (!layer.one_multiplier) {
                          is_proved = ProveBlock<Set, kVectors>(layer, header->is_signed, first, block);
                        }
                      }
                      *flag++ = is_proved;
                    });
  return static_cast<int32_t>(bytes);
}

// Follows the rules of Variant::prepare.
template <typename Set>
int32_t PrepareDots(const DotLayer& layer, void* memory) {
  if (layer.multipliers == nullptr) return kNotForTheseArgs;
  return WithValues(layer, [memory](const DotLayer& known) { return PackDots<Set>(known, memory); });
}

}  // namespace
}  // namespace lutra
