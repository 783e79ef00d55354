// SPDX-License-Identifier: Apache-2.0
// Int8 sums, differences and products with AVX2, in float32. If float32 is not exact, or too often in doubt,
// the rule's integers are used: eight products of 64 bits at a time. Squared differences are computed in
// integers. Float32, eight at a time, has the reference's operations in their order.

#include "runtime/kernels/binary/binary_guarded.h"
#include "runtime/kernels/dot_avx2.h"
#include "runtime/kernels/elements_avx2.h"
#include "runtime/kernels/multiply_avx2.h"

namespace lutra {
namespace {

struct BinaryAvx2 {
  static constexpr int32_t kLanes = 8;
  static constexpr bool kIsFused = true;
  using Floats = __m256;
  using Units = __m256i;

  static Floats Repeat(float value) { return _mm256_set1_ps(value); }
  static Floats LoadCodes(const int8_t* codes) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes))));
  }
  static Floats Add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
  static Floats Mul(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
  static Floats MulAdd(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
  static Floats BySign(Floats x, Floats above, Floats below) { return _mm256_blendv_ps(above, below, x); }
  static Units Round(Floats x) { return _mm256_cvtps_epi32(x); }
  static Units Least(Units a, Units b) { return _mm256_min_epu16(a, b); }
  static bool AnyBelow(Units units, int32_t limit) { return DotAvx2::LowerHalvesBelow(units, limit) != 0; }
  static void StoreUnits(Units units, int32_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), units);
  }
  static void StoreCodes(const Units (&units)[kBlockVectors], int8_t min, int8_t max, int8_t* to) {
    const __m256i codes = _mm256_max_epi8(DotAvx2::Narrow<1>(units), _mm256_set1_epi8(min));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_min_epi8(codes, _mm256_set1_epi8(max)));
  }
  static void CopyCodes(const int8_t* from, int32_t count, int8_t* to) {
    memcpy(to, from, static_cast<size_t>(count));
  }
};

constexpr int kSumShift = 20;
constexpr int kSquareShift = 7;
constexpr int32_t kVectorElements = 16;

// Sixteen values of an input, less its zero point.
class Input {
 public:
  Input(const void* codes, int32_t step, int8_t zero_point)
      : codes_(codes, step), zero_point_(_mm256_set1_epi32(zero_point)) {}

  [[gnu::always_inline]] WideCodesAvx2 Load(int32_t i) const {
    const WideCodesAvx2 x = WidenInt8Avx2(codes_.Load16(i));
    return {_mm256_sub_epi32(x.low, zero_point_), _mm256_sub_epi32(x.high, zero_point_)};
  }

 private:
  CodesAvx2 codes_;
  __m256i zero_point_;
};

// Computes as many elements as whole vectors hold, and returns their number. function(x_a, x_b) returns
// results without the offset.
template <typename Function>
int32_t ComputeVectors(const BinaryArgs& args, int32_t first, int32_t count, const Function& function) {
  const BinaryQuantization& q = *args.quantization;
  const Input a(args.a, args.a_step, q.a_zero_point);
  const Input b(args.b, args.b_step, q.b_zero_point);
  auto* const output = static_cast<int8_t*>(args.output);
  const __m256i offset = _mm256_set1_epi16(q.out_zero_point);
  const __m128i min = _mm_set1_epi8(q.min);
  const __m128i max = _mm_set1_epi8(q.max);
  int32_t done = 0;
  for (; count - done >= kVectorElements; done += kVectorElements) {
    const WideCodesAvx2 x = a.Load(first + done);
    const WideCodesAvx2 y = b.Load(first + done);
    const __m256i halves = PackInt16Avx2(function(x.low, y.low), function(x.high, y.high));
    const __m256i codes = _mm256_adds_epi16(halves, offset);
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(codes), _mm256_extracti128_si256(codes, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(output + first + done),
                     _mm_min_epi8(_mm_max_epi8(bytes, min), max));
  }
  return done;
}

// combine(y_a, y_b) returns the number that the output's multiplier scales.
template <typename Combine>
int32_t ComputeOfScaled(const BinaryArgs& args, int32_t first, int32_t count, int shift,
                        const Combine& combine) {
  const BinaryQuantization& q = *args.quantization;
  if (count < kVectorElements || !MultiplyAvx2::Takes(q.a_multiplier) ||
      !MultiplyAvx2::Takes(q.b_multiplier) || !MultiplyAvx2::Takes(q.out_multiplier)) {
    return 0;
  }
  const MultiplyAvx2 a(q.a_multiplier);
  const MultiplyAvx2 b(q.b_multiplier);
  const MultiplyAvx2 out(q.out_multiplier);
  return ComputeVectors(args, first, count, [&](__m256i x, __m256i y) {
    return out(combine(a(_mm256_slli_epi32(x, shift)), b(_mm256_slli_epi32(y, shift))));
  });
}

