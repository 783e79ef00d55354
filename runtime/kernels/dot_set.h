// SPDX-License-Identifier: Apache-2.0
// The concept DotSet says which members an instruction set must have for dot products; the comment behind it
// lists optional ones. For the kernels' .cc files: all names are local.

#pragma once

#include <stdint.h>

namespace lutra {
namespace {

constexpr int32_t kMaxTilePixels = 16;

// Float constants of a block of channels, in the order of lanes.
struct DotScales {
  const float* scale;
  const float* above;
  const float* below;
};

// Says where a tile writes its results.
struct DotArea {
  int8_t* output;
  int32_t pixel_step;
  int32_t pixels;    // How many of the tile's pixels are stored.
  int32_t channels;  // How many of its channels are stored.
  int8_t min;
  int8_t max;
  int32_t exact_check_threshold;
};

template <typename A, typename B>
concept SameAs = __is_same(A, B);

// An instruction set is a struct with these members, all of them static. A tile is some pixels by 1 vector of
// channels, or by 2, or by 4.
template <typename Set>
concept DotSet = requires(typename Set::Sums sums, const typename Set::Sums* rows,
                          const typename Set::Sums (&tile)[1], typename Set::Sums* out,
                          const typename Set::Value* values, typename Set::Value* to,
                          const typename Set::Weight* weights, const int32_t* stored, int32_t* store,
                          const int8_t* codes, const DotScales& scales, const DotArea& area, int32_t count) {
  // A vector has kLanes channels, a multiple of four. One Dot adds the products of kStep values to each.
  requires Set::kLanes % 4 == 0 && Set::kStep > 0;
  // A tile has at most so many vectors, and TilePixels(vectors) pixels.
  requires Set::kMaxVectors == 1 || Set::kMaxVectors == 2 || Set::kMaxVectors == 4;
  requires(Set::TilePixels(Set::kMaxVectors) <= kMaxTilePixels && Set::TilePixels(1) <= kMaxTilePixels);
  // Says whether sums are scaled with a fused multiply-add.
  { Set::kIsFused } -> SameAs<const bool&>;

  // Convert makes Values of input codes, ConvertChunk of 16 codes, RepeatChunk of one code 16 times. Pad
  // writes padding, PadChunk kPadChunk values of it. ConvertEvenPixels(from, readable, values, pixels, to)
  // takes every second pixel and returns how many it made. StartOffset is the input offset that Values lack.
  { Set::StartOffset(count) } -> SameAs<int32_t>;
  Set::Convert(codes, count, count, to);
  Set::ConvertChunk(codes, count, to);
  Set::RepeatChunk(*codes, count, to);
  Set::Pad(to, count, count);
  Set::PadChunk(to, count);
  requires Set::kPadChunk % 16 == 0;
  { Set::ConvertEvenPixels(codes, int64_t{count}, count, count, to) } -> SameAs<int32_t>;

  // Sums are a register of int32; values and weights are held in the same type.
  { Set::LoadSums(stored) } -> SameAs<typename Set::Sums>;
  Set::StoreSums(sums, store);
  { Set::LoadWeights(weights) } -> SameAs<typename Set::Sums>;
  { Set::Repeat(values) } -> SameAs<typename Set::Sums>;  // A step of values, for each lane.
  { Set::Dot(sums, sums, sums) } -> SameAs<typename Set::Sums>;
  { Set::Add(sums, sums) } -> SameAs<typename Set::Sums>;
  // Where each lane has values of its own, kStep rows of them are loaded, each for kMaxVectors vectors, and
  // Interleave puts those of a lane side by side.
  { Set::LoadValues(values) } -> SameAs<typename Set::Sums>;
  Set::Interleave(rows, out);

  // Finish<pixels, vectors, is_signed> stores a tile's results and says whether any is in doubt; Doubtful has
  // a bit for each lane of a vector that is.
  { Set::template Finish<1, 1, true>(tile, scales, area) } -> SameAs<bool>;
  { Set::template Doubtful<true>(stored, scales, count) } -> SameAs<uint32_t>;

  // Says whether filters may stay compressed, and whether with a table for each channel, for which there is
  // DecodeSteps then. With kTakesNibbles there are the functions that dot_nibbles.h calls.
  { Set::kTakesNibbles } -> SameAs<const bool&>;
  { Set::kTakesTablesOfChannels } -> SameAs<const bool&>;
};

// A set may have more:
//
//   ShortTilePixels(v)  Tiles may have any number of pixels from here to TilePixels(v), so that rows end
//                       where tiles do.
//   UsualTilePixels(v)  Most tiles have so many.
//   Pair(a, b)          It is Repeat of two pixels, each for half the lanes, for layers of so few channels. A
//                       tile has kPairTile such pairs.
//   kColumnTile         So many pixels of one vector, which lie as close as windows of 3 taps do, are a tile
//                       that repeats each value for all three.
//   kScatters           Tiles of kMaxVectors vectors may have pixels of several rows.
//   ConvertLine(from, begin, end, all, input_offset, to)
//                       It converts a strip's line at once, and may write kBehindLine values too many.
//   kProves             A fourth argument of Finish says whether it has to look for doubt, and
//                       Units<is_signed>(sums, scales) is what it makes of sums.

// A tile's least number of pixels.
template <typename Set>
constexpr int32_t ShortTilePixels(int32_t vectors) {
  if constexpr (requires { Set::ShortTilePixels(vectors); }) {
    return Set::ShortTilePixels(vectors);
  } else {
    return Set::TilePixels(vectors);
  }
}

template <typename Set>
constexpr int32_t UsualTilePixels(int32_t vectors) {
  if constexpr (requires { Set::UsualTilePixels(vectors); }) {
    return Set::UsualTilePixels(vectors);
  } else {
    return Set::TilePixels(vectors);
  }
}

template <typename Set>
constexpr bool kProves = requires {
  Set::kProves;
};

template <typename Set>
constexpr bool kHasPairs = requires(const typename Set::Value* values) {
  Set::Pair(values, values);
};

// Says whether tiles of so many vectors may have pixels of several rows.
template <typename Set, int kVectors>
constexpr bool kScatters = kVectors == Set::kMaxVectors&& requires {
  Set::kScatters;
};

// Calls visit(Index<0>()) to visit(Index<kCount - 1>()). Registers lie in arrays, which stay in registers
// only if the compiler never meets an index that is not constant; its own unrolling comes too late for that.
template <int kIndex>
struct Index {
  constexpr operator int() const { return kIndex; }  // NOLINT(google-explicit-constructor)
};
template <int kCount, int kFirst = 0, typename Visit>
[[gnu::always_inline]] inline void Unroll(const Visit& visit) {
  if constexpr (kFirst < kCount) {
    visit(Index<kFirst>());
    Unroll<kCount, kFirst + 1>(visit);
  }
}
#define LUTRA_INLINE_LAMBDA __attribute__((always_inline))

}  // namespace
}  // namespace lutra
