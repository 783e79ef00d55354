// SPDX-License-Identifier: Apache-2.0
// Comparisons of int8 codes with AVX2, scaled by the rule. The reference compares other types.

#include <immintrin.h>

#include "lutra/kernels/compare/compare.h"
#include "runtime/kernels/elements_avx2.h"
#include "runtime/kernels/multiply_avx2.h"

namespace lutra {
namespace {

constexpr int32_t kElements = 16;
constexpr int kFractionBits = 8;

class Scaled {
 public:
  Scaled(const void* codes, int32_t step, int32_t zero_point, Multiplier multiplier)
      : codes_(codes, step), zero_point_(_mm256_set1_epi32(zero_point)), multiply_(multiplier) {}

  [[gnu::always_inline]] WideCodesAvx2 Load(int32_t i) const {
    const WideCodesAvx2 x = WidenInt8Avx2(codes_.Load16(i));
    return {Scale(x.low), Scale(x.high)};
  }

 private:
  [[gnu::always_inline]] __m256i Scale(__m256i x) const {
    return multiply_(_mm256_slli_epi32(_mm256_sub_epi32(x, zero_point_), kFractionBits));
  }

  CodesAvx2 codes_;
  __m256i zero_point_;
  MultiplyAvx2 multiply_;
};

// Says how each comparison follows from one of two: with the inputs in this order or exchanged, negated or
// not.
struct Way {
  bool is_equality;  // "Equal", else "greater".
  bool swapped;
  bool negated;
};

Way WayOf(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEqual:
      return {true, false, false};
    case Comparison::kNotEqual:
      return {true, false, true};
    case Comparison::kGreater:
      return {false, false, false};
    case Comparison::kGreaterEqual:
      return {false, true, true};
    case Comparison::kLess:
      return {false, true, false};
    default:
      return {false, false, true};
  }
}

template <bool kIsEquality>
int32_t ComputeVectors(const Scaled& a, const Scaled& b, bool negated, int32_t first, int32_t count,
                       uint8_t* output) {
  const auto holds = [](__m256i x, __m256i y) __attribute__((always_inline)) {
    return kIsEquality ? _mm256_cmpeq_epi32(x, y) : _mm256_cmpgt_epi32(x, y);
  };
  // Changes -1 and 0 to 1 and 0, or to 0 and 1.
  const __m128i one = _mm_set1_epi8(1);
  const __m128i opposite = _mm_set1_epi8(negated ? 1 : 0);
  int32_t done = 0;
  for (; count - done >= kElements; done += kElements) {
    const WideCodesAvx2 x = a.Load(first + done);
    const WideCodesAvx2 y = b.Load(first + done);
    const __m128i found = PackInt8Avx2(holds(x.low, y.low), holds(x.high, y.high));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(output + first + done),
                     _mm_xor_si128(_mm_and_si128(found, one), opposite));
  }
  return done;
}

}  // namespace

void CompareAvx2(const CompareArgs& args, int32_t first, int32_t count) {
  int32_t done = 0;
  if (args.type == TensorType::kInt8 && count >= kElements && MultiplyAvx2::Takes(args.a_multiplier) &&
      MultiplyAvx2::Takes(args.b_multiplier)) {
    const Way way = WayOf(args.comparison);
    const Scaled a(args.a, args.a_step, args.a_zero_point, args.a_multiplier);
    const Scaled b(args.b, args.b_step, args.b_zero_point, args.b_multiplier);
    const Scaled& x = way.swapped ? b : a;
    const Scaled& y = way.swapped ? a : b;
    done = way.is_equality ? ComputeVectors<true>(x, y, way.negated, first, count, args.output)
                           : ComputeVectors<false>(x, y, way.negated, first, count, args.output);
  }
  if (done < count) CompareRef(args, first + done, count - done);
}

}  // namespace lutra
