// SPDX-License-Identifier: Apache-2.0
// Prelu with AVX2: sixteen elements are multiplied by both multipliers; the sign chooses the product.

#include <immintrin.h>

#include "lutra/kernels/prelu/prelu.h"
#include "runtime/kernels/elements_avx2.h"
#include "runtime/kernels/multiply_avx2.h"

namespace lutra {
namespace {

constexpr int32_t kElements = 16;

class Function {
 public:
  explicit Function(const PreluArgs& args)
      : positive_(args.positive),
        negative_(args.negative),
        input_zero_point_(_mm256_set1_epi32(args.input_zero_point)),
        alpha_zero_point_(_mm256_set1_epi32(args.alpha_zero_point)),
        output_zero_point_(_mm256_set1_epi32(args.output_zero_point)) {}

  [[gnu::always_inline]] __m256i operator()(__m256i code, __m256i alpha) const {
    const __m256i x = _mm256_sub_epi32(code, input_zero_point_);
    const __m256i product = _mm256_mullo_epi32(x, _mm256_sub_epi32(alpha, alpha_zero_point_));
    const __m256i scaled = _mm256_blendv_epi8(positive_(x), negative_(product), _mm256_srai_epi32(x, 31));
    return _mm256_add_epi32(scaled, output_zero_point_);
  }

 private:
  MultiplyAvx2 positive_;
  MultiplyAvx2 negative_;
  __m256i input_zero_point_;
  __m256i alpha_zero_point_;
  __m256i output_zero_point_;
};

}  // namespace

void PreluAvx2(const PreluArgs& args, int32_t first, int32_t count) {
  int32_t done = 0;
  if (count >= kElements && MultiplyAvx2::Takes(args.positive) && MultiplyAvx2::Takes(args.negative)) {
    const Function function(args);
    const CodesAvx2 input(args.input, args.input_step);
    const CodesAvx2 alpha(args.alpha, args.alpha_step);
    for (; count - done >= kElements; done += kElements) {
      const WideCodesAvx2 x = WidenInt8Avx2(input.Load16(first + done));
      const WideCodesAvx2 slope = WidenInt8Avx2(alpha.Load16(first + done));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(args.output + first + done),
                       PackInt8Avx2(function(x.low, slope.low), function(x.high, slope.high)));
    }
  }
  if (done < count) PreluRef(args, first + done, count - done);
}

}  // namespace lutra
