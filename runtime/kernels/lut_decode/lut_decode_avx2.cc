// SPDX-License-Identifier: Apache-2.0
// LutDecode with AVX2: 32 bytes at a time, 16 in each half of a vector.

#include <immintrin.h>

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/kernels/lut_decode/lut_decode_windows.h"

namespace lutra {
namespace {

struct Vector {
  static constexpr int32_t kBytes = 32;
  static Vector Repeat16(const uint8_t* bytes) { return {_mm256_broadcastsi128_si256(Load16(bytes))}; }
  static Vector LoadParts(const uint8_t* bytes, int32_t step) {
    return {_mm256_inserti128_si256(_mm256_castsi128_si256(Load16(bytes)), Load16(bytes + step), 1)};
  }
  static __m128i Load16(const uint8_t* bytes) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  }

  __m256i bits;
};

void Store(Vector x, uint8_t* bytes) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes), x.bits); }
Vector LookUp16(Vector table, Vector indices) { return {_mm256_shuffle_epi8(table.bits, indices.bits)}; }
Vector CutTop(Vector pairs, Vector factors, int32_t width) {
  return {_mm256_srl_epi16(_mm256_mullo_epi16(pairs.bits, factors.bits), _mm_cvtsi32_si128(16 - width))};
}
Vector Pack(Vector low, Vector high) { return {_mm256_packus_epi16(low.bits, high.bits)}; }
template <int kBits>
Vector ShiftLeft16(Vector x) {
  return {_mm256_slli_epi16(x.bits, kBits)};
}
Vector ChooseByHighestBit(Vector if_clear, Vector if_set, Vector choice) {
  return {_mm256_blendv_epi8(if_clear.bits, if_set.bits, choice.bits)};
}

}  // namespace

void LutDecode8Avx2(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeByWindows<Vector>(args, first, count);
}

}  // namespace lutra
