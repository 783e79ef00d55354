// SPDX-License-Identifier: Apache-2.0
// Int8 sums, differences and products with AVX2, in the integers of the rule: eight products of 64 bits at a
// time.

#include <immintrin.h>

#include "lutra/kernels/binary/binary.h"

namespace lutra {
namespace {

#ifndef LUTRA_SINGLE_ROUNDING

constexpr int kSumShift = 20;
constexpr int32_t kVectorElements = 16;

// x * multiplier, rounded twice, for shifts from -31 to 0 and values that are not negative. The closed form
// of MultiplyDoubleRounding; the sign is that of x.
class Scaling {
 public:
  explicit Scaling(Multiplier m)
      : value_(_mm256_set1_epi32(m.value)),
        half_(_mm256_set1_epi32(m.shift < 0 ? 1 << (-m.shift - 1) : 0)),
        sign_(_mm256_set1_epi32(m.shift < 0 ? -1 : 0)),
        shift_(_mm_cvtsi32_si128(-m.shift)) {}
  static bool Takes(Multiplier m) { return m.value >= 0 && m.shift <= 0 && m.shift >= -31; }

  [[gnu::always_inline]] __m256i operator()(__m256i x) const {
    const __m256i nudge = _mm256_set1_epi64x(1 << 30);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, value_), nudge);
    const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), value_), nudge);
    const __m256i high = _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xAA);
    const __m256i minus = _mm256_and_si256(_mm256_srai_epi32(x, 31), sign_);
    return _mm256_sra_epi32(_mm256_add_epi32(_mm256_add_epi32(high, minus), half_), shift_);
  }

 private:
  __m256i value_;
  __m256i half_;
  __m256i sign_;
  __m128i shift_;
};

// Sixteen values of an input, less its zero point.
class Input {
 public:
  Input(const void* codes, int32_t step, int8_t zero_point)
      : codes_(static_cast<const int8_t*>(codes)),
        step_(step),
        same_(_mm_set1_epi8(codes_[0])),
        zero_point_(_mm256_set1_epi32(zero_point)) {}

  [[gnu::always_inline]] void Load(int32_t i, __m256i* low, __m256i* high) const {
    const __m128i codes = step_ == 0 ? same_ : _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes_ + i));
    *low = _mm256_sub_epi32(_mm256_cvtepi8_epi32(codes), zero_point_);
    *high = _mm256_sub_epi32(_mm256_cvtepi8_epi32(_mm_unpackhi_epi64(codes, codes)), zero_point_);
  }

 private:
  const int8_t* codes_;
  int32_t step_;
  __m128i same_;
  __m256i zero_point_;
};

// As many elements as vectors can make; returns their number. function(x_a, x_b): the results, but for the
// offset.
template <typename Function>
int32_t MakeVectors(const BinaryArgs& args, int32_t first, int32_t count, const Function& function) {
  const BinaryQuantization& q = *args.quantization;
  const Input a(args.a, args.a_step, q.a_zero_point);
  const Input b(args.b, args.b_step, q.b_zero_point);
  auto* const output = static_cast<int8_t*>(args.output);
  const __m256i offset = _mm256_set1_epi16(q.out_zero_point);
  const __m128i min = _mm_set1_epi8(q.min);
  const __m128i max = _mm_set1_epi8(q.max);
  int32_t done = 0;
  for (; count - done >= kVectorElements; done += kVectorElements) {
    __m256i a_low, a_high, b_low, b_high;
    a.Load(first + done, &a_low, &a_high);
    b.Load(first + done, &b_low, &b_high);
    const __m256i halves =
        _mm256_permute4x64_epi64(_mm256_packs_epi32(function(a_low, b_low), function(a_high, b_high)), 0xD8);
    const __m256i codes = _mm256_adds_epi16(halves, offset);
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(codes), _mm256_extracti128_si256(codes, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(output + first + done),
                     _mm_min_epi8(_mm_max_epi8(bytes, min), max));
  }
  return done;
}

// combine(y_a, y_b): what the output's multiplier scales.
template <typename Combine>
int32_t MakeSums(const BinaryArgs& args, int32_t first, int32_t count, const Combine& combine) {
  const BinaryQuantization& q = *args.quantization;
  if (!Scaling::Takes(q.a_multiplier) || !Scaling::Takes(q.b_multiplier) || !Scaling::Takes(q.out_multiplier))
    return 0;
  const Scaling a(q.a_multiplier);
  const Scaling b(q.b_multiplier);
  const Scaling out(q.out_multiplier);
  return MakeVectors(args, first, count, [&](__m256i x, __m256i y) {
    return out(combine(a(_mm256_slli_epi32(x, kSumShift)), b(_mm256_slli_epi32(y, kSumShift))));
  });
}

int32_t MakeProducts(const BinaryArgs& args, int32_t first, int32_t count) {
  const BinaryQuantization& q = *args.quantization;
  if (!Scaling::Takes(q.out_multiplier)) return 0;
  const Scaling out(q.out_multiplier);
  return MakeVectors(args, first, count, [&](__m256i x, __m256i y) { return out(_mm256_mullo_epi32(x, y)); });
}

#endif

}  // namespace

#ifdef LUTRA_SINGLE_ROUNDING

// One rounding needs shifts of 64 bits, which AVX2 does not have for signed numbers.
void AddAvx2(const BinaryArgs& args, int32_t first, int32_t count) { AddRef(args, first, count); }
void SubAvx2(const BinaryArgs& args, int32_t first, int32_t count) { SubRef(args, first, count); }
void MulAvx2(const BinaryArgs& args, int32_t first, int32_t count) { MulRef(args, first, count); }

#else

void AddAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  const int32_t done =
      MakeSums(args, first, count, [](__m256i a, __m256i b) { return _mm256_add_epi32(a, b); });
  AddRef(args, first + done, count - done);
}

void SubAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  const int32_t done =
      MakeSums(args, first, count, [](__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); });
  SubRef(args, first + done, count - done);
}

void MulAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  const int32_t done = MakeProducts(args, first, count);
  MulRef(args, first + done, count - done);
}

#endif

}  // namespace lutra
