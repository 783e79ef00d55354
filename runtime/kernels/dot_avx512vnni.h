// SPDX-License-Identifier: Apache-2.0
// The instruction set of dot_set.h that multiplies bytes: 512 bits of VNNI. Input codes are converted to
// unsigned by adding 128; the sums that a tile starts with make up for it.

#pragma once

// GCC 12 warns of uninitialised variables in its own header, which are meant to be so.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif
#include <stdint.h>
#include <string.h>

#include "runtime/kernels/dot_set.h"

namespace lutra {
namespace {

struct DotAvx512Vnni {
  static constexpr int32_t kLanes = 16;
  static constexpr int32_t kStep = 4;
  static constexpr int32_t kMaxVectors = 4;
  static constexpr bool kIsFused = true;
  static constexpr bool kProves = true;
  using Value = uint8_t;
  using Weight = int8_t;
  using Sums = __m512i;

  static constexpr int32_t TilePixels(int32_t vectors) { return vectors == 4 ? 5 : vectors == 2 ? 8 : 16; }
  static constexpr int32_t ShortTilePixels(int32_t vectors) { return vectors == 4 ? 3 : TilePixels(vectors); }
  // Low tiles of many vectors: the sums of the next tile begin while results of one are computed.
  static constexpr int32_t UsualTilePixels(int32_t vectors) { return ShortTilePixels(vectors); }
  static constexpr int32_t kPairTile = 4;
  static constexpr int32_t kColumnTile = 16;
  static constexpr bool kScatters = true;
  static int32_t StartOffset(int32_t input_offset) { return input_offset - 128; }

  static void Convert(const int8_t* from, int32_t count, int32_t, uint8_t* to) {
    const __m512i flip = _mm512_set1_epi8(-128);
    for (; count >= 64; count -= 64, from += 64, to += 64) {
      _mm512_storeu_si512(to, _mm512_xor_si512(_mm512_loadu_si512(from), flip));
    }
    if (count > 0) {
      const __mmask64 mask = FirstBytes(count);
      _mm512_mask_storeu_epi8(to, mask, _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, from), flip));
    }
  }
  static void Pad(uint8_t* to, int32_t count, int32_t input_offset) {
    const __m512i zeros = _mm512_set1_epi8(static_cast<char>(128 - input_offset));
    for (; count >= 64; count -= 64, to += 64) _mm512_storeu_si512(to, zeros);
    if (count > 0) _mm512_mask_storeu_epi8(to, FirstBytes(count), zeros);
  }

  // Converts a line of `all` values: those of [begin, end) from `from` on; the others are padding. Stores
  // masked by bytes are slow, so whole vectors are written, with up to kBehindLine values too many.
  static constexpr int32_t kBehindLine = 64;
  static void ConvertLine(const int8_t* from, int32_t begin, int32_t end, int32_t all, int32_t input_offset,
                          uint8_t* to) {
    const __m512i flip = _mm512_set1_epi8(-128);
    const __m512i zeros = _mm512_set1_epi8(static_cast<int8_t>(128 - input_offset));
    if (all <= 64) {
      const __mmask64 mask = end > begin ? FirstBytes(end - begin) << begin : 0;
      const __m512i values = _mm512_maskz_loadu_epi8(mask, from - begin);
      return _mm512_storeu_si512(to, _mm512_mask_blend_epi8(mask, zeros, _mm512_xor_si512(values, flip)));
    }
    int32_t i = 0;
    for (; i < begin; i += 64) _mm512_storeu_si512(to + i, zeros);
    for (i = begin; i + 64 <= end; i += 64, from += 64) {
      _mm512_storeu_si512(to + i, _mm512_xor_si512(_mm512_loadu_si512(from), flip));
    }
    if (i < end) {
      const __m512i values = _mm512_maskz_loadu_epi8(FirstBytes(end - i), from);
      _mm512_storeu_si512(to + i, _mm512_xor_si512(values, flip));
    }
    for (i = end; i < all; i += 64) _mm512_storeu_si512(to + i, zeros);
  }

