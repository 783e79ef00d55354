// SPDX-License-Identifier: Apache-2.0
// Select with AVX2; SSE4.1's variant takes the elements that fill no vector.

#include <immintrin.h>

#include "runtime/kernels/select/select_vectors.h"

namespace lutra {
namespace {

struct Vector {
  static constexpr int32_t kBytes = 32;

  static Vector Load(const uint8_t* bytes) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes))};
  }
  template <int32_t kElementBytes>
  static Vector Repeat(const uint8_t* element) {
    if constexpr (kElementBytes == 1) return {_mm256_set1_epi8(FirstElement<int8_t>(element))};
    if constexpr (kElementBytes == 2) return {_mm256_set1_epi16(FirstElement<int16_t>(element))};
    if constexpr (kElementBytes == 4) return {_mm256_set1_epi32(FirstElement<int32_t>(element))};
    return {_mm256_set1_epi64x(FirstElement<int64_t>(element))};
  }
  // Returns a mask for elements of this size: all bits are set if a condition is 0.
  template <int32_t kElementBytes>
  static Vector LoadIsZero(const uint8_t* conditions) {
    const __m256i zero = _mm256_setzero_si256();
    if constexpr (kElementBytes == 1) return {_mm256_cmpeq_epi8(Load(conditions).bits, zero)};
    const auto* const at = reinterpret_cast<const __m128i*>(conditions);
    if constexpr (kElementBytes == 2) {
      return {_mm256_cmpeq_epi16(_mm256_cvtepu8_epi16(_mm_loadu_si128(at)), zero)};
    }
    if constexpr (kElementBytes == 4) {
      return {_mm256_cmpeq_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64(at)), zero)};
    }
    const __m128i four = _mm_cvtsi32_si128(FirstElement<int32_t>(conditions));
    return {_mm256_cmpeq_epi64(_mm256_cvtepu8_epi64(four), zero)};
  }
  static Vector Choose(Vector a, Vector b, Vector is_b) {
    return {_mm256_blendv_epi8(a.bits, b.bits, is_b.bits)};
  }
  void Store(uint8_t* bytes) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes), bits); }

  __m256i bits;
};

}  // namespace

void SelectAvx2(const SelectArgs& args, int32_t count) { SelectByVectors<Vector>(args, count, SelectSse41); }

}  // namespace lutra
