// SPDX-License-Identifier: Apache-2.0
// Copy with SSE4.1: short runs, repeated elements, transpositions by lanes of 16 bytes.

#include <immintrin.h>

#include "lutra/kernels/copy/copy.h"
#include "runtime/kernels/copy/copy_vectors.h"

namespace lutra {
namespace {

struct Vector {
  static constexpr int32_t kLanes = 1;

  // Loads the first kBytes bytes of the lane: 2, 4, 8 or 16.
  template <int32_t kBytes>
  static Vector Load(const uint8_t* bytes, const uint8_t*) {
    if constexpr (kBytes == 16) return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))};
    if constexpr (kBytes == 8) return {_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes))};
    int32_t few = 0;
    memcpy(&few, bytes, kBytes < 4 ? kBytes : 4);
    return {_mm_cvtsi32_si128(few)};
  }
  void Store(uint8_t* bytes, uint8_t*) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), bits); }

  template <int32_t kBytes>
  static Vector InterleaveLow(Vector a, Vector b) {
    if constexpr (kBytes == 1) return {_mm_unpacklo_epi8(a.bits, b.bits)};
    if constexpr (kBytes == 2) return {_mm_unpacklo_epi16(a.bits, b.bits)};
    if constexpr (kBytes == 4) return {_mm_unpacklo_epi32(a.bits, b.bits)};
    return {_mm_unpacklo_epi64(a.bits, b.bits)};
  }
  template <int32_t kBytes>
  static Vector InterleaveHigh(Vector a, Vector b) {
    if constexpr (kBytes == 1) return {_mm_unpackhi_epi8(a.bits, b.bits)};
    if constexpr (kBytes == 2) return {_mm_unpackhi_epi16(a.bits, b.bits)};
    if constexpr (kBytes == 4) return {_mm_unpackhi_epi32(a.bits, b.bits)};
    return {_mm_unpackhi_epi64(a.bits, b.bits)};
  }

  // Returns the bytes of x at these places, 0 if a place's highest bit is set.
  static Vector Shuffle(Vector x, Vector places) { return {_mm_shuffle_epi8(x.bits, places.bits)}; }
  static Vector Or(Vector a, Vector b) { return {_mm_or_si128(a.bits, b.bits)}; }

  __m128i bits;
};

}  // namespace

void CopySse41(const CopyArgs& args, int32_t first_row, int32_t row_count) {
  if (CopyRunsOrRepeat(args, first_row, row_count)) return;
  if (ReverseRuns<Vector>(args, first_row, row_count)) return;
  if (!Transpose<Vector>(args, first_row, row_count)) CopyRef(args, first_row, row_count);
}

}  // namespace lutra
