// SPDX-License-Identifier: Apache-2.0
// The instruction set of dot_set.h that multiplies pairs of int16, which is exact: products of bytes would
// saturate.

#pragma once

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "runtime/kernels/dot_set.h"

namespace lutra {
namespace {

struct DotAvx2 {
  static constexpr int32_t kLanes = 8;
  static constexpr int32_t kStep = 2;
  static constexpr int32_t kMaxVectors = 2;
  static constexpr bool kIsFused = true;
  static constexpr bool kProves = true;
  using Value = int16_t;
  using Weight = int16_t;
  using Sums = __m256i;

  static constexpr int32_t TilePixels(int32_t vectors) { return vectors == 2 ? 6 : 8; }
  static constexpr int32_t ShortTilePixels(int32_t vectors) { return vectors == 2 ? 4 : 8; }
  static int32_t StartOffset(int32_t) { return 0; }

  static void Convert(const int8_t* from, int32_t count, int32_t input_offset, int16_t* to) {
    const __m256i offset = _mm256_set1_epi16(static_cast<int16_t>(input_offset));
    for (; count >= 16; count -= 16, from += 16, to += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                          _mm256_add_epi16(_mm256_cvtepi8_epi16(bytes), offset));
    }
    if (count >= 8) {
      const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                       _mm_add_epi16(_mm_cvtepi8_epi16(bytes), _mm256_castsi256_si128(offset)));
      count -= 8;
      from += 8;
      to += 8;
    }
    for (int32_t i = 0; i < count; ++i) to[i] = static_cast<int16_t>(from[i] + input_offset);
  }
  static void Pad(int16_t* to, int32_t count, int32_t) {
    const __m128i zeros = _mm_setzero_si128();
    for (; count >= 8; count -= 8, to += 8) _mm_storeu_si128(reinterpret_cast<__m128i*>(to), zeros);
    for (; count >= 2; count -= 2, to += 2) memcpy(to, &zeros, 2 * sizeof(int16_t));
    if (count > 0) *to = 0;
  }