// sign: 1 for sums, -1 for differences.
int32_t ComputeIntegerSums(const BinaryArgs& args, int32_t first, int32_t count, int32_t sign) {
  if (sign > 0) {
    return ComputeOfScaled(args, first, count, kSumShift,
                           [](__m256i a, __m256i b) { return _mm256_add_epi32(a, b); });
  }
  return ComputeOfScaled(args, first, count, kSumShift,
                         [](__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); });
}

int32_t ComputeIntegerProducts(const BinaryArgs& args, int32_t first, int32_t count) {
  const BinaryQuantization& q = *args.quantization;
  if (count < kVectorElements || !MultiplyAvx2::Takes(q.out_multiplier)) return 0;
  const MultiplyAvx2 out(q.out_multiplier);
  return ComputeVectors(args, first, count,
                        [&](__m256i x, __m256i y) { return out(_mm256_mullo_epi32(x, y)); });
}

void ComputeAllSums(const BinaryArgs& args, int32_t first, int32_t count, int32_t sign, BinaryFn reference) {
  int32_t done = ComputeGuardedSums<BinaryAvx2>(args, first, count, sign, reference);
  done += ComputeIntegerSums(args, first + done, count - done, sign);
  reference(args, first + done, count - done);
}

template <typename Function>
void ForEachFloat(BinaryFn reference, const BinaryArgs& args, int32_t first, int32_t count,
                  Function function) {
  const auto* const a = static_cast<const float*>(args.a);
  const auto* const b = static_cast<const float*>(args.b);
  auto* const output = static_cast<float*>(args.output);
  const bool a_repeats = args.a_step == 0, b_repeats = args.b_step == 0;
  const __m256 min = _mm256_set1_ps(args.float_min), max = _mm256_set1_ps(args.float_max);
  const auto load = [](const float* from, bool repeats, int32_t i) __attribute__((always_inline)) {
    return repeats ? _mm256_broadcast_ss(from) : _mm256_loadu_ps(from + i);
  };
  int32_t i = first;
  for (; first + count - i >= 8; i += 8) {
    const __m256 value = function(load(a, a_repeats, i), load(b, b_repeats, i));
    // If one is not a number, or both are zeros, the second is the result, as in the reference.
    _mm256_storeu_ps(output + i, _mm256_min_ps(max, _mm256_max_ps(min, value)));
  }
  reference(args, i, first + count - i);
}

}  // namespace

void AddAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  ComputeAllSums(args, first, count, 1, AddRef);
}

void SubAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  ComputeAllSums(args, first, count, -1, SubRef);
}

int32_t PrepareAddAvx2(const BinaryArgs& args, void* memory) {
  return PrepareGuardedSums<BinaryAvx2>(args, 1, AddRef, memory);
}

int32_t PrepareSubAvx2(const BinaryArgs& args, void* memory) {
  return PrepareGuardedSums<BinaryAvx2>(args, -1, SubRef, memory);
}

void MulAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  int32_t done = ComputeGuardedProducts<BinaryAvx2>(args, first, count);
  done += ComputeIntegerProducts(args, first + done, count - done);
  MulRef(args, first + done, count - done);
}

void SquaredDifferenceAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  if (count < kVectorElements) return SquaredDifferenceRef(args, first, count);
  const int32_t done = ComputeOfScaled(args, first, count, kSquareShift, [](__m256i a, __m256i b) {
    const __m256i difference = _mm256_sub_epi32(a, b);
    return _mm256_mullo_epi32(difference, difference);
  });
  if (done < count) SquaredDifferenceRef(args, first + done, count - done);
}

void AddFloatAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEachFloat(AddFloatRef, args, first, count, [](__m256 a, __m256 b) { return _mm256_add_ps(a, b); });
}

void SubFloatAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEachFloat(SubFloatRef, args, first, count, [](__m256 a, __m256 b) { return _mm256_sub_ps(a, b); });
}

void MulFloatAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEachFloat(MulFloatRef, args, first, count, [](__m256 a, __m256 b) { return _mm256_mul_ps(a, b); });
}

void DivFloatAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEachFloat(DivFloatRef, args, first, count, [](__m256 a, __m256 b) { return _mm256_div_ps(a, b); });
}

void SquaredDifferenceFloatAvx2(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEachFloat(SquaredDifferenceFloatRef, args, first, count, [](__m256 a, __m256 b) {
    const __m256 difference = _mm256_sub_ps(a, b);
    return _mm256_mul_ps(difference, difference);
  });
}

}  // namespace lutra
