// SPDX-License-Identifier: Apache-2.0
// The integer steps that every quantised kernel is made of. The rules are those of gemmlowp's
// fixedpoint and of TFLite's reference kernels, bit for bit.
//
// No argument is undefined behaviour: where the rule has no answer, sums and left shifts wrap and
// shift counts are taken modulo the width. The functions are static so that a file compiled for
// one instruction set keeps its own copy.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/multiplier.h"

namespace lutra {

// int32 arithmetic that wraps.
static inline int32_t WrappingAdd(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
static inline int32_t WrappingSubtract(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}
static inline int32_t WrappingShiftLeft(int32_t x, int32_t count) {
  return x << (count & 31);  // C++20 lets the bits fall off.
}

// Returns the number of zeros above the highest one; 32 for 0.
static inline int32_t CountLeadingZeros(uint32_t x) { return x == 0 ? 32 : __builtin_clz(x); }

// Returns how many bits below the sign bit are equal to it: x can be shifted left as far. Returns 0
// for 0.
static inline int32_t CountLeadingSignBits(int32_t x) {
  const int32_t mirrored = x ^ (x >> 31);
  return x == 0 ? 0 : CountLeadingZeros(static_cast<uint32_t>(mirrored)) - 1;
}

static inline int32_t ClampToInt8(int32_t x, int32_t min, int32_t max) {
  const int32_t raised = x < min ? min : x;
  return raised > max ? max : raised;
}

// a * b / 2^31, ties upwards: the product of two fixed-point numbers, whose integer bits add up.
// -2^31 * -2^31, the one product that does not fit, saturates.
static inline int32_t SaturatingRoundingDoublingHighMul(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  return static_cast<int32_t>((int64_t{a} * b + (1 << 30)) >> 31);
}

// SaturatingRoundingDoublingHighMul under a short name, for long formulas.
static inline int32_t HighMul(int32_t a, int32_t b) { return SaturatingRoundingDoublingHighMul(a, b); }

// x / 2^exponent, ties away from zero. An exponent outside [0, 31] gives 0.
static inline int32_t RoundingDivideByPowerOfTwo(int32_t x, int32_t exponent) {
  if (static_cast<uint32_t>(exponent) > 31) return 0;
  const uint32_t mask = (uint32_t{1} << exponent) - 1;
  const uint32_t remainder = static_cast<uint32_t>(x) & mask;
  const uint32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

// x * 2^exponent, saturated. 0 <= exponent <= 31.
static inline int32_t SaturatingShiftLeft(int32_t x, int32_t exponent) {
  const int64_t shifted = int64_t{x} << (exponent & 31);
  if (shifted > INT32_MAX) return INT32_MAX;
  return shifted < INT32_MIN ? INT32_MIN : static_cast<int32_t>(shifted);
}

// (a + b) / 2, ties away from zero.
static inline int32_t RoundingHalfSum(int32_t a, int32_t b) {
  const int64_t sum = int64_t{a} + b;
  return static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
}

// x * m, rounded twice: RoundingDivideByPowerOfTwo(SaturatingRoundingDoublingHighMul(x * 2^left,
// m), right). The domain is -31 <= shift <= 31, x * 2^shift within int32, and not both x * 2^shift
// and the value -2^31; with a negative shift and a negative value, x > -2^31 besides.
//
// In closed form, with p the product and r = -shift >= 1, the two roundings add to one division,
//   (p + 2^(30 + r) + (p < 0 ? -2^30 : 2^30)) >> (31 + r),
// and its sum can be cut after 31 bits without loss, which leaves one 64-bit addition and 32-bit
// shifts, which are quick on a small core. The sign is the product's, so that the form also holds
// for a negative value.
static inline int32_t MultiplyDoubleRounding(int32_t x, Multiplier m) {
  constexpr int64_t kHalf = int64_t{1} << 30;
  if (m.shift >= 0) {
    return static_cast<int32_t>((int64_t{WrappingShiftLeft(x, m.shift)} * m.value + kHalf) >> 31);
  }
  const int64_t product = int64_t{x} * m.value;
  // (p - 2^30) >> 31 is one less than (p + 2^30) >> 31.
  const int32_t high =
      WrappingAdd(static_cast<int32_t>((product + kHalf) >> 31), static_cast<int32_t>(product >> 63));
  // ~shift is r - 1; the last step is the rounding of the last bit.
  return WrappingAdd(high >> (~m.shift & 31), 1) >> 1;
}

// x * m, rounded once, ties upwards. The domain is -31 <= shift <= 30, value >= 0, and a result
// within int32.
static inline int32_t MultiplySingleRounding(int32_t x, Multiplier m) {
  const int64_t product = int64_t{x} * m.value;
  return static_cast<int32_t>(((product >> (WrappingSubtract(30, m.shift) & 63)) + 1) >> 1);
}

// x * m by the rule of this build.
static inline int32_t MultiplyByQuantizedMultiplier(int32_t x, Multiplier m) {
#ifdef LUTRA_SINGLE_ROUNDING
  return MultiplySingleRounding(x, m);
#else
  return MultiplyDoubleRounding(x, m);
#endif
}

// x times a multiplier, for the wide accumulators of int16 operators: they keep 16 bits of its value and
// round once in every build. The domain is -31 <= shift <= 7, |x| < 2^47 and a result within int32.
static inline int32_t MultiplyWideAccumulator(int64_t x, Multiplier m) {
  const int64_t product = static_cast<int64_t>(
      static_cast<uint64_t>(x) * static_cast<uint64_t>(int64_t{ReduceMultiplierTo16Bits(m.value)}));
  return static_cast<int32_t>(((product >> (WrappingSubtract(14, m.shift) & 63)) + 1) >> 1);
}

}  // namespace lutra
