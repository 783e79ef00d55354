// SPDX-License-Identifier: Apache-2.0
// Int8 softmax with MVE, four elements at a time, in the integers of the rule.

#include <arm_mve.h>

#include "lutra/kernels/softmax/softmax.h"
#include "runtime/fixed_point/reciprocal.h"

namespace lutra {
namespace {

constexpr int32_t kLanes = 4;

// Returns x / 2^exponent, ties away from zero.
template <int kExponent>
[[gnu::always_inline]] inline int32x4_t DivideRounding(int32x4_t x) {
  return vrshrq_n_s32(vaddq_s32(x, vshrq_n_s32(x, 31)), kExponent);
}

// Computes ExpOnNegativeValues for 5 integer bits, as fixed_point/exp.cc does.
[[gnu::always_inline]] inline int32x4_t ExpOfNegatives(int32x4_t x) {
  constexpr int32_t kQuarter = 1 << 24;
  const int32x4_t last_quarter = vsubq_n_s32(vandq_s32(x, vdupq_n_s32(kQuarter - 1)), kQuarter);
  const int32x4_t t = vaddq_n_s32(vshlq_n_s32(last_quarter, 5), 1 << 28);
  const int32x4_t t2 = vqrdmulhq_s32(t, t);
  const int32x4_t t3 = vqrdmulhq_s32(t2, t);
  const int32x4_t t4 = vqrdmulhq_s32(t2, t2);
  const int32x4_t cubes = vaddq_s32(DivideRounding<2>(t4), t3);
  const int32x4_t tail = DivideRounding<1>(vaddq_s32(vqrdmulhq_n_s32(cubes, 715827883), t2));
  constexpr int32_t kEighth = 1895147668;
  int32x4_t result = vaddq_n_s32(vqrdmulhq_n_s32(vaddq_s32(t, tail), kEighth), kEighth);
  constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const int32x4_t quarters = vsubq_s32(last_quarter, x);
#pragma GCC unroll 7
  for (int i = 0; i < 7; ++i) {
    // Tests the sign: GCC 12 crashes on comparisons of one bit with 0.
    const mve_pred16_t has_bit = vcmpltq_n_s32(vshlq_r_s32(quarters, 7 - i), 0);
    result = vpselq_s32(vqrdmulhq_n_s32(result, kFactors[i]), result, has_bit);
  }
  return vpselq_s32(vdupq_n_s32(INT32_MAX), result, vcmpeqq_n_s32(x, 0));
}

// The exponentials of four codes; 0 for differences below diff_min.
struct Exponents {
  int32_t max;
  int32_t diff_min;
  int32_t multiplier;
  int32_t shift;

  [[gnu::always_inline]] int32x4_t operator()(const int8_t* codes, mve_pred16_t lanes) const {
    const int32x4_t differences = vsubq_n_s32(vldrbq_z_s32(codes, lanes), max);
    const int32x4_t x = vqrdmulhq_n_s32(vshlq_r_s32(differences, shift), multiplier);
    const mve_pred16_t counts = vcmpgeq_m_n_s32(differences, diff_min, lanes);
    return vpselq_s32(ExpOfNegatives(x), vdupq_n_s32(0), counts);
  }
};

template <typename Output>
[[gnu::always_inline]] inline void StoreLanes(Output* to, int32x4_t codes, mve_pred16_t lanes) {
  if constexpr (sizeof(Output) == 1) {
    vstrbq_p_s32(to, codes, lanes);
  } else {
    vstrhq_p_s32(to, codes, lanes);
  }
}

template <typename Output>
void MakeRow(const SoftmaxArgs& args, const int8_t* in, Output* out) {
  constexpr int32_t kBits = 8 * sizeof(Output);
  constexpr int32_t kLowest = -(1 << (kBits - 1));
  const int32_t depth = args.depth;
  int8_t max = in[0];
  for (int32_t i = 0; i < depth; i += 16) {
    const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(depth - i));
    max = vmaxvq_p_s8(max, vldrbq_z_s8(in + i, lanes), lanes);
  }
  const Exponents exponents = {max, args.diff_min, args.multiplier.value, args.multiplier.shift};
  int64_t sum = 0;
  for (int32_t i = 0; i < depth; i += kLanes) {
    const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>(depth - i));
    sum = vaddlvaq_s32(sum, vrshrq_n_s32(exponents(in + i, lanes), 12));
  }
  const Reciprocal reciprocal = GetReciprocal(sum > INT32_MAX ? INT32_MAX : static_cast<int32_t>(sum), 12);
  const int32_t shift = kBits - 31 - reciprocal.bits;
  for (int32_t i = 0; i < depth; i += kLanes) {
    const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>(depth - i));
    // Shares are not negative.
    const int32x4_t share = vrshlq_n_s32(vqrdmulhq_n_s32(exponents(in + i, lanes), reciprocal.value), shift);
    StoreLanes(out + i, vminq_s32(vaddq_n_s32(share, kLowest), vdupq_n_s32(-kLowest - 1)), lanes);
  }
}

}  // namespace

template <typename Output>
void SoftmaxMve(const SoftmaxArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    MakeRow(args, reinterpret_cast<const int8_t*>(input.Row(row)),
            reinterpret_cast<Output*>(output.Row(row)));
  }
}
template void SoftmaxMve<int8_t>(const SoftmaxArgs&, const Rows&, const Rows&, int32_t, int32_t);
template void SoftmaxMve<int16_t>(const SoftmaxArgs&, const Rows&, const Rows&, int32_t, int32_t);

}  // namespace lutra
