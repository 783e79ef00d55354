// SPDX-License-Identifier: Apache-2.0
// LutDecode with SSE4.1: 16 bytes at a time.

#include <immintrin.h>

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/kernels/lut_decode/lut_decode_windows.h"

namespace lutra {
namespace {

struct Vector {
  static constexpr int32_t kBytes = 16;
  static Vector Repeat16(const uint8_t* bytes) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))};
  }
  static Vector LoadParts(const uint8_t* bytes, int32_t) { return Repeat16(bytes); }

  __m128i bits;
};

void Store(Vector x, uint8_t* bytes) { _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), x.bits); }
Vector LookUp16(Vector table, Vector indices) { return {_mm_shuffle_epi8(table.bits, indices.bits)}; }
Vector CutTop(Vector pairs, Vector factors, int32_t width) {
  return {_mm_srl_epi16(_mm_mullo_epi16(pairs.bits, factors.bits), _mm_cvtsi32_si128(16 - width))};
}
Vector Pack(Vector low, Vector high) { return {_mm_packus_epi16(low.bits, high.bits)}; }
template <int kBits>
Vector ShiftLeft16(Vector x) {
  return {_mm_slli_epi16(x.bits, kBits)};
}
Vector ChooseByHighestBit(Vector if_clear, Vector if_set, Vector choice) {
  return {_mm_blendv_epi8(if_clear.bits, if_set.bits, choice.bits)};
}

}  // namespace

void LutDecode8Sse41(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<Vector>(args, first, count);
}

}  // namespace lutra
