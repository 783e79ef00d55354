// SPDX-License-Identifier: Apache-2.0
// MinMax of int8 with AVX2; SSE4.1's variant computes the elements that fill no vector.

#include <immintrin.h>

#include "runtime/kernels/min_max/min_max_vectors.h"

namespace lutra {
namespace {

struct Vector {
  static constexpr int32_t kBytes = 32;
  static Vector Load(const int8_t* codes) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes))};
  }
  static Vector Repeat(int8_t code) { return {_mm256_set1_epi8(code)}; }
  static Vector Min(Vector a, Vector b) { return {_mm256_min_epi8(a.bits, b.bits)}; }
  static Vector Max(Vector a, Vector b) { return {_mm256_max_epi8(a.bits, b.bits)}; }
  void Store(int8_t* codes) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(codes), bits); }

  __m256i bits;
};

}  // namespace

void MinMaxAvx2(const MinMaxArgs& args, int32_t first, int32_t count) {
  MinMaxByVectors<Vector>(args, first, count, count < Vector::kBytes / 2 ? MinMaxRef : MinMaxSse41);
}

}  // namespace lutra
