// SPDX-License-Identifier: Apache-2.0
// Copy with AVX2: transpositions of many short elements in two lanes at once; SSE4.1's variant copies the
// rest.

#include <immintrin.h>

#include "lutra/kernels/copy/copy.h"
#include "runtime/kernels/copy/copy_vectors.h"

namespace lutra {
namespace {

struct Vector {
  static constexpr int32_t kLanes = 2;

  // Loads the first kBytes bytes of both lanes: 2, 4, 8 or 16.
  template <int32_t kBytes>
  static Vector Load(const uint8_t* low, const uint8_t* high) {
    return {
        _mm256_inserti128_si256(_mm256_castsi128_si256(LoadLane<kBytes>(low)), LoadLane<kBytes>(high), 1)};
  }
  void Store(uint8_t* low, uint8_t* high) const {
    if (high == low + 16) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(low), bits);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(low), _mm256_castsi256_si128(bits));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(high), _mm256_extracti128_si256(bits, 1));
  }

  template <int32_t kBytes>
  static Vector InterleaveLow(Vector a, Vector b) {
    if constexpr (kBytes == 1) return {_mm256_unpacklo_epi8(a.bits, b.bits)};
    if constexpr (kBytes == 2) return {_mm256_unpacklo_epi16(a.bits, b.bits)};
    if constexpr (kBytes == 4) return {_mm256_unpacklo_epi32(a.bits, b.bits)};
    return {_mm256_unpacklo_epi64(a.bits, b.bits)};
  }
  template <int32_t kBytes>
  static Vector InterleaveHigh(Vector a, Vector b) {
    if constexpr (kBytes == 1) return {_mm256_unpackhi_epi8(a.bits, b.bits)};
    if constexpr (kBytes == 2) return {_mm256_unpackhi_epi16(a.bits, b.bits)};
    if constexpr (kBytes == 4) return {_mm256_unpackhi_epi32(a.bits, b.bits)};
    return {_mm256_unpackhi_epi64(a.bits, b.bits)};
  }

  __m256i bits;

 private:
  template <int32_t kBytes>
  static __m128i LoadLane(const uint8_t* bytes) {
    if constexpr (kBytes == 16) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    if constexpr (kBytes == 8) return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
    int32_t few = 0;
    memcpy(&few, bytes, kBytes < 4 ? kBytes : 4);
    return _mm_cvtsi32_si128(few);
  }
};

}  // namespace

void CopyAvx2(const CopyArgs& args, int32_t first_row, int32_t row_count) {
  // One lane moves longer elements as fast as memory allows.
  if (args.element_bytes > 2 || !Transpose<Vector>(args, first_row, row_count)) {
    CopySse41(args, first_row, row_count);
  }
}

}  // namespace lutra
