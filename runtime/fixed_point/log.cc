// SPDX-License-Identifier: Apache-2.0
// The natural logarithm in fixed point.

#include "runtime/fixed_point/log.h"

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/fixed_point/reciprocal.h"

namespace lutra {
namespace {

constexpr int32_t kInputIntegerBits = 12;
// The sum has one integer bit more than the result, so that adding its two parts does not saturate.
constexpr int32_t kSumIntegerBits = 6;
constexpr int32_t kSumFractionBits = 31 - kSumIntegerBits;

// These are in Q0.31.
constexpr int32_t kLn2 = 1488522236;
constexpr int32_t kSqrtHalf = 1518500250;
constexpr int32_t kFourthRootOfHalf = 1805811301;
constexpr int32_t kQuarterInSum = 1 << (kSumFractionBits - 2);
// These belong to the rational function.
constexpr int32_t kAlphaN = 117049297;
constexpr int32_t kAlphaD = 127690142;
constexpr int32_t kAlphaI = 1057819769;
constexpr int32_t kAlphaF = 638450708;

int32_t PowerOfTwoInSum(int32_t headroom) { return (kInputIntegerBits - headroom) * (1 << kSumFractionBits); }

}  // namespace

int32_t LogForXAtLeastOne(int32_t x) {
  // x = r * 2^z in two ways, of which the one with the smaller r is used: z is an integer plus 1/4, with r
  // scaled by sqrt(1/2), or an integer minus 1/4.
  const int32_t headroom_a = CountLeadingZeros(static_cast<uint32_t>(x));
  const int32_t r_a = SaturatingShiftLeft(HighMul(SaturatingShiftLeft(x, headroom_a - 1), kSqrtHalf), 1);
  const int32_t z_a = PowerOfTwoInSum(headroom_a) + kQuarterInSum;

  const uint32_t scaled = static_cast<uint32_t>(HighMul(x, kSqrtHalf));
  const int32_t headroom_b = CountLeadingZeros(scaled) - 1;
  const int32_t r_b = SaturatingShiftLeft(x, headroom_b);
  const int32_t z_b = PowerOfTwoInSum(headroom_b) - kQuarterInSum;

  const int32_t r = r_a < r_b ? r_a : r_b;
  const int32_t z = z_a > z_b ? z_a : z_b;

  // ln(r) is a rational function of q = 2 * (r - (1/2)^(1/4)).
  const int32_t p = RoundingHalfSum(r, kFourthRootOfHalf);
  const int32_t difference = WrappingSubtract(r, kFourthRootOfHalf);
  const int32_t q = WrappingAdd(difference, difference);
  const int32_t q2 = HighMul(q, q);
  const int32_t numerator = WrappingAdd(HighMul(q, r), HighMul(HighMul(q, q2), kAlphaN));
  const int32_t factor = WrappingAdd(WrappingAdd(kAlphaI, q), HighMul(kAlphaD, q2));
  const int32_t denominator_minus_one = WrappingAdd(HighMul(p, factor), HighMul(kAlphaF, q));
  const int32_t log_of_r =
      HighMul(RoundingDivideByPowerOfTwo(numerator, kSumIntegerBits), OneOverOnePlusX(denominator_minus_one));
  return SaturatingShiftLeft(WrappingAdd(HighMul(z, kLn2), log_of_r), 1);
}

}  // namespace lutra
