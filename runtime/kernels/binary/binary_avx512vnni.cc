// SPDX-License-Identifier: Apache-2.0
// Int8 sums, differences and products with 512 bits. Nothing here needs VNNI: of the two sets of AVX-512 for
// which there are variants, more processors have this one.

#include "runtime/kernels/binary/binary_guarded.h"
#include "runtime/kernels/dot_avx512vnni.h"

namespace lutra {
namespace {

struct BinaryAvx512Vnni {
  static constexpr int32_t kLanes = 16;
  static constexpr bool kIsFused = true;
  using Floats = __m512;
  using Units = __m512i;

  static Floats Repeat(float value) { return _mm512_set1_ps(value); }
  static Floats LoadCodes(const int8_t* codes) {
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes))));
  }
  static Floats Add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
  static Floats Mul(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
  static Floats MulAdd(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
  static Floats BySign(Floats x, Floats above, Floats below) {
    return _mm512_mask_blend_ps(_mm512_movepi32_mask(_mm512_castps_si512(x)), above, below);
  }
  static Units Round(Floats x) { return _mm512_cvtps_epi32(x); }
  static Units Least(Units a, Units b) { return _mm512_min_epu16(a, b); }
  static bool AnyBelow(Units units, int32_t limit) {
    const __m512i limits = _mm512_set1_epi16(static_cast<int16_t>(limit));
    return _mm512_mask_cmplt_epu16_mask(0x55555555, units, limits) != 0;
  }
  static void StoreUnits(Units units, int32_t* to) { _mm512_storeu_si512(to, units); }
  static void StoreCodes(const Units (&units)[kBlockVectors], int8_t min, int8_t max, int8_t* to) {
    const __m512i codes = DotAvx512Vnni::Narrow<1>(units);
    _mm512_storeu_si512(
        to, _mm512_min_epi8(_mm512_max_epi8(codes, _mm512_set1_epi8(min)), _mm512_set1_epi8(max)));
  }
  static void CopyCodes(const int8_t* from, int32_t count, int8_t* to) {
    const __mmask64 mask = DotAvx512Vnni::FirstBytes(count);
    _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
  }
};

}  // namespace

// AVX2 computes the elements that need the rule's integers, which would not be faster with 512 bits.
void AddAvx512Vnni(const BinaryArgs& args, int32_t first, int32_t count) {
  const int32_t done = ComputeGuardedSums<BinaryAvx512Vnni>(args, first, count, 1, AddRef);
  if (done < count) AddAvx2(args, first + done, count - done);
}

void SubAvx512Vnni(const BinaryArgs& args, int32_t first, int32_t count) {
  const int32_t done = ComputeGuardedSums<BinaryAvx512Vnni>(args, first, count, -1, SubRef);
  if (done < count) SubAvx2(args, first + done, count - done);
}

int32_t PrepareAddAvx512Vnni(const BinaryArgs& args, void* memory) {
  return PrepareGuardedSums<BinaryAvx512Vnni>(args, 1, AddRef, memory);
}

int32_t PrepareSubAvx512Vnni(const BinaryArgs& args, void* memory) {
  return PrepareGuardedSums<BinaryAvx512Vnni>(args, -1, SubRef, memory);
}

void MulAvx512Vnni(const BinaryArgs& args, int32_t first, int32_t count) {
  const int32_t done = ComputeGuardedProducts<BinaryAvx512Vnni>(args, first, count);
  if (done < count) MulAvx2(args, first + done, count - done);
}

}  // namespace lutra
