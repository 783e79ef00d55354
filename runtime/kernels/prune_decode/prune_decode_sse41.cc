// SPDX-License-Identifier: Apache-2.0
// PruneDecode with SSE4.1: 16 bytes of output at a time, by a shuffle of the next values.

#include <immintrin.h>

#include "lutra/kernels/prune_decode/prune_decode.h"
#include "runtime/kernels/prune_decode/prune_decode_blocks.h"

namespace lutra {
namespace {

__m128i LoadExpansion(uint8_t bits) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kExpansions.from[bits]));
}

void ExpandBytes(const uint8_t* values, __m128i from, __m128i zero_points, void* output) {
  const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
  const __m128i expanded = _mm_blendv_epi8(_mm_shuffle_epi8(next, from), zero_points, from);
  _mm_storeu_si128(static_cast<__m128i*>(output), expanded);
}

struct Bytes {
  using Element = uint8_t;
  static constexpr int32_t kMapBytes = 2;
  static __m128i Repeat(uint8_t x) { return _mm_set1_epi8(static_cast<char>(x)); }
  static const uint8_t* Expand(const uint8_t* map, const uint8_t* values, __m128i zero_points,
                               uint8_t* output) {
    const uint8_t first = kExpansions.kept[map[0]];
    const __m128i behind = _mm_add_epi8(LoadExpansion(map[1]), _mm_set1_epi8(static_cast<char>(first)));
    ExpandBytes(values, _mm_unpacklo_epi64(LoadExpansion(map[0]), behind), zero_points, output);
    return values + first + kExpansions.kept[map[1]];
  }
};

struct Words {
  using Element = uint16_t;
  static constexpr int32_t kMapBytes = 1;
  static __m128i Repeat(uint16_t x) { return _mm_set1_epi16(static_cast<int16_t>(x)); }
  static const uint8_t* Expand(const uint8_t* map, const uint8_t* values, __m128i zero_points,
                               uint16_t* output) {
    const __m128i from = LoadExpansion(map[0]);
    const __m128i low = _mm_add_epi8(from, from);
    const __m128i high = _mm_add_epi8(low, _mm_set1_epi8(1));
    ExpandBytes(values, _mm_unpacklo_epi8(low, high), zero_points, output);
    return values + size_t{kExpansions.kept[map[0]]} * sizeof(uint16_t);
  }
};

// For each combination of flags of the elements of kBytes bytes in 16 bytes: the bytes of the next values
// that they take, or kPruned.
template <int kBytes>
struct WideExpansions {
  static constexpr int kElements = 16 / kBytes;
  uint8_t from[1 << kElements][16] = {};

  constexpr WideExpansions() {
    for (int bits = 0; bits < 1 << kElements; ++bits) {
      int kept = 0;
      for (int i = 0; i < kElements; ++i) {
        const bool is_kept = (bits >> (kElements - 1 - i) & 1) != 0;
        for (int k = 0; k < kBytes; ++k) {
          from[bits][kBytes * i + k] = is_kept ? static_cast<uint8_t>(kBytes * kept + k) : kPruned;
        }
        if (is_kept) ++kept;
      }
    }
  }
};
template <int kBytes>
constexpr WideExpansions<kBytes> kWideExpansions;

template <typename T>
struct WideElements {
  using Element = T;
  static constexpr int32_t kMapBytes = 1;
  static __m128i Repeat(T x) {
    return sizeof(T) == 4 ? _mm_set1_epi32(static_cast<int32_t>(x))
                          : _mm_set1_epi64x(static_cast<int64_t>(x));
  }
  static const uint8_t* Expand(const uint8_t* map, const uint8_t* values, __m128i zero_points, T* output) {
    constexpr int kTogether = 16 / sizeof(T);
    for (int i = 8 - kTogether; i >= 0; i -= kTogether, output += kTogether) {
      const int bits = map[0] >> i & ((1 << kTogether) - 1);
      const uint8_t* const from = kWideExpansions<sizeof(T)>.from[bits];
      ExpandBytes(values, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), zero_points, output);
      values += size_t{kExpansions.kept[bits]} * sizeof(T);
    }
    return values;
  }
};

}  // namespace

template <>
void PruneDecodeSse41<uint8_t>(const PruneDecodeArgs& args) {
  DecodeBlocks<Bytes>(PruneDecodeRef<uint8_t>, args);
}
template <>
void PruneDecodeSse41<uint16_t>(const PruneDecodeArgs& args) {
  DecodeBlocks<Words>(PruneDecodeRef<uint16_t>, args);
}
template <>
void PruneDecodeSse41<uint32_t>(const PruneDecodeArgs& args) {
  DecodeBlocks<WideElements<uint32_t>>(PruneDecodeRef<uint32_t>, args);
}
template <>
void PruneDecodeSse41<uint64_t>(const PruneDecodeArgs& args) {
  DecodeBlocks<WideElements<uint64_t>>(PruneDecodeRef<uint64_t>, args);
}

}  // namespace lutra
