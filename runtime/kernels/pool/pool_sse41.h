// SPDX-License-Identifier: Apache-2.0
// The operations of pools with SSE4.1; AVX2's variant uses them for few channels.

#pragma once

#include <immintrin.h>
#include <stdint.h>

#include "runtime/kernels/pool/pool_vectors.h"

namespace lutra {
namespace {

struct MaximumSse41 {
  static constexpr int32_t kCodes = 16;
  using State = __m128i;
  State Start() const { return _mm_set1_epi8(INT8_MIN); }
  void Add(State* best, const int8_t* codes) const {
    *best = _mm_max_epi8(*best, _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
  }
  void Finish(State best, int8_t* to) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_min_epi8(_mm_max_epi8(best, min), max));
  }
  void SetCount(int32_t) {}

  __m128i min;
  __m128i max;
};

// Returns four averages.
static inline __m128i FourAverages(__m128i sums, const FloatAverage& average) {
  const __m128 values = _mm_cvtepi32_ps(sums);
  const __m128 half = _mm_or_ps(_mm_and_ps(values, _mm_set1_ps(-0.0f)), _mm_set1_ps(average.half));
  return _mm_cvttps_epi32(_mm_mul_ps(_mm_add_ps(values, half), _mm_set1_ps(average.reciprocal)));
}

struct AverageSse41 : FloatAverage {
  static constexpr int32_t kCodes = 8;
  using State = __m128i;
  AverageSse41(__m128i least, __m128i most) : min(least), max(most) {}
  State Start() const { return _mm_setzero_si128(); }
  void Add(State* sums, const int8_t* codes) const {
    const __m128i values = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes));
    *sums = _mm_add_epi16(*sums, _mm_cvtepi8_epi16(values));
  }
  void Finish(State sums, int8_t* to) const {
    const __m128i low = FourAverages(_mm_cvtepi16_epi32(sums), *this);
    const __m128i high = FourAverages(_mm_cvtepi16_epi32(_mm_unpackhi_epi64(sums, sums)), *this);
    const __m128i halves = _mm_packs_epi32(low, high);
    const __m128i codes = _mm_min_epi8(_mm_max_epi8(_mm_packs_epi16(halves, halves), min), max);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), codes);
  }

  __m128i min;
  __m128i max;
};

}  // namespace
}  // namespace lutra