  static constexpr int32_t kPadChunk = 64;
  static void ConvertChunk(const int8_t* from, int32_t, uint8_t* to) {
    const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_xor_si128(values, _mm_set1_epi8(-128)));
  }
  static void RepeatChunk(int8_t from, int32_t, uint8_t* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_set1_epi8(static_cast<int8_t>(from ^ -128)));
  }
  static void PadChunk(uint8_t* to, int32_t input_offset) {
    _mm512_storeu_si512(to, _mm512_set1_epi8(static_cast<int8_t>(128 - input_offset)));
  }
  // Converts every other pixel of 8, 16 or 32 values, as long as whole vectors may be read.
  static int32_t ConvertEvenPixels(const int8_t* from, int64_t readable, int32_t values, int32_t pixels,
                                   uint8_t* to) {
    // The orders are in words of 8 bytes, one for each of these sizes.
    static constexpr uint64_t kOrders[3][8] = {
        {0, 2, 4, 6, 8, 10, 12, 14}, {0, 1, 4, 5, 8, 9, 12, 13}, {0, 1, 2, 3, 8, 9, 10, 11}};
    if (values != 8 && values != 16 && values != 32) return 0;
    const __m512i order = _mm512_loadu_si512(kOrders[values / 16]);
    const __m512i flip = _mm512_set1_epi8(-128);
    const int32_t step = 64 / values;
    int32_t done = 0;
    for (; done + step <= pixels && readable >= 128; done += step, readable -= 128, from += 128, to += 64) {
      const __m512i even =
          _mm512_permutex2var_epi64(_mm512_loadu_si512(from), order, _mm512_loadu_si512(from + 64));
      _mm512_storeu_si512(to, _mm512_xor_si512(even, flip));
    }
    return done;
  }

  static Sums LoadSums(const int32_t* sums) { return _mm512_loadu_si512(sums); }
  static Sums LoadWeights(const int8_t* weights) { return _mm512_loadu_si512(weights); }
  static void StoreSums(Sums sums, int32_t* to) { _mm512_storeu_si512(to, sums); }
  static Sums Repeat(const uint8_t* values) {
    int32_t four;
    memcpy(&four, values, sizeof(four));
    return _mm512_set1_epi32(four);
  }
  static Sums Pair(const uint8_t* a, const uint8_t* b) {
    int32_t four;
    memcpy(&four, b, sizeof(four));
    return _mm512_mask_broadcastd_epi32(Repeat(a), 0xFF00, _mm_cvtsi32_si128(four));
  }
  // With an assembly statement GCC 12 keeps the sums in their registers; with the intrinsic it copies them.
  [[gnu::always_inline]] static inline Sums Dot(Sums sums, Sums values, Sums weights) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(values), "v"(weights));
    return sums;
  }
  static Sums Add(Sums a, Sums b) { return _mm512_add_epi32(a, b); }

  // ---- For dot_nibbles.h.

  static constexpr bool kTakesNibbles = true;
  static constexpr bool kTakesTablesOfChannels = true;
  using Nibbles = __m512i;
  static Nibbles LoadNibbles(const uint8_t* nibbles) { return _mm512_loadu_si512(nibbles); }
  static Nibbles LoadTable(const uint8_t* table) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
  }
  static Sums LowWeights(Nibbles nibbles, Nibbles table) {
    return _mm512_shuffle_epi8(table, _mm512_and_si512(nibbles, _mm512_set1_epi8(15)));
  }
  static Sums HighWeights(Nibbles nibbles, Nibbles table) {
    return LowWeights(_mm512_srli_epi16(nibbles, 4), table);
  }
  static void StoreWeights(Sums weights, int8_t* to) { _mm512_storeu_si512(to, weights); }
  // A quarter of a register holds four steps of a channel, and after transposing a step of four channels.
  static void DecodeSteps(const uint8_t* nibbles, const uint8_t* tables, int32_t steps, int8_t* weights,
                          int32_t step_weights) {
    Sums entries[4];
    for (int i = 0; i < 4; ++i) entries[i] = _mm512_loadu_si512(tables + 64 * i);
    for (; steps > 0; steps -= 4, nibbles += 128) {
      const Sums ab = _mm512_loadu_si512(nibbles), cd = _mm512_loadu_si512(nibbles + 64);
      const Sums a = LowWeights(ab, entries[0]);
      const Sums b = HighWeights(ab, entries[1]);
      const Sums c = LowWeights(cd, entries[2]);
      const Sums d = HighWeights(cd, entries[3]);
      const Sums low_ab = _mm512_unpacklo_epi32(a, b), high_ab = _mm512_unpackhi_epi32(a, b);
      const Sums low_cd = _mm512_unpacklo_epi32(c, d), high_cd = _mm512_unpackhi_epi32(c, d);
      const Sums four[] = {_mm512_unpacklo_epi64(low_ab, low_cd), _mm512_unpackhi_epi64(low_ab, low_cd),
                           _mm512_unpacklo_epi64(high_ab, high_cd), _mm512_unpackhi_epi64(high_ab, high_cd)};
      for (int i = 0; i < 4 && i < steps; ++i, weights += step_weights) StoreWeights(four[i], weights);
    }
  }

  static Sums LoadValues(const uint8_t* values) { return _mm512_loadu_si512(values); }
  static void Interleave(const Sums* rows, Sums* values) {
    const __m512i low_ab = _mm512_unpacklo_epi8(rows[0], rows[1]);
    const __m512i low_cd = _mm512_unpacklo_epi8(rows[2], rows[3]);
    const __m512i high_ab = _mm512_unpackhi_epi8(rows[0], rows[1]);
    const __m512i high_cd = _mm512_unpackhi_epi8(rows[2], rows[3]);
    values[0] = _mm512_unpacklo_epi16(low_ab, low_cd);
    values[1] = _mm512_unpackhi_epi16(low_ab, low_cd);
    values[2] = _mm512_unpacklo_epi16(high_ab, high_cd);
    values[3] = _mm512_unpackhi_epi16(high_ab, high_cd);
  }

  static __mmask64 FirstBytes(int32_t count) { return ~uint64_t{0} >> (64 - count); }

  // Returns results in units of 2^-16.
  template <bool kSigned>
  static __m512i Units(__m512i sums, const DotScales& scales) {
    __m512 constant = _mm512_loadu_ps(scales.above);
    if constexpr (kSigned) {
      constant = _mm512_mask_loadu_ps(constant, _mm512_movepi32_mask(sums), scales.below);
    }
    return _mm512_cvtps_epi32(
        _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), _mm512_loadu_ps(scales.scale), constant));
  }

  // Returns the upper halves of two vectors, quarter by quarter.
  static __m512i UpperHalves(__m512i a, __m512i b) {
    const __m512i order = _mm512_set_epi16(63, 61, 59, 57, 31, 29, 27, 25, 55, 53, 51, 49, 23, 21, 19, 17,  //
                                           47, 45, 43, 41, 15, 13, 11, 9, 39, 37, 35, 33, 7, 5, 3, 1);
    return _mm512_permutex2var_epi16(a, order, b);
  }

  // Returns the results of four vectors: of 4 / kVectors pixels, in order.
  template <int kVectors>
  static __m512i Narrow(const __m512i* units) {
    __m512i bytes = _mm512_packs_epi16(UpperHalves(units[0], units[1]), UpperHalves(units[2], units[3]));
    if constexpr (kVectors == 1) {
      bytes = _mm512_permutexvar_epi32(_mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0),
                                       bytes);
    } else if constexpr (kVectors == 2) {
      bytes = _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), bytes);
    }
    return bytes;
  }

  // `bytes` begins with the results of as many pixels, from the area's pixel `first` on.
  template <int kVectors>
  static void Store(__m512i bytes, int32_t first, const DotArea& area) {
    constexpr int kPixels = 4 / kVectors;
    int8_t* output = area.output + static_cast<intptr_t>(first) * area.pixel_step;
    if (area.channels == kVectors * kLanes && first + kPixels <= area.pixels &&
        (kVectors == 4 || area.pixel_step == area.channels)) {
      _mm512_storeu_si512(output, bytes);
      return;
    }
    const __mmask64 mask = FirstBytes(area.channels);
    for (int32_t pixel = first; pixel < first + kPixels && pixel < area.pixels; ++pixel) {
      _mm512_mask_storeu_epi8(output, mask, bytes);
      output += area.pixel_step;
      // Moves the next pixel's results to the bottom.
      bytes =
          kVectors == 1 ? _mm512_shuffle_i64x2(bytes, bytes, 0x39) : _mm512_shuffle_i64x2(bytes, bytes, 0x4E);
    }
  }

  template <int kPixels, int kVectors, bool kSigned, bool kGuarded = true>
  [[gnu::always_inline]] static bool Finish(const Sums (&sums)[kPixels * kVectors], const DotScales& scales,
                                            const DotArea& area) {
    constexpr int kCount = kPixels * kVectors;
    const __m512i min = _mm512_set1_epi8(area.min);
    const __m512i max = _mm512_set1_epi8(area.max);
    __m512i least = _mm512_set1_epi32(-1);
    Unroll<(kCount + 3) / 4>([&](auto group) LUTRA_INLINE_LAMBDA {
      constexpr int kFirst = 4 * group;
      __m512i units[4];
      Unroll<4>([&](auto k) LUTRA_INLINE_LAMBDA {
        // A tile of fewer than four vectors repeats its last one.
        constexpr int kAt = kFirst + k < kCount ? kFirst + k : kCount - 1;
        constexpr int kLane = kAt % kVectors * kLanes;
        units[k] =
            Units<kSigned>(sums[kAt], {scales.scale + kLane, scales.above + kLane, scales.below + kLane});
        if constexpr (kGuarded) least = _mm512_min_epu16(least, units[k]);
      });
      const __m512i bytes = Narrow<kVectors>(units);
      Store<kVectors>(_mm512_min_epi8(_mm512_max_epi8(bytes, min), max), kFirst / kVectors, area);
    });
    if constexpr (!kGuarded) return false;
    // The limit is in the lower half of each unit.
    const __m512i limit = _mm512_set1_epi16(static_cast<int16_t>(area.exact_check_threshold));
    return _mm512_mask_cmplt_epu16_mask(0x55555555, least, limit) != 0;
  }

  template <bool kSigned>
  static uint32_t Doubtful(const int32_t* sums, const DotScales& scales, int32_t exact_check_threshold) {
    const __m512i units = Units<kSigned>(LoadSums(sums), scales);
    return _mm512_cmplt_epu32_mask(_mm512_and_si512(units, _mm512_set1_epi32(0xFFFF)),
                                   _mm512_set1_epi32(exact_check_threshold));
  }
};
static_assert(DotSet<DotAvx512Vnni>);

}  // namespace
}  // namespace lutra
