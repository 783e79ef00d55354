// SPDX-License-Identifier: Apache-2.0
// The int16 steps of HARD_SWISH. The rules are those of gemmlowp's fixedpoint and of TFLite's
// reference kernel. RoundingDivideByPowerOfTwo serves int16 as it is.

#pragma once

#include <stdint.h>

namespace lutra {

static inline int16_t SaturateToInt16(int32_t x) {
  if (x > INT16_MAX) return INT16_MAX;
  return x < INT16_MIN ? INT16_MIN : static_cast<int16_t>(x);
}

// Returns a * b / 2^15, ties upwards. -2^15 * -2^15, the only product that does not fit, saturates.
static inline int16_t SaturatingRoundingDoublingHighMul(int16_t a, int16_t b) {
  return SaturateToInt16((int32_t{a} * b + (1 << 14)) >> 15);
}

// Returns a * b / 2^15, rounded towards zero; the only product that does not fit saturates.
static inline int16_t SaturatingDoublingHighMul(int16_t a, int16_t b) {
  return SaturateToInt16(int32_t{a} * b / (1 << 15));
}

// Returns x * 2^exponent, saturated. An exponent outside [0, 15] counts as 15: all numbers but 0 have
// saturated then, or, for -1, reached the end of the range.
static inline int16_t SaturatingShiftLeft(int16_t x, int32_t exponent) {
  return SaturateToInt16(int32_t{x} << (static_cast<uint32_t>(exponent) > 15 ? 15 : exponent));
}

}  // namespace lutra
