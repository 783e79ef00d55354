// SPDX-License-Identifier: Apache-2.0
// Int8 sums, differences and products with SSE4.1, which has no fused step.

#include <immintrin.h>
#include <string.h>

#include "runtime/kernels/binary/binary_guarded.h"

namespace lutra {
namespace {

struct BinarySse41 {
  static constexpr int32_t kLanes = 4;
  static constexpr bool kIsFused = false;
  using Floats = __m128;
  using Units = __m128i;

  static Floats Repeat(float value) { return _mm_set1_ps(value); }
  static Floats LoadCodes(const int8_t* codes) {
    int32_t four;
    memcpy(&four, codes, sizeof(four));
    return _mm_cvtepi32_ps(_mm_cvtepi8_epi32(_mm_cvtsi32_si128(four)));
  }
  static Floats Add(Floats a, Floats b) { return _mm_add_ps(a, b); }
  static Floats Mul(Floats a, Floats b) { return _mm_mul_ps(a, b); }
  static Floats MulAdd(Floats a, Floats b, Floats c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
  static Floats BySign(Floats x, Floats above, Floats below) { return _mm_blendv_ps(above, below, x); }
  static Units Round(Floats x) { return _mm_cvtps_epi32(x); }
  static Units Least(Units a, Units b) { return _mm_min_epu16(a, b); }
  static bool AnyBelow(Units units, int32_t limit) {
    const __m128i lower = _mm_and_si128(units, _mm_set1_epi32(0xFFFF));
    return _mm_movemask_epi8(_mm_cmplt_epi32(lower, _mm_set1_epi32(limit))) != 0;
  }
  static void StoreUnits(Units units, int32_t* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), units);
  }
  static void StoreCodes(const Units (&units)[kBlockVectors], int8_t min, int8_t max, int8_t* to) {
    const __m128i low = _mm_packs_epi32(_mm_srai_epi32(units[0], 16), _mm_srai_epi32(units[1], 16));
    const __m128i high = _mm_packs_epi32(_mm_srai_epi32(units[2], 16), _mm_srai_epi32(units[3], 16));
    const __m128i codes = _mm_max_epi8(_mm_packs_epi16(low, high), _mm_set1_epi8(min));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_min_epi8(codes, _mm_set1_epi8(max)));
  }
  static void CopyCodes(const int8_t* from, int32_t count, int8_t* to) {
    memcpy(to, from, static_cast<size_t>(count));
  }
};

}  // namespace

void AddSse41(const BinaryArgs& args, int32_t first, int32_t count) {
  const int32_t done = ComputeGuardedSums<BinarySse41>(args, first, count, 1, AddRef);
  AddRef(args, first + done, count - done);
}

void SubSse41(const BinaryArgs& args, int32_t first, int32_t count) {
  const int32_t done = ComputeGuardedSums<BinarySse41>(args, first, count, -1, SubRef);
  SubRef(args, first + done, count - done);
}

void MulSse41(const BinaryArgs& args, int32_t first, int32_t count) {
  const int32_t done = ComputeGuardedProducts<BinarySse41>(args, first, count);
  MulRef(args, first + done, count - done);
}

}  // namespace lutra
