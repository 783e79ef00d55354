// SPDX-License-Identifier: Apache-2.0
// Int8 softmax with AVX2, in the integers of the rule. An element's exponential depends only on its
// difference from the maximum: if a call has many more elements than there are differences, the exponentials
// are computed once and looked up.

#include <immintrin.h>

#include "lutra/kernels/softmax/softmax.h"
#include "runtime/fixed_point/reciprocal.h"
#include "runtime/kernels/multiply_avx2.h"

namespace lutra {
namespace {

constexpr int32_t kLanes = 8;
constexpr int32_t kBlock = 512;  // Elements of a row whose exponentials are kept at a time.
constexpr int32_t kDifferences = 256;
// From this many elements on, looking exponentials up saves time.
constexpr int32_t kManyElements = 2 * kDifferences;

// Returns x / 2^exponent, ties away from zero, for x far from the ends of int32.
template <int kExponent>
[[gnu::always_inline]] inline __m256i DivideRounding(__m256i x) {
  const __m256i half = _mm256_set1_epi32(1 << (kExponent - 1));
  return _mm256_srai_epi32(_mm256_add_epi32(_mm256_add_epi32(x, half), _mm256_srai_epi32(x, 31)), kExponent);
}

// Computes ExpOnNegativeValues for 5 integer bits, as fixed_point/exp.cc does.
[[gnu::always_inline]] inline __m256i ExpOfNegatives(__m256i x) {
  constexpr int32_t kQuarter = 1 << 24;
  const __m256i last_quarter =
      _mm256_sub_epi32(_mm256_and_si256(x, _mm256_set1_epi32(kQuarter - 1)), _mm256_set1_epi32(kQuarter));
  const __m256i t = _mm256_add_epi32(_mm256_slli_epi32(last_quarter, 5), _mm256_set1_epi32(1 << 28));
  const __m256i t2 = HighMulAvx2(t, t);
  const __m256i t3 = HighMulAvx2(t2, t);
  const __m256i t4 = HighMulAvx2(t2, t2);
  const __m256i cubes = _mm256_add_epi32(DivideRounding<2>(t4), t3);
  const __m256i tail =
      DivideRounding<1>(_mm256_add_epi32(HighMulAvx2(cubes, _mm256_set1_epi32(715827883)), t2));
  const __m256i eighth = _mm256_set1_epi32(1895147668);
  __m256i result = _mm256_add_epi32(eighth, HighMulAvx2(eighth, _mm256_add_epi32(t, tail)));
  constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const __m256i quarters = _mm256_srli_epi32(_mm256_sub_epi32(last_quarter, x), 24);
#pragma GCC unroll 7
  for (int32_t i = 0; i < 7; ++i) {
    const __m256i bit = _mm256_set1_epi32(1 << i);
    const __m256i has_bit = _mm256_cmpeq_epi32(_mm256_and_si256(quarters, bit), bit);
    result = _mm256_blendv_epi8(result, HighMulAvx2(result, _mm256_set1_epi32(kFactors[i])), has_bit);
  }
  return _mm256_blendv_epi8(result, _mm256_set1_epi32(INT32_MAX),
                            _mm256_cmpeq_epi32(x, _mm256_setzero_si256()));
}

// The exponentials of differences; 0 for those below diff_min, which add nothing to a sum or a share.
class Exponents {
 public:
  explicit Exponents(const SoftmaxArgs& args)
      : multiply_(args.multiplier), beyond_(_mm256_set1_epi32(args.diff_min - (args.diff_min > INT32_MIN))) {}

  [[gnu::always_inline]] __m256i operator()(__m256i differences) const {
    return _mm256_and_si256(ExpOfNegatives(multiply_(differences)), _mm256_cmpgt_epi32(differences, beyond_));
  }

 private:
  MultiplyAvx2 multiply_;
  __m256i beyond_;
};

int32_t Max(const int8_t* row, int32_t depth) {
  constexpr int32_t kBytes = 16;
  int8_t max = row[0];
  if (depth >= kBytes) {
    const auto load = [row](int32_t i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + i)); };
    __m128i best = load(depth - kBytes);
    for (int32_t i = 0; i < depth - kBytes; i += kBytes) best = _mm_max_epi8(best, load(i));
    int8_t lanes[kBytes];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(lanes), best);
    for (const int8_t lane : lanes) max = lane > max ? lane : max;
  } else {
    for (int32_t i = 1; i < depth; ++i) max = row[i] > max ? row[i] : max;
  }
  return max;
}

// Loads eight codes, or the remaining `count` and zeros.
__m256i LoadCodes(const int8_t* codes, int32_t count) {
  if (count >= kLanes) return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes)));
  int32_t few[kLanes] = {};
  for (int32_t i = 0; i < count; ++i) few[i] = codes[i];
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(few));
}

class RowSoftmax {
 public:
  RowSoftmax(const SoftmaxArgs& args, int32_t row_count) : depth_(args.depth), exponents_(args) {
    has_table_ = int64_t{row_count} * depth_ >= kManyElements;
    if (!has_table_) return;
    const __m256i steps = _mm256_setr_epi32(0, -1, -2, -3, -4, -5, -6, -7);
    for (int32_t i = 0; i < kDifferences; i += kLanes) {
      Store(exponents_(_mm256_sub_epi32(steps, _mm256_set1_epi32(i))), table_ + i);
    }
  }

