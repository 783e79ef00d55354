// SPDX-License-Identifier: Apache-2.0
// Quotients of scales, and comparisons of them, in integers.

#include "runtime/fixed_point/scale_ratio.h"

#include <float.h>

namespace lutra {
namespace {

// Returns floor((2^64 - 1) / d) - 2^32 for d >= 2^31, without a library's 64-bit division: once for a layer.
uint32_t ReciprocalOf(uint32_t d) {
  // (2^64 - 1) - 2^32 * d is ~d * 2^32 + (2^32 - 1), and ~d < d.
  uint32_t remainder = ~d;
  uint32_t quotient = 0;
  for (int32_t bit = 0; bit < 32; ++bit) {
    const bool carry = (remainder >> 31) != 0;
    remainder = remainder << 1 | 1;
    quotient <<= 1;
    if (carry || remainder >= d) {
      remainder -= d;
      quotient |= 1;
    }
  }
  return quotient;
}

// fraction * 2^exponent, with the highest bit of the fraction at 2^62 or, where a function says so, at 2^63;
// 0 has no highest bit.
struct WideParts {
  uint64_t fraction;
  int32_t exponent;
};

int32_t CountLeadingZeros64(uint64_t x) {
  const auto high = static_cast<uint32_t>(x >> 32);
  return high != 0 ? __builtin_clz(high) : 32 + __builtin_clz(static_cast<uint32_t>(x));
}

// Compares two numbers whose highest bits are at the same place.
bool IsLess(WideParts x, WideParts y) {
  return x.exponent != y.exponent ? x.exponent < y.exponent : x.fraction < y.fraction;
}

// Returns x +- y, rounded to 53 bits, ties to even, with the highest bit at 2^63. Both have 48 bits at most,
// and |x| >= |y| > 0; if bits below the last one are lost, the number is made odd, so that no rounding takes
// it for a tie.
WideParts RoundedSum(WideParts x, WideParts y, bool subtract) {
  const int32_t distance = x.exponent - y.exponent;
  const uint64_t cut = distance < 63 ? y.fraction >> distance : 0;
  const bool inexact = distance >= 63 || cut << distance != y.fraction;
  const uint64_t smaller = cut | (inexact ? 1 : 0);
  const uint64_t sum = subtract ? x.fraction - smaller : x.fraction + smaller;
  if (sum == 0) return {0, 0};
  const int32_t zeros = CountLeadingZeros64(sum);
  constexpr uint64_t kStep = uint64_t{1} << 11;
  const uint64_t shifted = sum << zeros;
  const uint64_t rest = shifted & (kStep - 1);
  WideParts result = {shifted - rest, x.exponent - zeros};
  if (rest > kStep / 2 || (rest == kStep / 2 && (result.fraction & kStep) != 0)) result.fraction += kStep;
  if (result.fraction == 0) result = {uint64_t{1} << 63, result.exponent + 1};
  return result;
}

// Returns |a * b - c| as in double arithmetic. All are finite, a and b above 0.
WideParts RoundedDifference(float a, float b, float c) {
  const FloatParts x = PartsOf(a);
  const FloatParts y = PartsOf(b);
  const FloatParts z = PartsOf(c);
  const uint64_t product = uint64_t{x.fraction} * y.fraction;  // [2^46, 2^48)
  const int32_t zeros = CountLeadingZeros64(product) - 1;
  WideParts larger = {product << zeros, x.exponent + y.exponent - zeros};
  WideParts smaller = {uint64_t{z.fraction} << 39, z.exponent - 39};
  if (z.fraction == 0) {
    smaller.exponent = larger.exponent;
  } else if (IsLess(larger, smaller)) {
    const WideParts product_parts = larger;
    larger = smaller;
    smaller = product_parts;
  }
  return RoundedSum(larger, smaller, c >= 0);
}

}  // namespace

FloatParts PartsOf(float x) { return InlinePartsOf(x); }

ScaleRatio::ScaleRatio(float input, float output, int32_t exponent) {
  const FloatParts numerator = PartsOf(input);
  const FloatParts denominator = PartsOf(output);
  input_fraction_ = numerator.fraction;
  divisor_ = denominator.fraction << 8;
  reciprocal_ = ReciprocalOf(divisor_);
  exponent_ = numerator.exponent - denominator.exponent + exponent;
}

Multiplier ScaleRatio::FractionAndShiftTimes(float factor) const {
  return InlineFractionAndShiftTimes(factor);
}

// The quotient of the difference D and the unit is rounded to double before it is compared. 0.02 is an odd
// number of its last places, so that a quotient half such a place above it is rounded upwards: the comparison
// is D < unit * (0.02 + half a place), without rounding.
bool IsProductNear(float a, float b, float c, float unit) {
  if (!(c >= -FLT_MAX && c <= FLT_MAX)) return false;
  const WideParts difference = RoundedDifference(a, b, c);
  if (difference.fraction == 0) return true;
  // 0.02 and half its last place, in units of 2^-59, times the unit's fraction: [2^76, 2^78).
  constexpr uint64_t kTolerance = 2 * uint64_t{0x147AE147AE147B} + 1;
  const FloatParts scale = PartsOf(unit);
  const uint64_t low = (kTolerance & UINT32_MAX) * scale.fraction;
  const uint64_t high = (kTolerance >> 32) * scale.fraction + (low >> 32);
  const int32_t shift = CountLeadingZeros64(high);
  const auto rest = static_cast<uint32_t>(low);
  const WideParts limit = {high << shift | rest >> (32 - shift), scale.exponent - 59 + 32 - shift};
  return IsLess(difference, limit) || (!IsLess(limit, difference) && rest << shift != 0);
}

bool AreScalesNear(float a, float b) {
  const WideParts difference = RoundedDifference(a, 1.0f, b);
  constexpr WideParts kMillionth = {uint64_t{0x10C6F7A0B5ED8D} << 11, -72 - 11};  // 1e-6
  return difference.fraction == 0 || !IsLess(kMillionth, difference);
}

Multiplier ScaleRatio::Times(float factor) const { return StopAtLargestShift(FractionAndShiftTimes(factor)); }

}  // namespace lutra
