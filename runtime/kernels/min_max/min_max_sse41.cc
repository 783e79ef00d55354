// SPDX-License-Identifier: Apache-2.0
// MinMax of int8 with SSE4.1. The reference, which compilers vectorise, computes other types.

#include <immintrin.h>

#include "runtime/kernels/min_max/min_max_vectors.h"

namespace lutra {
namespace {

struct Vector {
  static constexpr int32_t kBytes = 16;
  static Vector Load(const int8_t* codes) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes))};
  }
  static Vector Repeat(int8_t code) { return {_mm_set1_epi8(code)}; }
  static Vector Min(Vector a, Vector b) { return {_mm_min_epi8(a.bits, b.bits)}; }
  static Vector Max(Vector a, Vector b) { return {_mm_max_epi8(a.bits, b.bits)}; }
  void Store(int8_t* codes) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(codes), bits); }

  __m128i bits;
};

}  // namespace

void MinMaxSse41(const MinMaxArgs& args, int32_t first, int32_t count) {
  MinMaxByVectors<Vector>(args, first, count, MinMaxRef);
}

}  // namespace lutra
