// SPDX-License-Identifier: Apache-2.0
// One tile of a layer of dot products (dot_layer.h): some pixels by some vectors of channels. Its sums are
// kept in registers; prepare packed the filters (dot_packing.h).

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/dot_layer.h"
#include "runtime/kernels/dot_packing.h"

namespace lutra {
namespace {

// Computes results in doubt again, in integers. `sums`: of a tile, [pixel][vector][lane].
template <typename Set, int kVectors, bool kSigned>
[[gnu::noinline, gnu::cold]] void CorrectTile(const DotLayer& layer, int32_t first_channel,
                                              const int32_t* sums, const DotScales& scales,
                                              const DotArea& area) {
  for (int32_t pixel = 0; pixel < area.pixels; ++pixel) {
    for (int32_t vector = 0; vector < kVectors; ++vector, sums += Set::kLanes) {
      const int32_t at = vector * Set::kLanes;
      uint32_t lanes = Set::template Doubtful<kSigned>(
          sums, {scales.scale + at, scales.above + at, scales.below + at}, area.exact_check_threshold);
      for (; lanes != 0; lanes &= lanes - 1) {
        const int32_t lane = __builtin_ctz(lanes);
        const int32_t channel = ChannelOfLane(kVectors, vector, lane);
        if (channel >= area.channels) continue;
        const Multiplier multiplier = MultiplierOf(layer, (first_channel + channel) % layer.channels);
        const int32_t scaled = MultiplyByQuantizedMultiplier(sums[lane], multiplier);
        area.output[static_cast<intptr_t>(pixel) * area.pixel_step + channel] = static_cast<int8_t>(
            ClampToInt8(WrappingAdd(scaled, layer.quantization.output_offset), area.min, area.max));
      }
    }
  }
}

// Computes and stores the results of a tile's sums.
template <typename Set, int kPixels, int kVectors, bool kSigned, bool kGuarded = true>
[[gnu::always_inline]] inline void FinishTile(const DotLayer& layer, const PackedBlock<Set>& block,
                                              const typename Set::Sums (&sums)[kPixels * kVectors],
                                              int32_t first_channel, const DotArea& area) {
  const DotScales scales = {block.scale, block.above, block.below};
  if constexpr (!kGuarded) {
    Set::template Finish<kPixels, kVectors, kSigned, false>(sums, scales, area);
  } else if (__builtin_expect(Set::template Finish<kPixels, kVectors, kSigned>(sums, scales, area), 0)) {
    int32_t stored[kPixels * kVectors * Set::kLanes];
    Unroll<kPixels * kVectors>(
        [&](auto i) LUTRA_INLINE_LAMBDA { Set::StoreSums(sums[i], stored + i * Set::kLanes); });
    CorrectTile<Set, kVectors, kSigned>(layer, first_channel, stored, scales, area);
  }
}

// Adds to the sums of kVectors vectors of one pixel the products of `steps` steps, with kChains sums for each
// vector so that no sum waits for the one before it. `others`: all sums but the first of each vector.
template <typename Set, int kVectors, int kChains>
[[gnu::always_inline]] inline const typename Set::Weight* AddStepsOfOne(
    const typename Set::Weight* weights, int32_t steps, const typename Set::Value* values,
    typename Set::Sums* sums, typename Set::Sums (&others)[kChains * kVectors]) {
  const auto add = [&](typename Set::Sums* to) LUTRA_INLINE_LAMBDA {
    const typename Set::Sums repeated = Set::Repeat(values);
    Unroll<kVectors>([&](auto v) LUTRA_INLINE_LAMBDA {
      to[v] = Set::Dot(to[v], repeated, Set::LoadWeights(weights + v * Set::kLanes * Set::kStep));
    });
    weights += kVectors * Set::kLanes * Set::kStep;
    values += Set::kStep;
  };
  for (; steps >= kChains; steps -= kChains) {
    add(sums);
    Unroll<kChains - 1>([&](auto chain) LUTRA_INLINE_LAMBDA { add(others + (chain + 1) * kVectors); });
  }
  for (; steps > 0; --steps) add(sums);
  return weights;
}

// Adds to a tile's sums the products of a tap of `steps` steps. `tap`: the first pixel's values. With
// kTogether 2 a vector holds two neighbouring pixels.
template <typename Set, int kPixels, int kVectors, int kTogether>
[[gnu::always_inline]] inline const typename Set::Weight* AddSteps(
    const typename Set::Weight* weights, int32_t steps, const typename Set::Value* tap, intptr_t pixel_step,
    typename Set::Sums (&sums)[kPixels * kVectors]) {
  // Addresses of three neighbours have one base, so that the bases fit registers.
  constexpr int kBases = (kPixels * kTogether + 2) / 3;
  const typename Set::Value* bases[kBases];
  Unroll<kBases>([&](auto i) LUTRA_INLINE_LAMBDA { bases[i] = tap + 3 * i * pixel_step; });
  for (; steps > 0; --steps) {
    typename Set::Sums filters[kVectors];
    Unroll<kVectors>([&](auto v) LUTRA_INLINE_LAMBDA {
      filters[v] = Set::LoadWeights(weights + v * Set::kLanes * Set::kStep);
    });
    weights += kVectors * Set::kLanes * Set::kStep;
    Unroll<kPixels>([&](auto p) LUTRA_INLINE_LAMBDA {
      typename Set::Sums values;
      if constexpr (kTogether == 2) {
        values = Set::Pair(bases[2 * p / 3] + 2 * p % 3 * pixel_step,
                           bases[(2 * p + 1) / 3] + (2 * p + 1) % 3 * pixel_step);
      } else {
        values = Set::Repeat(bases[p / 3] + p % 3 * pixel_step);
      }
      Unroll<kVectors>([&](auto v) LUTRA_INLINE_LAMBDA {
        sums[p * kVectors + v] = Set::Dot(sums[p * kVectors + v], values, filters[v]);
      });
    });
    Unroll<kBases>([&](auto i) LUTRA_INLINE_LAMBDA { bases[i] += Set::kStep; });
  }
  return weights;
}

// Adds to a tile's sums the products of a layer's taps, of `steps` steps each. `strip.values`: the first
// pixel's values.
template <typename Set, int kPixels, int kVectors, int kTogether = 1>
[[gnu::always_inline]] inline void AddTaps(const typename Set::Weight* weights, int32_t lines, int32_t taps,
                                           int32_t steps, const DotStrip<Set>& strip,
                                           typename Set::Sums (&sums)[kPixels * kVectors]) {
  constexpr int kChains = kPixels > 1 || kTogether > 1 || kVectors > 2 ? 1 : 4 / kVectors;
  typename Set::Sums others[kChains * kVectors] = {};
  const intptr_t pixel_step = strip.pixel_step;
  const intptr_t next_line = strip.line_step - taps * static_cast<intptr_t>(strip.tap_step);
  const typename Set::Value* tap = strip.values;
  int32_t of_line = taps;
  for (int32_t left = lines * taps; left > 0; --left) {
    if constexpr (kChains > 1) {
      weights = AddStepsOfOne<Set, kVectors, kChains>(weights, steps, tap, sums, others);
    } else {
      weights = AddSteps<Set, kPixels, kVectors, kTogether>(weights, steps, tap, pixel_step, sums);
    }
    tap += strip.tap_step;
    if (--of_line == 0) {
      of_line = taps;
      tap += next_line;
    }
  }
  if constexpr (kChains > 1) {
    Unroll<(kChains - 1) * kVectors>([&](auto i) LUTRA_INLINE_LAMBDA {
      sums[i % kVectors] = Set::Add(sums[i % kVectors], others[kVectors + i]);
    });
  }
}

// Adds the same products if each of the layer's taps is a line of three columns of `steps` steps, as long as
// a pixel: of the columns under a tile, all but the outermost belong to three pixels.
template <typename Set, int kPixels>
[[gnu::always_inline]] inline void AddColumns(const typename Set::Weight* weights, int32_t lines,
                                              int32_t steps, const typename Set::Value* line,
                                              intptr_t line_step, intptr_t pixel_step,
                                              typename Set::Sums (&sums)[kPixels]) {
  constexpr int kBases = (kPixels + 4) / 3;
  constexpr intptr_t kStepWeights = Set::kLanes * Set::kStep;
  const intptr_t tap_weights = steps * kStepWeights;
  for (; lines > 0; --lines, line += line_step, weights += 2 * tap_weights) {
    const typename Set::Value* bases[kBases];
    Unroll<kBases>([&](auto i) LUTRA_INLINE_LAMBDA { bases[i] = line + 3 * i * pixel_step; });
    for (int32_t step = steps; step > 0; --step, weights += kStepWeights) {
      typename Set::Sums filters[3];
      Unroll<3>([&](auto tap)
                    LUTRA_INLINE_LAMBDA { filters[tap] = Set::LoadWeights(weights + tap * tap_weights); });
      Unroll<kPixels + 2>([&](auto column) LUTRA_INLINE_LAMBDA {
        const typename Set::Sums values = Set::Repeat(bases[column / 3] + column % 3 * pixel_step);
        if constexpr (column < kPixels) sums[column] = Set::Dot(sums[column], values, filters[0]);
        if constexpr (column >= 1 && column <= kPixels) {
          sums[column - 1] = Set::Dot(sums[column - 1], values, filters[1]);
        }
        if constexpr (column >= 2) sums[column - 2] = Set::Dot(sums[column - 2], values, filters[2]);
      });
      Unroll<kBases>([&](auto i) LUTRA_INLINE_LAMBDA { bases[i] += Set::kStep; });
    }
  }
}

// Adds the same products for pixels at any places: pixel p begins strip.places[p] behind strip.values.
template <typename Set, int kPixels, int kVectors>
[[gnu::always_inline]] inline void AddScattered(const typename Set::Weight* weights, int32_t lines,
                                                int32_t taps, int32_t steps, const DotStrip<Set>& strip,
                                                typename Set::Sums (&sums)[kPixels * kVectors]) {
  intptr_t places[kPixels];
  Unroll<kPixels>([&](auto p) LUTRA_INLINE_LAMBDA { places[p] = strip.places[p]; });
  const typename Set::Value* line = strip.values;
  for (; lines > 0; --lines, line += strip.line_step) {
    const typename Set::Value* tap = line;
    for (int32_t of_line = taps; of_line > 0; --of_line, tap += strip.tap_step) {
      const typename Set::Value* values = tap;
      for (int32_t step = steps; step > 0; --step, values += Set::kStep) {
        typename Set::Sums filters[kVectors];
        Unroll<kVectors>([&](auto v) LUTRA_INLINE_LAMBDA {
          filters[v] = Set::LoadWeights(weights + v * Set::kLanes * Set::kStep);
        });
        weights += kVectors * Set::kLanes * Set::kStep;
        Unroll<kPixels>([&](auto p) LUTRA_INLINE_LAMBDA {
          const typename Set::Sums repeated = Set::Repeat(values + places[p]);
          Unroll<kVectors>([&](auto v) LUTRA_INLINE_LAMBDA {
            sums[p * kVectors + v] = Set::Dot(sums[p * kVectors + v], repeated, filters[v]);
          });
        });
      }
    }
  }
}

enum class Tile { kPlain, kPairs, kColumns, kScattered };

// Computes a tile of kPixels pixels, or of pairs of pixels.
template <typename Set, int kPixels, int kVectors, bool kSigned, bool kGuarded, Tile kTile>
[[gnu::always_inline]] inline void ComputeTileHere(const DotLayer& layer, const PackedBlock<Set>& block,
                                                   const DotStrip<Set>& strip, int32_t first_pixel,
                                                   int32_t first_channel, const DotArea& area) {
  typename Set::Sums sums[kPixels * kVectors];
  Unroll<kPixels * kVectors>([&](auto i) LUTRA_INLINE_LAMBDA {
    sums[i] = Set::LoadSums(block.starts + i % kVectors * Set::kLanes);
  });
  DotStrip<Set> from = strip;
  from.values += static_cast<intptr_t>(first_pixel) * strip.pixel_step;
  if constexpr (kTile == Tile::kColumns) {
    AddColumns<Set, kPixels>(block.weights, layer.taps, strip.pixel_step / Set::kStep, from.values,
                             strip.tap_step, strip.pixel_step, sums);
  } else if constexpr (kTile == Tile::kScattered) {
    AddScattered<Set, kPixels, kVectors>(block.weights, layer.lines, layer.taps, TapSteps<Set>(layer), from,
                                         sums);
  } else {
    AddTaps<Set, kPixels, kVectors, kTile == Tile::kPairs ? 2 : 1>(block.weights, layer.lines, layer.taps,
                                                                   TapSteps<Set>(layer), from, sums);
  }
  FinishTile<Set, kPixels, kVectors, kSigned, kGuarded>(layer, block, sums, first_channel, area);
}

template <typename Set, int kPixels, int kVectors, bool kSigned, bool kGuarded, Tile kTile = Tile::kPlain>
void ComputeTile(const DotLayer& layer, const PackedBlock<Set>& block, const DotStrip<Set>& strip,
                 int32_t first_pixel, int32_t first_channel, const DotArea& area) {
  ComputeTileHere<Set, kPixels, kVectors, kSigned, kGuarded, kTile>(layer, block, strip, first_pixel,
                                                                    first_channel, area);
}

// Returns the bytes from an output pixel to the next.
static inline int32_t OutputStep(const DotLayer& layer) { return layer.channels + layer.other_channels; }

// Returns the part of an area that is the same for all tiles of the layer.
static inline DotArea AreaOf(const DotLayer& layer, const PackedHeader& header) {
  DotArea area = {};
  area.pixel_step = OutputStep(layer);
  area.min = layer.quantization.activation_min;
  area.max = layer.quantization.activation_max;
  area.exact_check_threshold = header.exact_check_threshold;
  return area;
}

// Computes a tile of `pixels` pixels, at most kPixels, by ComputeTile.
template <typename Set, int kPixels, int kVectors, bool kSigned, bool kGuarded, Tile kTile = Tile::kPlain>
void ComputeTileOf(int32_t pixels, const DotLayer& layer, const PackedBlock<Set>& block,
                   const DotStrip<Set>& strip, int32_t first_pixel, int32_t first_channel,
                   const DotArea& area) {
  if constexpr (kPixels > ShortTilePixels<Set>(kVectors)) {
    if (pixels < kPixels) {
      return ComputeTileOf<Set, kPixels - 1, kVectors, kSigned, kGuarded, kTile>(
          pixels, layer, block, strip, first_pixel, first_channel, area);
    }
  }
  ComputeTile<Set, kPixels, kVectors, kSigned, kGuarded, kTile>(layer, block, strip, first_pixel,
                                                                first_channel, area);
}

}  // namespace
}  // namespace lutra
