// SPDX-License-Identifier: Apache-2.0
// Int8 pools with AVX2: sixteen channels are an element. Other numbers of channels are the reference's.

#include <immintrin.h>

#include "runtime/kernels/pool/pool_rows.h"

namespace lutra {
namespace {

constexpr int32_t kElementChannels = 16;

struct Codes {
  int8_t code[kElementChannels];
};

__m128i Load(const Codes& codes) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(&codes)); }

struct Sums {
  __m256i low;
  __m256i high;
};

// Eight sums by the number of values, to nearest, ties away from zero, as int16. A quotient of integers of 31
// bits that is none itself is too far from one to be rounded to it in a double.
__m128i Quotients(__m256i sums, int32_t count) {
  const __m256i half = _mm256_set1_epi32(count / 2);
  const __m256i signed_half = _mm256_blendv_epi8(_mm256_sub_epi32(_mm256_setzero_si256(), half), half,
                                                 _mm256_cmpgt_epi32(sums, _mm256_setzero_si256()));
  const __m256i dividends = _mm256_add_epi32(sums, signed_half);
  const __m256d divisor = _mm256_set1_pd(count);
  const __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(dividends));
  const __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(dividends, 1));
  return _mm_packs_epi32(_mm256_cvttpd_epi32(_mm256_div_pd(low, divisor)),
                         _mm256_cvttpd_epi32(_mm256_div_pd(high, divisor)));
}

PoolShape ShapeOfElements(const PoolShape& shape) {
  PoolShape elements = shape;
  elements.depth /= kElementChannels;
  return elements;
}

}  // namespace

void AveragePoolAvx2(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                     int32_t row_count) {
  if (args.shape->depth % kElementChannels != 0) {
    return AveragePoolRef(args, input, output, first_row, row_count);
  }
  const __m128i min = _mm_set1_epi8(static_cast<int8_t>(args.activation_min));
  const __m128i max = _mm_set1_epi8(static_cast<int8_t>(args.activation_max));
  const Sums zero = {_mm256_setzero_si256(), _mm256_setzero_si256()};
  PoolRows<Codes>(
      ShapeOfElements(*args.shape), input, output, first_row, row_count, zero,
      [](const Sums& sums, const Codes& codes) -> Sums {
        const __m128i values = Load(codes);
        return {
            _mm256_add_epi32(sums.low, _mm256_cvtepi8_epi32(values)),
            _mm256_add_epi32(sums.high, _mm256_cvtepi8_epi32(_mm_unpackhi_epi64(values, values))),
        };
      },
      [min, max](const Sums& sums, int32_t count) {
        const __m128i low = Quotients(sums.low, count);
        const __m128i bytes = _mm_packs_epi16(low, Quotients(sums.high, count));
        Codes codes;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(&codes), _mm_min_epi8(_mm_max_epi8(bytes, min), max));
        return codes;
      });
}

void MaxPoolAvx2(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                 int32_t row_count) {
  if (args.shape->depth % kElementChannels != 0) {
    return MaxPoolRef(args, input, output, first_row, row_count);
  }
  const __m128i min = _mm_set1_epi8(static_cast<int8_t>(args.activation_min));
  const __m128i max = _mm_set1_epi8(static_cast<int8_t>(args.activation_max));
  PoolRows<Codes>(
      ShapeOfElements(*args.shape), input, output, first_row, row_count, _mm_set1_epi8(INT8_MIN),
      [](__m128i best, const Codes& codes) { return _mm_max_epi8(best, Load(codes)); },
      [min, max](__m128i best, int32_t) {
        Codes codes;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(&codes), _mm_min_epi8(_mm_max_epi8(best, min), max));
        return codes;
      });
}

}  // namespace lutra
