// SPDX-License-Identifier: Apache-2.0
// The instruction set of dot_set.h that multiplies bytes in 256 bits: VNNI as AVX has it. Input codes are
// converted to unsigned by adding 128; the sums that a tile starts with make up for it. Results are computed
// from sums as with AVX2.
//
// Compiled for AVX512-VNNI it uses that set's encoding of the one instruction, so that it can be tested on
// processors without AVX-VNNI (runtime/testing/dots_as_evex_avx512vnni.cc).

#pragma once

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "runtime/kernels/dot_avx2.h"

namespace lutra {
namespace {

struct DotAvxVnni : DotAvx2 {
  static constexpr int32_t kStep = 4;
  static constexpr bool kTakesNibbles = false;
  using Value = uint8_t;
  using Weight = int8_t;

  static int32_t StartOffset(int32_t input_offset) { return input_offset - 128; }

  static void Convert(const int8_t* from, int32_t count, int32_t, uint8_t* to) {
    const __m256i flip = _mm256_set1_epi8(-128);
    for (; count >= 32; count -= 32, from += 32, to += 32) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_xor_si256(Load(from), flip));
    }
    if (count >= 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_xor_si128(bytes, _mm256_castsi256_si128(flip)));
      count -= 16;
      from += 16;
      to += 16;
    }
    for (int32_t i = 0; i < count; ++i) to[i] = static_cast<uint8_t>(from[i] ^ -128);
  }
  static void Pad(uint8_t* to, int32_t count, int32_t input_offset) {
    memset(to, 128 - input_offset, static_cast<size_t>(count));
  }

  static constexpr int32_t kPadChunk = 32;
  static void ConvertChunk(const int8_t* from, int32_t, uint8_t* to) {
    const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_xor_si128(values, _mm_set1_epi8(-128)));
  }
  static void RepeatChunk(int8_t from, int32_t, uint8_t* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_set1_epi8(static_cast<int8_t>(from ^ -128)));
  }
  static void PadChunk(uint8_t* to, int32_t input_offset) {
    const __m256i values = _mm256_set1_epi8(static_cast<int8_t>(128 - input_offset));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), values);
  }
  static int32_t ConvertEvenPixels(const int8_t*, int64_t, int32_t, int32_t, uint8_t*) { return 0; }

  static Sums LoadWeights(const int8_t* weights) { return Load(weights); }
  static Sums Repeat(const uint8_t* values) {
    int32_t four;
    memcpy(&four, values, sizeof(four));
    return _mm256_set1_epi32(four);
  }
  // Uses an assembly statement for the reason given in dot_avx512vnni.h.
  [[gnu::always_inline]] static inline Sums Dot(Sums sums, Sums values, Sums weights) {
#ifdef __AVXVNNI__
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sums) : "x"(values), "x"(weights));
#else
    __asm__("%{evex%} vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(values), "v"(weights));
#endif
    return sums;
  }

  // Each half of the register begins with eight values; the bytes behind them are ignored.
  static Sums LoadValues(const uint8_t* values) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
    return _mm256_permute4x64_epi64(_mm256_castsi128_si256(bytes), 0x10);
  }
  static void Interleave(const Sums* rows, Sums* values) {
    const __m256i ab = _mm256_unpacklo_epi8(rows[0], rows[1]);
    const __m256i cd = _mm256_unpacklo_epi8(rows[2], rows[3]);
    values[0] = _mm256_unpacklo_epi16(ab, cd);
    values[1] = _mm256_unpackhi_epi16(ab, cd);
  }
};
static_assert(DotSet<DotAvxVnni>);

}  // namespace
}  // namespace lutra
