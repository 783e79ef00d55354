// SPDX-License-Identifier: Apache-2.0
// The instruction set of dot_set.h that multiplies pairs of int16, for processors without AVX. They have no
// fused multiply-add, either, so that the guard is wider (EXACTNESS.md).

#pragma once

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "runtime/kernels/dot_set.h"

namespace lutra {
namespace {

// With four vectors fewer values are repeated for a step; with two, a register holds the values of a block.
template <int32_t kVectorsOfBlock>
struct DotSse41Of {
  static constexpr int32_t kLanes = 4;
  static constexpr int32_t kStep = 2;
  static constexpr int32_t kMaxVectors = kVectorsOfBlock;
  static constexpr bool kIsFused = false;
  static constexpr bool kTakesNibbles = false;
  static constexpr bool kTakesTablesOfChannels = false;
  using Value = int16_t;
  using Weight = int16_t;
  using Sums = __m128i;

  static constexpr int32_t TilePixels(int32_t vectors) { return 8 / vectors; }
  static int32_t StartOffset(int32_t) { return 0; }

  static void Convert(const int8_t* from, int32_t count, int32_t input_offset, int16_t* to) {
    const __m128i offset = _mm_set1_epi16(static_cast<int16_t>(input_offset));
    for (; count >= 8; count -= 8, from += 8, to += 8) {
      const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_add_epi16(_mm_cvtepi8_epi16(bytes), offset));
    }
    for (int32_t i = 0; i < count; ++i) to[i] = static_cast<int16_t>(from[i] + input_offset);
  }
  static void Pad(int16_t* to, int32_t count, int32_t) {
    memset(to, 0, static_cast<size_t>(count) * sizeof(int16_t));
  }

  static constexpr int32_t kPadChunk = 16;
  static void ConvertChunk(const int8_t* from, int32_t input_offset, int16_t* to) {
    Convert(from, 16, input_offset, to);
  }
  static void RepeatChunk(int8_t from, int32_t input_offset, int16_t* to) {
    StoreTwice(_mm_set1_epi16(static_cast<int16_t>(from + input_offset)), to);
  }
  static void PadChunk(int16_t* to, int32_t) { StoreTwice(_mm_setzero_si128(), to); }
  static int32_t ConvertEvenPixels(const int8_t*, int64_t, int32_t, int32_t, int16_t*) { return 0; }

  static Sums LoadSums(const int32_t* sums) { return Load(sums); }
  static Sums LoadWeights(const int16_t* weights) { return Load(weights); }
  static void StoreSums(Sums sums, int32_t* to) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), sums); }
  static Sums Repeat(const int16_t* values) {
    int32_t two;
    memcpy(&two, values, sizeof(two));
    return _mm_set1_epi32(two);
  }
  static Sums Dot(Sums sums, Sums values, Sums weights) {
    return _mm_add_epi32(sums, _mm_madd_epi16(values, weights));
  }
  static Sums Add(Sums a, Sums b) { return _mm_add_epi32(a, b); }
  static Sums LoadValues(const int16_t* values) {
    static_assert(kMaxVectors == 2);
    return Load(values);
  }
  static void Interleave(const Sums* rows, Sums* values) {
    values[0] = _mm_unpacklo_epi16(rows[0], rows[1]);
    values[1] = _mm_unpackhi_epi16(rows[0], rows[1]);
  }

  static void StoreTwice(__m128i values, int16_t* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), values);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 8), values);
  }
  static __m128i Load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

  // Returns results in units of 2^-16.
  template <bool kSigned>
  static __m128i Units(__m128i sums, const DotScales& scales) {
    __m128 constant = _mm_loadu_ps(scales.above);
    if constexpr (kSigned) {
      constant = _mm_blendv_ps(constant, _mm_loadu_ps(scales.below), _mm_castsi128_ps(sums));
    }
    return _mm_cvtps_epi32(
        _mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps(sums), _mm_loadu_ps(scales.scale)), constant));
  }

  // Returns the upper halves of two vectors.
  static __m128i UpperHalves(__m128i a, __m128i b) {
    return _mm_packs_epi32(_mm_srai_epi32(a, 16), _mm_srai_epi32(b, 16));
  }

  // `bytes` has the results of 4 / kVectors pixels from the area's pixel `first` on.
  template <int kVectors>
  static void Store(__m128i bytes, int32_t first, const DotArea& area) {
    constexpr int kPixels = 4 / kVectors;
    constexpr int kBytes = kVectors * kLanes;
    int8_t* output = area.output + static_cast<intptr_t>(first) * area.pixel_step;
    const bool is_whole = area.channels == kBytes && (kPixels == 1 || area.pixel_step == kBytes);
    if (is_whole && first + kPixels <= area.pixels) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(output), bytes);
      return;
    }
    int8_t stored[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(stored), bytes);
    for (int32_t i = 0; i < kPixels && first + i < area.pixels; ++i, output += area.pixel_step) {
      if (area.channels == kBytes) {
        memcpy(output, stored + i * kBytes, kBytes);
      } else {
        memcpy(output, stored + i * kBytes, static_cast<size_t>(area.channels));
      }
    }
  }

  template <int kPixels, int kVectors, bool kSigned>
  [[gnu::always_inline]] static bool Finish(const Sums (&sums)[kPixels * kVectors], const DotScales& scales,
                                            const DotArea& area) {
    constexpr int kCount = kPixels * kVectors;
    const __m128i min = _mm_set1_epi8(area.min);
    const __m128i max = _mm_set1_epi8(area.max);
    __m128i least = _mm_set1_epi32(-1);
#pragma GCC unroll 16
    for (int i = 0; i < kCount; i += 4) {
      __m128i units[4];
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        // A tile of fewer than four vectors repeats its last one.
        const int at = i + k < kCount ? i + k : kCount - 1;
        const int first = at % kVectors * kLanes;
        units[k] =
            Units<kSigned>(sums[at], {scales.scale + first, scales.above + first, scales.below + first});
        least = _mm_min_epu16(least, units[k]);
      }
      const __m128i bytes = _mm_packs_epi16(UpperHalves(units[0], units[1]), UpperHalves(units[2], units[3]));
      Store<kVectors>(_mm_min_epi8(_mm_max_epi8(bytes, min), max), i / kVectors, area);
    }
    return LowerHalvesBelow(least, area.exact_check_threshold) != 0;
  }

  // Returns a bit for each lane whose lower half is below the limit.
  static uint32_t LowerHalvesBelow(__m128i units, int32_t limit) {
    const __m128i lower = _mm_and_si128(units, _mm_set1_epi32(0xFFFF));
    const __m128i below = _mm_cmpgt_epi32(_mm_set1_epi32(limit), lower);
    return static_cast<uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(below)));
  }

  template <bool kSigned>
  static uint32_t Doubtful(const int32_t* sums, const DotScales& scales, int32_t exact_check_threshold) {
    return LowerHalvesBelow(Units<kSigned>(LoadSums(sums), scales), exact_check_threshold);
  }
};

using DotSse41 = DotSse41Of<4>;
static_assert(DotSet<DotSse41> && DotSet<DotSse41Of<2>>);

}  // namespace
}  // namespace lutra
