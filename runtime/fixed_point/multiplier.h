// SPDX-License-Identifier: Apache-2.0
// Multiplier: a real factor as a 32-bit fraction and a shift, and how prepare makes one.

#pragma once

#include <stdint.h>

namespace lutra {

// The real number value * 2^(shift - 31): value is in Q0.31, a positive shift goes left.
struct Multiplier {
  int32_t value;
  int32_t shift;
};
static_assert(sizeof(Multiplier) == 8);

// The multiplier nearest to real, its value in [2^30, 2^31 - 1] or, for a negative real,
// [-2^31, -2^30]; ties go away from zero. Zero, magnitudes below 2^-32 and what is not finite give
// {0, 0}: callers refuse the last before they come here. From 2^31 on, the shift exceeds what
// MultiplyByQuantizedMultiplier takes, except in a single-rounding build, which stops at
// {2^31 - 1, 30}. The rule is that of TFLite's quantization_util. Needs no libm.
Multiplier QuantizeMultiplier(double real);
// QuantizeMultiplier without the stop of single-rounding builds: frexp, as LOGISTIC and TANH use it.
Multiplier FractionAndShift(double real);
// A multiplier as FractionAndShift makes it, stopped where QuantizeMultiplier stops.
static inline Multiplier StopAtLargestShift(Multiplier m) {
#ifdef LUTRA_SINGLE_ROUNDING
  if (m.shift > 30) return {INT32_MAX, 30};
#endif
  return m;
}

// The 16 bits of a value in Q0.31 that the int16 pipelines keep, as Q0.15: rounded to nearest, ties
// upwards, at most 32767.
int32_t ReduceMultiplierTo16Bits(int32_t value);

// The largest |x| for which x * 2^left_shift still fits a signed fixed-point number of total_bits
// fraction and integer bits, integer_bits of them before the point; the last unit before the point
// is left out, as TFLite's CalculateInputRadius has it. 0 <= integer_bits <= total_bits <= 31; a
// negative left_shift saturates.
int32_t CalculateInputRadius(int32_t integer_bits, int32_t left_shift, int32_t total_bits = 31);

}  // namespace lutra