  static constexpr int32_t kPadChunk = 16;
  static void ConvertChunk(const int8_t* from, int32_t input_offset, int16_t* to) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const __m256i offset = _mm256_set1_epi16(static_cast<int16_t>(input_offset));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_add_epi16(_mm256_cvtepi8_epi16(bytes), offset));
  }
  static void RepeatChunk(int8_t from, int32_t input_offset, int16_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_set1_epi16(static_cast<int16_t>(from + input_offset)));
  }
  static void PadChunk(int16_t* to, int32_t) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_setzero_si256());
  }
  static int32_t ConvertEvenPixels(const int8_t*, int64_t, int32_t, int32_t, int16_t*) { return 0; }

  static Sums LoadSums(const int32_t* sums) { return Load(sums); }
  static Sums LoadWeights(const int16_t* weights) { return Load(weights); }
  static void StoreSums(Sums sums, int32_t* to) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sums); }
  static Sums Repeat(const int16_t* values) {
    int32_t two;
    memcpy(&two, values, sizeof(two));
    return _mm256_set1_epi32(two);
  }
  static Sums Dot(Sums sums, Sums values, Sums weights) {
    return _mm256_add_epi32(sums, _mm256_madd_epi16(values, weights));
  }
  static Sums Add(Sums a, Sums b) { return _mm256_add_epi32(a, b); }

  // For dot_nibbles.h.
  static constexpr bool kTakesNibbles = true;
  static constexpr bool kTakesTablesOfChannels = false;
  using Nibbles = __m128i;
  static Nibbles LoadNibbles(const uint8_t* nibbles) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(nibbles));
  }
  static Nibbles LoadTable(const uint8_t* table) { return LoadNibbles(table); }
  static Sums LowWeights(Nibbles nibbles, Nibbles table) {
    return _mm256_cvtepi8_epi16(_mm_shuffle_epi8(table, _mm_and_si128(nibbles, _mm_set1_epi8(15))));
  }
  static Sums HighWeights(Nibbles nibbles, Nibbles table) {
    return LowWeights(_mm_srli_epi16(nibbles, 4), table);
  }
  static void StoreWeights(Sums weights, int16_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), weights);
  }

  static Sums LoadValues(const int16_t* values) { return Load(values); }
  static void Interleave(const Sums* rows, Sums* values) {
    values[0] = _mm256_unpacklo_epi16(rows[0], rows[1]);
    values[1] = _mm256_unpackhi_epi16(rows[0], rows[1]);
  }

  static __m256i Load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

  // Returns results in units of 2^-16.
  template <bool kSigned>
  static __m256i Units(__m256i sums, const DotScales& scales) {
    __m256 constant = _mm256_loadu_ps(scales.above);
    if constexpr (kSigned) {
      constant = _mm256_blendv_ps(constant, _mm256_loadu_ps(scales.below), _mm256_castsi256_ps(sums));
    }
    return _mm256_cvtps_epi32(
        _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums), _mm256_loadu_ps(scales.scale), constant));
  }

  // Returns the upper halves of two vectors, half register by half register.
  static __m256i UpperHalves(__m256i a, __m256i b) {
    return _mm256_packs_epi32(_mm256_srai_epi32(a, 16), _mm256_srai_epi32(b, 16));
  }

  // Returns the results of four vectors: of 4 / kVectors pixels, in order.
  template <int kVectors>
  static __m256i Narrow(const __m256i* units) {
    const __m256i bytes =
        _mm256_packs_epi16(UpperHalves(units[0], units[1]), UpperHalves(units[2], units[3]));
    if constexpr (kVectors == 1) {
      return _mm256_permutevar8x32_epi32(bytes, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
    }
    return _mm256_permute4x64_epi64(bytes, 0xD8);
  }

  // `bytes` begins with the results of as many pixels, from the area's pixel `first` on.
  template <int kVectors>
  static void Store(__m256i bytes, int32_t first, const DotArea& area) {
    constexpr int kPixels = 4 / kVectors;
    constexpr int kBytes = kVectors * kLanes;
    int8_t* output = area.output + static_cast<intptr_t>(first) * area.pixel_step;
    if (kVectors == 2 && area.channels == kBytes) {
      if (first < area.pixels) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(output), _mm256_castsi256_si128(bytes));
      }
      if (first + 1 < area.pixels) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(output + area.pixel_step),
                         _mm256_extracti128_si256(bytes, 1));
      }
      return;
    }
    int8_t stored[32];
    const bool is_whole = area.channels == kBytes && area.pixel_step == kBytes;
    int8_t* const to = is_whole && first + kPixels <= area.pixels ? output : stored;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
    if (to == output) return;
    for (int32_t i = 0; i < kPixels && first + i < area.pixels; ++i, output += area.pixel_step) {
      if (area.channels == kBytes) {
        memcpy(output, stored + i * kBytes, kBytes);
      } else {
        memcpy(output, stored + i * kBytes, static_cast<size_t>(area.channels));
      }
    }
  }

  template <int kPixels, int kVectors, bool kSigned, bool kGuarded = true>
  [[gnu::always_inline]] static bool Finish(const Sums (&sums)[kPixels * kVectors], const DotScales& scales,
                                            const DotArea& area) {
    constexpr int kCount = kPixels * kVectors;
    const __m256i min = _mm256_set1_epi8(area.min);
    const __m256i max = _mm256_set1_epi8(area.max);
    __m256i least = _mm256_set1_epi32(-1);
    Unroll<(kCount + 3) / 4>([&](auto group) LUTRA_INLINE_LAMBDA {
      constexpr int kFirst = 4 * group;
      __m256i units[4];
      Unroll<4>([&](auto k) LUTRA_INLINE_LAMBDA {
        // A tile of fewer than four vectors repeats its last one.
        constexpr int kAt = kFirst + k < kCount ? kFirst + k : kCount - 1;
        constexpr int kLane = kAt % kVectors * kLanes;
        units[k] =
            Units<kSigned>(sums[kAt], {scales.scale + kLane, scales.above + kLane, scales.below + kLane});
        if constexpr (kGuarded) least = _mm256_min_epu16(least, units[k]);
      });
      const __m256i bytes = Narrow<kVectors>(units);
      Store<kVectors>(_mm256_min_epi8(_mm256_max_epi8(bytes, min), max), kFirst / kVectors, area);
    });
    if constexpr (!kGuarded) return false;
    return LowerHalvesBelow(least, area.exact_check_threshold) != 0;
  }

  // Returns a bit for each lane whose lower half is below the limit.
  static uint32_t LowerHalvesBelow(__m256i units, int32_t limit) {
    const __m256i lower = _mm256_and_si256(units, _mm256_set1_epi32(0xFFFF));
    const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32(limit), lower);
    return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(below)));
  }

  template <bool kSigned>
  static uint32_t Doubtful(const int32_t* sums, const DotScales& scales, int32_t exact_check_threshold) {
    return LowerHalvesBelow(Units<kSigned>(LoadSums(sums), scales), exact_check_threshold);
  }
};
static_assert(DotSet<DotAvx2>);

}  // namespace
}  // namespace lutra
