// SPDX-License-Identifier: Apache-2.0
// Select with SSE4.1.

#include <immintrin.h>

#include "runtime/kernels/select/select_vectors.h"

namespace lutra {
namespace {

struct Vector {
  static constexpr int32_t kBytes = 16;

  static Vector Load(const uint8_t* bytes) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))};
  }
  template <int32_t kElementBytes>
  static Vector Repeat(const uint8_t* element) {
    if constexpr (kElementBytes == 1) return {_mm_set1_epi8(FirstElement<int8_t>(element))};
    if constexpr (kElementBytes == 2) return {_mm_set1_epi16(FirstElement<int16_t>(element))};
    if constexpr (kElementBytes == 4) return {_mm_set1_epi32(FirstElement<int32_t>(element))};
    return {_mm_set1_epi64x(FirstElement<int64_t>(element))};
  }
  // Returns a mask for elements of this size: all bits are set if a condition is 0.
  template <int32_t kElementBytes>
  static Vector LoadIsZero(const uint8_t* conditions) {
    const __m128i zero = _mm_setzero_si128();
    if constexpr (kElementBytes == 1) return {_mm_cmpeq_epi8(Load(conditions).bits, zero)};
    if constexpr (kElementBytes == 2) {
      const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(conditions));
      return {_mm_cmpeq_epi16(_mm_cvtepu8_epi16(eight), zero)};
    }
    if constexpr (kElementBytes == 4) {
      const __m128i four = _mm_cvtsi32_si128(FirstElement<int32_t>(conditions));
      return {_mm_cmpeq_epi32(_mm_cvtepu8_epi32(four), zero)};
    }
    const __m128i two = _mm_cvtsi32_si128(FirstElement<uint16_t>(conditions));
    return {_mm_cmpeq_epi64(_mm_cvtepu8_epi64(two), zero)};
  }
  static Vector Choose(Vector a, Vector b, Vector is_b) {
    return {_mm_blendv_epi8(a.bits, b.bits, is_b.bits)};
  }
  void Store(uint8_t* bytes) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), bits); }

  __m128i bits;
};

}  // namespace

void SelectSse41(const SelectArgs& args, int32_t count) { SelectByVectors<Vector>(args, count, SelectRef); }

}  // namespace lutra
