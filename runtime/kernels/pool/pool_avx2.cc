// SPDX-License-Identifier: Apache-2.0
// Int8 pools with AVX2.

#include <immintrin.h>

#include "runtime/kernels/pool/pool_sse41.h"
#include "runtime/kernels/pool/pool_vectors.h"

namespace lutra {
namespace {

struct MaximumAvx2 {
  static constexpr int32_t kCodes = 32;
  using State = __m256i;
  State Start() const { return _mm256_set1_epi8(INT8_MIN); }
  void Add(State* best, const int8_t* codes) const { *best = _mm256_max_epi8(*best, Load(codes)); }
  void Finish(State best, int8_t* to) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_min_epi8(_mm256_max_epi8(best, min), max));
  }
  void SetCount(int32_t) {}
  static __m256i Load(const int8_t* codes) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes));
  }

  __m256i min;
  __m256i max;
};

// Returns eight averages.
__m256i Averages(__m256i sums, const FloatAverage& average) {
  const __m256 values = _mm256_cvtepi32_ps(sums);
  const __m256 half =
      _mm256_or_ps(_mm256_and_ps(values, _mm256_set1_ps(-0.0f)), _mm256_set1_ps(average.half));
  return _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_add_ps(values, half), _mm256_set1_ps(average.reciprocal)));
}

// Finishes averages of sums of both widths.
struct AverageAvx2 : FloatAverage {
  static constexpr int32_t kCodes = 16;
  AverageAvx2(__m128i least, __m128i most) : min(least), max(most) {}
  static __m128i Load(const int8_t* codes) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes));
  }
  [[gnu::always_inline]] void Store(__m256i low, __m256i high, int8_t* to) const {
    const __m256i halves =
        _mm256_permute4x64_epi64(_mm256_packs_epi32(Averages(low, *this), Averages(high, *this)), 0xD8);
    const __m128i codes =
        _mm_packs_epi16(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_min_epi8(_mm_max_epi8(codes, min), max));
  }

  __m128i min;
  __m128i max;
};

struct ShortAverageAvx2 : AverageAvx2 {
  using AverageAvx2::AverageAvx2;
  using State = __m256i;
  State Start() const { return _mm256_setzero_si256(); }
  void Add(State* sums, const int8_t* codes) const {
    *sums = _mm256_add_epi16(*sums, _mm256_cvtepi8_epi16(Load(codes)));
  }
  void Finish(State sums, int8_t* to) const {
    Store(_mm256_cvtepi16_epi32(_mm256_castsi256_si128(sums)),
          _mm256_cvtepi16_epi32(_mm256_extracti128_si256(sums, 1)), to);
  }
};

struct LongAverageAvx2 : AverageAvx2 {
  using AverageAvx2::AverageAvx2;
  struct State {
    __m256i low;
    __m256i high;
  };
  State Start() const { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }
  void Add(State* sums, const int8_t* codes) const {
    const __m128i values = Load(codes);
    sums->low = _mm256_add_epi32(sums->low, _mm256_cvtepi8_epi32(values));
    sums->high = _mm256_add_epi32(sums->high, _mm256_cvtepi8_epi32(_mm_unpackhi_epi64(values, values)));
  }
  void Finish(const State& sums, int8_t* to) const { Store(sums.low, sums.high, to); }
};

}  // namespace

void AveragePoolAvx2(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                     int32_t row_count) {
  const PoolShape& shape = *args.shape;
  const int64_t taps = MostTaps(shape);
  if (taps > kMostFloat) return AveragePoolRef(args, input, output, first_row, row_count);
  const __m128i min = _mm_set1_epi8(static_cast<int8_t>(args.activation_min));
  const __m128i max = _mm_set1_epi8(static_cast<int8_t>(args.activation_max));
  if (taps <= kMostInt16 && PoolDepth(shape) <= AverageSse41::kCodes) {
    PoolRowsInVectors(shape, input, output, first_row, row_count, AverageSse41(min, max));
  } else if (taps <= kMostInt16) {
    PoolRowsInVectors(shape, input, output, first_row, row_count, ShortAverageAvx2(min, max));
  } else {
    PoolRowsInVectors(shape, input, output, first_row, row_count, LongAverageAvx2(min, max));
  }
}

void MaxPoolAvx2(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                 int32_t row_count) {
  const auto min = static_cast<int8_t>(args.activation_min);
  const auto max = static_cast<int8_t>(args.activation_max);
  if (PoolDepth(*args.shape) >= MaximumAvx2::kCodes) {
    PoolRowsInVectors(*args.shape, input, output, first_row, row_count,
                      MaximumAvx2{_mm256_set1_epi8(min), _mm256_set1_epi8(max)});
  } else {
    PoolRowsInVectors(*args.shape, input, output, first_row, row_count,
                      MaximumSse41{_mm_set1_epi8(min), _mm_set1_epi8(max)});
  }
}

}  // namespace lutra
