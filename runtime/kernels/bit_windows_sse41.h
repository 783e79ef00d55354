// SPDX-License-Identifier: Apache-2.0
// Vectors of one part for bit_windows.h. The unnamed namespace lets each file keep its own copy.

#pragma once

#include <immintrin.h>
#include <stdint.h>

namespace lutra {
namespace {

struct PartsSse41 {
  static constexpr int32_t kBytes = 16;
  static PartsSse41 Repeat16(const uint8_t* bytes) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))};
  }
  // Loads 16 bytes for each part, `step` bytes apart.
  static PartsSse41 LoadParts(const uint8_t* bytes, int32_t) { return Repeat16(bytes); }

  __m128i bits;
};

// Stores 16 bytes for each part, `step` bytes apart.
[[gnu::always_inline]] inline void StoreParts(PartsSse41 x, uint8_t* bytes, int32_t) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), x.bits);
}
[[gnu::always_inline]] inline PartsSse41 LookUp16(PartsSse41 table, PartsSse41 indices) {
  return {_mm_shuffle_epi8(table.bits, indices.bits)};
}
template <int kLaneBits>
[[gnu::always_inline]] inline PartsSse41 Product(PartsSse41 x, PartsSse41 y) {
  return {kLaneBits == 16 ? _mm_mullo_epi16(x.bits, y.bits) : _mm_mullo_epi32(x.bits, y.bits)};
}
template <int kLaneBits>
[[gnu::always_inline]] inline PartsSse41 ShiftRight(PartsSse41 x, int32_t bits) {
  const __m128i count = _mm_cvtsi32_si128(bits);
  return {kLaneBits == 16 ? _mm_srl_epi16(x.bits, count) : _mm_srl_epi32(x.bits, count)};
}
template <int kLaneBits>
[[gnu::always_inline]] inline PartsSse41 ShiftRightSigned(PartsSse41 x, int32_t bits) {
  const __m128i count = _mm_cvtsi32_si128(bits);
  return {kLaneBits == 16 ? _mm_sra_epi16(x.bits, count) : _mm_sra_epi32(x.bits, count)};
}
// Packs lanes of 16 bits, each below 128, to bytes.
[[gnu::always_inline]] inline PartsSse41 PackSmall(PartsSse41 x, PartsSse41 y) {
  return {_mm_packus_epi16(x.bits, y.bits)};
}
// Packs the low halves of the lanes of x and y.
template <int kLaneBits>
[[gnu::always_inline]] inline PartsSse41 PackLow(PartsSse41 x, PartsSse41 y) {
  if (kLaneBits == 16) {
    const __m128i low = _mm_set1_epi16(0xFF);
    return {_mm_packus_epi16(_mm_and_si128(x.bits, low), _mm_and_si128(y.bits, low))};
  }
  const __m128i low = _mm_set1_epi32(0xFFFF);
  return {_mm_packus_epi32(_mm_and_si128(x.bits, low), _mm_and_si128(y.bits, low))};
}
// Interleaves units of kUnitBytes bytes of x and y: those of each part's first half (Low), or of its second
// (High).
template <int kUnitBytes>
[[gnu::always_inline]] inline PartsSse41 UnpackLow(PartsSse41 x, PartsSse41 y) {
  return {kUnitBytes == 1   ? _mm_unpacklo_epi8(x.bits, y.bits)
          : kUnitBytes == 2 ? _mm_unpacklo_epi16(x.bits, y.bits)
                            : _mm_unpacklo_epi32(x.bits, y.bits)};
}
template <int kUnitBytes>
[[gnu::always_inline]] inline PartsSse41 UnpackHigh(PartsSse41 x, PartsSse41 y) {
  return {kUnitBytes == 1   ? _mm_unpackhi_epi8(x.bits, y.bits)
          : kUnitBytes == 2 ? _mm_unpackhi_epi16(x.bits, y.bits)
                            : _mm_unpackhi_epi32(x.bits, y.bits)};
}
template <int kBits>
[[gnu::always_inline]] inline PartsSse41 ShiftLeft16(PartsSse41 x) {
  return {_mm_slli_epi16(x.bits, kBits)};
}
[[gnu::always_inline]] inline PartsSse41 ChooseByHighestBit(PartsSse41 if_clear, PartsSse41 if_set,
                                                            PartsSse41 choice) {
  return {_mm_blendv_epi8(if_clear.bits, if_set.bits, choice.bits)};
}

}  // namespace
}  // namespace lutra
