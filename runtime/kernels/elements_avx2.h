// SPDX-License-Identifier: Apache-2.0
// Inputs of element-wise kernels with step 1, or with step 0, which repeats one element. For the variants'
// .cc files; the unnamed namespace lets each keep its own copy.

#pragma once

#include <immintrin.h>
#include <stdint.h>

namespace lutra {
namespace {

// Codes of eight bits, 16 or 32 at a time.
class CodesAvx2 {
 public:
  CodesAvx2(const void* codes, int32_t step)
      : codes_(static_cast<const int8_t*>(codes)),
        repeats_(step == 0),
        // In a row group element 0 may lie outside the arena.
        same_(_mm256_set1_epi8(repeats_ ? codes_[0] : int8_t{0})) {}

  [[gnu::always_inline]] __m128i Load16(int32_t i) const {
    return repeats_ ? _mm256_castsi256_si128(same_)
                    : _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes_ + i));
  }
  [[gnu::always_inline]] __m256i Load32(int32_t i) const {
    return repeats_ ? same_ : _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes_ + i));
  }

 private:
  const int8_t* codes_;
  bool repeats_;
  __m256i same_;
};

}  // namespace
}  // namespace lutra
