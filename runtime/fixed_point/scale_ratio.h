// SPDX-License-Identifier: Apache-2.0
// Multipliers of products and quotients of scales, without floating point: exactly those that
// QuantizeMultiplier makes of
//
//   double{input} * double{factor} / double{output} * 2^exponent
//
// at a tenth of the instructions where double is not in hardware.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/multiplier.h"

namespace lutra {

// A finite float32 number above 0 is fraction * 2^exponent, with the fraction in [2^23, 2^24).
// The sign is not a part.
struct FloatParts {
  uint32_t fraction;
  int32_t exponent;
};
FloatParts PartsOf(float x);

// The parts that the multipliers of a layer have in common.
class ScaleRatio {
 public:
  // Both are finite and above 0; |exponent| <= 100.
  ScaleRatio(float input, float output, int32_t exponent = 0);

  // The multiplier of a finite factor of 0 or more, as FractionAndShift makes it.
  Multiplier FractionAndShiftTimes(float factor) const;
  // As QuantizeMultiplier makes it.
  Multiplier Times(float factor) const;

 private:
  uint32_t input_fraction_;
  uint32_t divisor_;     // The output's fraction, its highest bit at 2^31.
  uint32_t reciprocal_;  // floor((2^64 - 1) / divisor) - 2^32
  int32_t exponent_;
};

// Returns whether double arithmetic finds |a * b - c| / unit <= 0.02. a, b and unit are finite and above 0;
// no c is near that is infinite or NaN.
bool IsProductNear(float a, float b, float c, float unit);
// Returns whether double arithmetic finds |a - b| <= 1e-6. Both are finite and above 0.
bool AreScalesNear(float a, float b);

}  // namespace lutra
