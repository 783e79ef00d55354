// SPDX-License-Identifier: Apache-2.0
// Multipliers of products and quotients of scales, without floating point: exactly those that
// QuantizeMultiplier makes of
//
//   double{input} * double{factor} / double{output} * 2^exponent
//
// at a tenth of the instructions where double is not in hardware.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/fixed_point/multiplier.h"

namespace lutra {

// A finite float32 number above 0 is fraction * 2^exponent, with the fraction in [2^23, 2^24).
// The sign is not a part.
struct FloatParts {
  uint32_t fraction;
  int32_t exponent;
};
FloatParts PartsOf(float x);
[[gnu::always_inline]] inline FloatParts InlinePartsOf(float x) {
  uint32_t bits;
  static_assert(sizeof(bits) == sizeof(x));
  memcpy(&bits, &x, sizeof(bits));
  constexpr uint32_t kLeadingOne = uint32_t{1} << 23;
  const uint32_t fraction = bits & (kLeadingOne - 1);
  const auto biased_exponent = static_cast<int32_t>(bits >> 23 & 0xFF);
  if (biased_exponent != 0) return {fraction | kLeadingOne, biased_exponent - 150};
  const int32_t zeros = __builtin_clz(fraction | 1) - 8;
  return {fraction << zeros, -149 - zeros};
}

// The parts that the multipliers of a layer have in common.
class ScaleRatio {
 public:
  // Both are finite and above 0; |exponent| <= 100.
  ScaleRatio(float input, float output, int32_t exponent = 0);

  // Returns the multiplier of a finite factor of 0 or more, as FractionAndShift makes it.
  Multiplier FractionAndShiftTimes(float factor) const;
  // Returns it as QuantizeMultiplier makes it.
  Multiplier Times(float factor) const;
  // Does so in half of the instructions on small machines, for the loop over a layer's channels.
  [[gnu::always_inline]] Multiplier InlineTimes(float factor) const {
    return StopAtLargestShift(InlineFractionAndShiftTimes(factor));
  }

 private:
  [[gnu::always_inline]] Multiplier InlineFractionAndShiftTimes(float factor) const;

  uint32_t input_fraction_;
  uint32_t divisor_;     // The output's fraction, its highest bit at 2^31.
  uint32_t reciprocal_;  // floor((2^64 - 1) / divisor) - 2^32
  int32_t exponent_;
};

// A quotient in integers that is rounded as double arithmetic rounds it.
//
// Let p be the product of two fractions of 24 bits, which double holds exactly, and d the divisor. Shift p to
// u so that x = u / d lies in [2^31, 2^32), with q = floor(x) and the remainder r. The double that stands for
// x has steps of 2^-21, and the multiplier's value is that double / 2, rounded half up.
//   - q odd: x / 2 lies at a half or above. Halves are doubles, and rounding keeps order, so that the double
//     of x is no lower either: the value is (q + 1) / 2.
//   - q even: the value is q / 2, unless the double of x is q + 1. That is the nearest double if x is at most
//     half a step, 2^-22, below it; at exactly half a step, too, since the number of steps in q + 1 is even.
//     So the value is q / 2 + 1 if (d - r) / d <= 2^-22.
// Nothing is subnormal in double: quotients of float32 numbers lie between 2^-427 and 2^427.
[[gnu::always_inline]] inline Multiplier ScaleRatio::InlineFractionAndShiftTimes(float factor) const {
  if (!(factor > 0)) return {0, 0};
  const FloatParts parts = InlinePartsOf(factor);
  const uint32_t d = divisor_;
  uint64_t u = uint64_t{input_fraction_} * parts.fraction << 15;
  int32_t shift = exponent_ + parts.exponent + 25;
  // From [2^61, 2^63) to [2^31 * d, 2^32 * d): d ends in eight zeros, so that the high words tell.
  while (static_cast<uint32_t>(u >> 32) < d >> 1) {
    u <<= 1;
    --shift;
  }

  // Division of two words by one (Moeller, Granlund: Improved division by invariant integers).
  const auto u1 = static_cast<uint32_t>(u >> 32);
  const uint64_t estimate = uint64_t{reciprocal_} * u1 + u;
  const auto low = static_cast<uint32_t>(estimate);
  uint32_t q = static_cast<uint32_t>(estimate >> 32) + 1;
  uint32_t r = static_cast<uint32_t>(u) - q * d;
  if (r > low) {
    --q;
    r += d;
  }
  if (r >= d) {
    ++q;
    r -= d;
  }

  const bool up = (q & 1) != 0 || uint64_t{d - r} << 22 <= d;
  uint32_t value = (q >> 1) + (up ? 1 : 0);
  if (value == uint32_t{1} << 31) {
    value >>= 1;
    ++shift;
  }
  if (shift < -31) return {0, 0};
  return {static_cast<int32_t>(value), shift};
}

// Returns whether double arithmetic finds |a * b - c| / unit <= 0.02; false if c is infinite or NaN. a, b and
// unit are finite and above 0.
bool IsProductNear(float a, float b, float c, float unit);
// Returns whether double arithmetic finds |a - b| <= 1e-6. Both are finite and above 0.
bool AreScalesNear(float a, float b);

}  // namespace lutra