  template <typename Output>
  void Run(const int8_t* in, Output* out) {
    const int32_t max = Max(in, depth_);
    int64_t sum = 0;
    for (int32_t i = 0; i < depth_; i += kBlock) {
      const int32_t count = ComputeExponents(in + i, max, depth_ - i);
      sum += Sum(count);
    }
    const Reciprocal reciprocal = GetReciprocal(sum > INT32_MAX ? INT32_MAX : static_cast<int32_t>(sum), 12);
    for (int32_t i = 0; i < depth_; i += kBlock) {
      const int32_t left = depth_ - i;
      const int32_t count = depth_ <= kBlock ? left : ComputeExponents(in + i, max, left);
      StoreCodes(reciprocal, count, out + i);
    }
  }

 private:
  static void Store(__m256i x, int32_t* to) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x); }

  // Stores a block's exponentials, with zeros up to a whole vector. Returns how many elements the block has.
  int32_t ComputeExponents(const int8_t* in, int32_t max, int32_t left) {
    const int32_t count = left < kBlock ? left : kBlock;
    if (has_table_) {
      const int32_t end = (count + kLanes - 1) / kLanes * kLanes;
      for (int32_t i = 0; i < count; ++i) block_[i] = table_[max - in[i]];
      for (int32_t i = count; i < end; ++i) block_[i] = 0;
      return count;
    }
    const __m256i maxima = _mm256_set1_epi32(max);
    for (int32_t i = 0; i < count; i += kLanes) {
      Store(exponents_(_mm256_sub_epi32(LoadCodes(in + i, count - i), maxima)), block_ + i);
    }
    for (int32_t i = count; i % kLanes != 0; ++i) block_[i] = 0;
    return count;
  }

  // Returns the sum of a block's exponentials, in Q12.19. A lane's sum fits 32 bits.
  int64_t Sum(int32_t count) const {
    __m256i sums = _mm256_setzero_si256();
    for (int32_t i = 0; i < count; i += kLanes) {
      const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block_ + i));
      sums = _mm256_add_epi32(sums, _mm256_srli_epi32(_mm256_add_epi32(x, _mm256_set1_epi32(1 << 11)), 12));
    }
    int32_t lanes[kLanes];
    Store(sums, lanes);
    int64_t sum = 0;
    for (const int32_t lane : lanes) sum += lane;
    return sum;
  }

  template <typename Output>
  void StoreCodes(Reciprocal reciprocal, int32_t count, Output* out) const {
    constexpr int32_t kBits = 8 * sizeof(Output);
    const int32_t exponent = reciprocal.bits + 31 - kBits;
    const __m256i value = _mm256_set1_epi32(reciprocal.value);
    const __m256i half = _mm256_set1_epi32(exponent <= 31 ? 1 << (exponent - 1) : 0);
    const __m128i shift = _mm_cvtsi32_si128(exponent <= 31 ? exponent : 32);
    const __m256i lowest = _mm256_set1_epi32(1 << (kBits - 1));
    for (int32_t i = 0; i < count; i += kLanes) {
      const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block_ + i));
      // Shares are not negative, and fit 32 bits with a half added.
      const __m256i share = _mm256_srl_epi32(_mm256_add_epi32(HighMulAvx2(value, x), half), shift);
      const __m256i halves = PackInt16Avx2(_mm256_sub_epi32(share, lowest), _mm256_setzero_si256());
      __m128i codes = _mm256_castsi256_si128(halves);
      if constexpr (sizeof(Output) == 1) codes = _mm_packs_epi16(codes, codes);
      StoreFirst(codes, count - i, out + i);
    }
  }

  template <typename Output>
  static void StoreFirst(__m128i codes, int32_t count, Output* out) {
    auto* const to = reinterpret_cast<__m128i*>(out);
    if (count >= kLanes)
      return sizeof(Output) == 1 ? _mm_storel_epi64(to, codes) : _mm_storeu_si128(to, codes);
    Output few[16 / sizeof(Output)];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(few), codes);
    for (int32_t i = 0; i < count; ++i) out[i] = few[i];
  }

  int32_t depth_;
  Exponents exponents_;
  bool has_table_;
  int32_t table_[kDifferences];
  int32_t block_[kBlock];
};

// Returns whether this variant is faster than the reference, and exact.
bool Takes(const SoftmaxArgs& args, int32_t row_count) {
  return (args.depth >= kLanes || int64_t{row_count} * args.depth >= kManyElements) &&
         MultiplyAvx2::Takes(args.multiplier);
}

}  // namespace

template <typename Output>
void SoftmaxAvx2(const SoftmaxArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                 int32_t row_count) {
  if (!Takes(args, row_count)) return SoftmaxRef<Output>(args, input, output, first_row, row_count);
  RowSoftmax rows(args, row_count);
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    rows.Run(reinterpret_cast<const int8_t*>(input.Row(row)), reinterpret_cast<Output*>(output.Row(row)));
  }
}
template void SoftmaxAvx2<int8_t>(const SoftmaxArgs&, const Rows&, const Rows&, int32_t, int32_t);
template void SoftmaxAvx2<int16_t>(const SoftmaxArgs&, const Rows&, const Rows&, int32_t, int32_t);

}  // namespace lutra
