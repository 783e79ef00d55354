// SPDX-License-Identifier: Apache-2.0
// MultiplyByQuantizedMultiplier with AVX2: eight products at a time, in 64 bits, by the rule of this build.
// For the variants' .cc files; the unnamed namespace lets each keep its own copy.

#pragma once

#include <immintrin.h>
#include <stdint.h>

#include "lutra/fixed_point/multiplier.h"

namespace lutra {
namespace {

// Returns (a * b + 2^30) / 2^31, rounded down, in 32 bits: SaturatingRoundingDoublingHighMul if that does not
// saturate.
[[gnu::always_inline]] inline __m256i HighMulAvx2(__m256i a, __m256i b) {
  const __m256i half = _mm256_set1_epi64x(int64_t{1} << 30);
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(a, b), half);
  const __m256i odd =
      _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32)), half);
  return _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xAA);
}

class MultiplyAvx2 {
 public:
  explicit MultiplyAvx2(Multiplier m)
      : value_(_mm256_set1_epi32(m.value)),
#ifdef LUTRA_SINGLE_ROUNDING
        count_(_mm_cvtsi32_si128(30 - m.shift)),
        excess_(_mm256_set1_epi64x(int64_t{1} << (31 + m.shift))) {
  }
#else
        left_(_mm_cvtsi32_si128(m.shift > 0 ? m.shift : 0)),
        right_(_mm_cvtsi32_si128(m.shift < 0 ? -m.shift - 1 : 0)),
        goes_right_(m.shift < 0) {
  }
#endif

  // Returns whether m is supported; with such a multiplier the result is right for every x that the rule
  // allows.
  static bool Takes(Multiplier m) { return m.value >= 0 && m.shift >= -31 && m.shift <= 30; }

  [[gnu::always_inline]] __m256i operator()(__m256i x) const {
#ifdef LUTRA_SINGLE_ROUNDING
    // A product is within +-2^62: with 2^62 added it is not negative, so that shifts may be unsigned. The
    // surplus is subtracted at the end.
    const __m256i raise = _mm256_set1_epi64x(int64_t{1} << 62);
    const __m256i one = _mm256_set1_epi64x(1);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, value_), raise);
    const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), value_), raise);
    const auto round = [&](__m256i product) __attribute__((always_inline)) {
      const __m256i twice = _mm256_add_epi64(_mm256_srl_epi64(product, count_), one);
      return _mm256_sub_epi64(_mm256_srli_epi64(twice, 1), excess_);
    };
    return _mm256_blend_epi32(round(even), _mm256_slli_epi64(round(odd), 32), 0xAA);
#else
    const __m256i high = HighMulAvx2(_mm256_sll_epi32(x, left_), value_);
    if (!goes_right_) return high;
    // Adds half of the last bit, away from zero; the sign is that of x.
    const __m256i nudged = _mm256_add_epi32(high, _mm256_srai_epi32(x, 31));
    return _mm256_srai_epi32(_mm256_add_epi32(_mm256_sra_epi32(nudged, right_), _mm256_set1_epi32(1)), 1);
#endif
  }

 private:
  __m256i value_;
#ifdef LUTRA_SINGLE_ROUNDING
  __m128i count_;
  __m256i excess_;
#else
  __m128i left_;
  __m128i right_;
  bool goes_right_;
#endif
};

// Sixteen codes, widened.
struct WideCodesAvx2 {
  __m256i low;
  __m256i high;
};

[[gnu::always_inline]] inline WideCodesAvx2 WidenInt8Avx2(__m128i codes) {
  return {_mm256_cvtepi8_epi32(codes), _mm256_cvtepi8_epi32(_mm_unpackhi_epi64(codes, codes))};
}

// Returns sixteen int32 as int16, saturated, in their order.
[[gnu::always_inline]] inline __m256i PackInt16Avx2(__m256i low, __m256i high) {
  return _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xD8);
}

// Returns sixteen int32 as int8, saturated, in their order.
[[gnu::always_inline]] inline __m128i PackInt8Avx2(__m256i low, __m256i high) {
  const __m256i halves = PackInt16Avx2(low, high);
  return _mm_packs_epi16(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
}

}  // namespace
}  // namespace lutra
