// SPDX-License-Identifier: Apache-2.0
// Multiplier: a real factor as a 32-bit fraction and a shift; prepare makes it.

#pragma once

#include <stdint.h>

namespace lutra {

// The real number value * 2^(shift - 31): value is in Q0.31, a positive shift goes left.
struct Multiplier {
  int32_t value;
  int32_t shift;
};
static_assert(sizeof(Multiplier) == 8);

// Returns the multiplier nearest to `real`, with a value in [2^30, 2^31 - 1] or, for a negative real, [-2^31,
// -2^30]; ties are rounded away from zero. Zero, magnitudes below 2^-32 and numbers that are not finite give
// {0, 0}: callers refuse the last before. From 2^31 on, the shift exceeds what MultiplyByQuantizedMultiplier
// takes, except in a single-rounding build, which stops at {2^31 - 1, 30}. The rule is that of TFLite's
// quantization_util. Needs no libm.
Multiplier QuantizeMultiplier(double real);
// Does the same without the stop of single-rounding builds: frexp, as LOGISTIC and TANH use it.
Multiplier FractionAndShift(double real);
// Stops a multiplier of FractionAndShift where QuantizeMultiplier stops.
static inline Multiplier StopAtLargestShift(Multiplier m) {
#ifdef LUTRA_SINGLE_ROUNDING
  if (m.shift > 30) return {INT32_MAX, 30};
#endif
  return m;
}

// Returns the 16 bits of a value in Q0.31 that the int16 pipelines use, as Q0.15: rounded to nearest, ties
// upwards, at most 32767.
int32_t ReduceMultiplierTo16Bits(int32_t value);

// Returns the largest |x| for which x * 2^left_shift fits a signed fixed-point number of total_bits fraction
// and integer bits, integer_bits of them before the point; the last unit before the point is left out, as in
// TFLite's CalculateInputRadius. 0 <= integer_bits <= total_bits <= 31; a negative left_shift saturates.
int32_t CalculateInputRadius(int32_t integer_bits, int32_t left_shift, int32_t total_bits = 31);

}  // namespace lutra
