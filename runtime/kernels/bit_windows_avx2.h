// SPDX-License-Identifier: Apache-2.0
// Vectors of two parts for bit_windows.h. The unnamed namespace lets each file keep its own copy.

#pragma once

#include <immintrin.h>
#include <stdint.h>

namespace lutra {
namespace {

struct PartsAvx2 {
  static constexpr int32_t kBytes = 32;
  static PartsAvx2 Repeat16(const uint8_t* bytes) { return {_mm256_broadcastsi128_si256(Load16(bytes))}; }
  // Loads 16 bytes for each part, `step` bytes apart.
  static PartsAvx2 LoadParts(const uint8_t* bytes, int32_t step) {
    return {_mm256_inserti128_si256(_mm256_castsi128_si256(Load16(bytes)), Load16(bytes + step), 1)};
  }
  static __m128i Load16(const uint8_t* bytes) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  }

  __m256i bits;
};

// Stores 16 bytes for each part, `step` bytes apart.
[[gnu::always_inline]] inline void StoreParts(PartsAvx2 x, uint8_t* bytes, int32_t step) {
  if (step == 16) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes), x.bits);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), _mm256_castsi256_si128(x.bits));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes + step), _mm256_extracti128_si256(x.bits, 1));
}
[[gnu::always_inline]] inline PartsAvx2 LookUp16(PartsAvx2 table, PartsAvx2 indices) {
  return {_mm256_shuffle_epi8(table.bits, indices.bits)};
}
template <int kLaneBits>
[[gnu::always_inline]] inline PartsAvx2 Product(PartsAvx2 x, PartsAvx2 y) {
  return {kLaneBits == 16 ? _mm256_mullo_epi16(x.bits, y.bits) : _mm256_mullo_epi32(x.bits, y.bits)};
}
template <int kLaneBits>
[[gnu::always_inline]] inline PartsAvx2 ShiftRight(PartsAvx2 x, int32_t bits) {
  const __m128i count = _mm_cvtsi32_si128(bits);
  return {kLaneBits == 16 ? _mm256_srl_epi16(x.bits, count) : _mm256_srl_epi32(x.bits, count)};
}
template <int kLaneBits>
[[gnu::always_inline]] inline PartsAvx2 ShiftRightSigned(PartsAvx2 x, int32_t bits) {
  const __m128i count = _mm_cvtsi32_si128(bits);
  return {kLaneBits == 16 ? _mm256_sra_epi16(x.bits, count) : _mm256_sra_epi32(x.bits, count)};
}
// Packs lanes of 16 bits, each below 128, to bytes.
[[gnu::always_inline]] inline PartsAvx2 PackSmall(PartsAvx2 x, PartsAvx2 y) {
  return {_mm256_packus_epi16(x.bits, y.bits)};
}
// Packs the low halves of the lanes of x and y.
template <int kLaneBits>
[[gnu::always_inline]] inline PartsAvx2 PackLow(PartsAvx2 x, PartsAvx2 y) {
  if (kLaneBits == 16) {
    const __m256i low = _mm256_set1_epi16(0xFF);
    return {_mm256_packus_epi16(_mm256_and_si256(x.bits, low), _mm256_and_si256(y.bits, low))};
  }
  const __m256i low = _mm256_set1_epi32(0xFFFF);
  return {_mm256_packus_epi32(_mm256_and_si256(x.bits, low), _mm256_and_si256(y.bits, low))};
}
// Interleaves units of kUnitBytes bytes of x and y: those of each part's first half (Low), or of its second
// (High).
template <int kUnitBytes>
[[gnu::always_inline]] inline PartsAvx2 UnpackLow(PartsAvx2 x, PartsAvx2 y) {
  return {kUnitBytes == 1   ? _mm256_unpacklo_epi8(x.bits, y.bits)
          : kUnitBytes == 2 ? _mm256_unpacklo_epi16(x.bits, y.bits)
                            : _mm256_unpacklo_epi32(x.bits, y.bits)};
}
template <int kUnitBytes>
[[gnu::always_inline]] inline PartsAvx2 UnpackHigh(PartsAvx2 x, PartsAvx2 y) {
  return {kUnitBytes == 1   ? _mm256_unpackhi_epi8(x.bits, y.bits)
          : kUnitBytes == 2 ? _mm256_unpackhi_epi16(x.bits, y.bits)
                            : _mm256_unpackhi_epi32(x.bits, y.bits)};
}
template <int kBits>
[[gnu::always_inline]] inline PartsAvx2 ShiftLeft16(PartsAvx2 x) {
  return {_mm256_slli_epi16(x.bits, kBits)};
}
[[gnu::always_inline]] inline PartsAvx2 ChooseByHighestBit(PartsAvx2 if_clear, PartsAvx2 if_set,
                                                           PartsAvx2 choice) {
  return {_mm256_blendv_epi8(if_clear.bits, if_set.bits, choice.bits)};
}

}  // namespace
}  // namespace lutra
