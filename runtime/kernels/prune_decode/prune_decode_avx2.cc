// SPDX-License-Identifier: Apache-2.0
// PruneDecode with AVX2: 32 bytes of larger elements at a time, by a permutation of the next values.

#include <immintrin.h>
#include <string.h>

#include "lutra/kernels/prune_decode/prune_decode.h"
#include "runtime/kernels/prune_decode/prune_decode_blocks.h"

namespace lutra {
namespace {

// Each 32 bits of the output are those of `values` at `from`, or of `zero_points` if the highest bit in
// `is_pruned` is set.
void ExpandDoubleWords(const uint8_t* values, __m256i from, __m256i is_pruned, __m256i zero_points,
                       void* output) {
  const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
  const __m256i expanded = _mm256_permutevar8x32_epi32(next, from);
  _mm256_storeu_si256(
      static_cast<__m256i*>(output),
      _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(expanded), _mm256_castsi256_ps(zero_points),
                                           _mm256_castsi256_ps(is_pruned))));
}

struct DoubleWords {
  using Element = uint32_t;
  static constexpr int32_t kMapBytes = 1;
  static __m256i Repeat(uint32_t x) { return _mm256_set1_epi32(static_cast<int32_t>(x)); }
  static const uint8_t* Expand(const uint8_t* map, const uint8_t* values, __m256i zero_points,
                               uint32_t* output) {
    const auto* const expansion = reinterpret_cast<const __m128i*>(kExpansions.from[map[0]]);
    const __m256i from = _mm256_cvtepu8_epi32(_mm_loadl_epi64(expansion));
    ExpandDoubleWords(values, from, _mm256_slli_epi32(from, 24), zero_points, output);
    return values + size_t{kExpansions.kept[map[0]]} * sizeof(uint32_t);
  }
};

struct QuadWords {
  using Element = uint64_t;
  static constexpr int32_t kMapBytes = 1;
  static __m256i Repeat(uint64_t x) { return _mm256_set1_epi64x(static_cast<int64_t>(x)); }
  // Expands the elements of the four highest bits.
  static const uint8_t* ExpandFour(uint8_t bits, const uint8_t* values, __m256i zero_points,
                                   uint64_t* output) {
    int32_t expansion;
    memcpy(&expansion, kExpansions.from[bits], sizeof(expansion));
    const __m256i from = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(expansion));
    // Sets the places of both halves of an element.
    const __m256i both = _mm256_or_si256(from, _mm256_slli_epi64(from, 32));
    const __m256i halves =
        _mm256_add_epi32(_mm256_add_epi32(both, both), _mm256_set1_epi64x(int64_t{1} << 32));
    ExpandDoubleWords(values, halves, _mm256_slli_epi32(both, 24), zero_points, output);
    return values + size_t{kExpansions.kept[bits]} * sizeof(uint64_t);
  }
  static const uint8_t* Expand(const uint8_t* map, const uint8_t* values, __m256i zero_points,
                               uint64_t* output) {
    values = ExpandFour(map[0] & 0xF0, values, zero_points, output);
    return ExpandFour(static_cast<uint8_t>(map[0] << 4), values, zero_points, output + 4);
  }
};

}  // namespace

template <>
void PruneDecodeAvx2<uint32_t>(const PruneDecodeArgs& args) {
  DecodeBlocks<DoubleWords>(PruneDecodeRef<uint32_t>, args);
}
template <>
void PruneDecodeAvx2<uint64_t>(const PruneDecodeArgs& args) {
  DecodeBlocks<QuadWords>(PruneDecodeRef<uint64_t>, args);
}

}  // namespace lutra
