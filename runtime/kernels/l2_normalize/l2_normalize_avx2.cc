// SPDX-License-Identifier: Apache-2.0
// AVX2: the squares of sixteen elements at a time, then as many scaled values.

#include <immintrin.h>

#include "lutra/kernels/l2_normalize/l2_normalize.h"
#include "runtime/fixed_point/inverse_sqrt.h"
#include "runtime/kernels/multiply_avx2.h"

namespace lutra {
namespace {

constexpr int32_t kElements = 16;

__m128i Load(const int8_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }

int32_t SumOfSquares(const int8_t* in, int32_t depth, int32_t zero_point) {
  const __m256i zero_points = _mm256_set1_epi16(static_cast<int16_t>(zero_point));
  __m256i sums = _mm256_setzero_si256();
  int32_t i = 0;
  for (; i + kElements <= depth; i += kElements) {
    const __m256i x = _mm256_sub_epi16(_mm256_cvtepi8_epi16(Load(in + i)), zero_points);
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(x, x));
  }
  int32_t lanes[8];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), sums);
  int32_t sum = 0;
  for (const int32_t lane : lanes) sum += lane;
  for (; i < depth; ++i) sum += (in[i] - zero_point) * (in[i] - zero_point);
  return sum;
}

}  // namespace

void L2NormalizeAvx2(const L2NormalizeArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                     int32_t row_count) {
  if (args.depth < kElements) return L2NormalizeRef(args, input, output, first_row, row_count);
  const __m256i zero_points = _mm256_set1_epi32(args.input_zero_point);
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* in = reinterpret_cast<const int8_t*>(input.Row(row));
    auto* out = reinterpret_cast<int8_t*>(output.Row(row));
    Multiplier multiplier = InverseSqrtMultiplier(SumOfSquares(in, args.depth, args.input_zero_point));
    multiplier.shift += 7;
    if (!MultiplyAvx2::Takes(multiplier)) {
      L2NormalizeRef(args, input, output, row, 1);
      continue;
    }
    const MultiplyAvx2 multiply(multiplier);
    for (int32_t i = 0; i < args.depth; i += kElements) {
      // The last sixteen elements begin earlier, so that they end with the row.
      const int32_t at = i < args.depth - kElements ? i : args.depth - kElements;
      const WideCodesAvx2 codes = WidenInt8Avx2(Load(in + at));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + at),
                       PackInt8Avx2(multiply(_mm256_sub_epi32(codes.low, zero_points)),
                                    multiply(_mm256_sub_epi32(codes.high, zero_points))));
    }
  }
}

}  // namespace lutra
