// SPDX-License-Identifier: Apache-2.0
// Defines the arithmetic of the int8 specification, in wide integers and as plainly as possible. It shares no
// code with the runtime, so that one can check the other.
//
//   const Multiplier m = QuantizeMultiplier(double{s_in} * s_w / s_out);
//   code = Clamp(Scale(acc, m, Rounding::kDouble) + z_out, -128, 127);
//
// Rules of runtimes are given by their names in arithmetic_rule.h. Sources: the reference kernels of
// TensorFlow Lite Micro (commit 90b983c2b) and LiteRT, gemmlowp's fixedpoint.h.

#pragma once

#include <cstdint>

namespace lutra::conformance::oracle {

// The rounding of a requantisation, after the product of 64 bits.
enum class Rounding : uint8_t {
  kDouble,    // DR: to 31 bits, ties up; then by the shift, ties away from zero.
  kSingle,    // SR: once, ties up.
  kDoubleUp,  // DRU: as DR, but the second step has its ties up.
};

// Stands for value * 2^(shift - 31).
struct Multiplier {
  int64_t value = 0;
  int shift = 0;
};

// Returns for d >= 0 a value in [2^30, 2^31), or 0 if d < 2^-32. Builds with single rounding saturate at
// 2^30.
Multiplier QuantizeMultiplier(double d, Rounding rounding = Rounding::kDouble);

// Returns the int32 with the same low bits: kernels keep sums in int32, which wrap.
int64_t Wrap32(int64_t x);
// floor((a * b + 2^30) / 2^31), gemmlowp's SaturatingRoundingDoublingHighMul.
int64_t HighMul(int64_t a, int64_t b);
// x / 2^exponent, ties away from zero: RoundingDivideByPOT.
int64_t DivideByPowerOfTwo(int64_t x, int exponent);
// MultiplyByQuantizedMultiplier of an int32; a left shift or a result that exceeds int32 wraps, too.
int64_t Scale(int64_t x, Multiplier multiplier, Rounding rounding);

int64_t Clamp(int64_t x, int64_t low, int64_t high);
// Both round to an integer: halves away from zero, or to even.
int64_t RoundAway(double x);
int64_t RoundEven(float x);

// ---- gemmlowp's fixed-point functions. Qi.f: raw = real * 2^f, i + f = 31.

// exp(a) for a <= 0 in Q(integer_bits), as Q0.31.
int64_t ExpOnNegative(int64_t a, int integer_bits);
// 1 / (1 + a) and (1 - a) / (1 + a) for a in [0, 1), Q0.31 both.
int64_t OneOverOnePlus(int64_t a);
int64_t OneMinusOverOnePlus(int64_t a);
// The function of a in Q4.27, as Q0.31.
int64_t Logistic(int64_t a);
int64_t Tanh(int64_t a);
// log(x) for x >= 1 in Q12.19, as Q5.26.
int64_t LogOfAtLeastOne(int64_t x);

// 1 / x for x > 0 with `integer_bits`, in Q0.31, to be shifted right by `shift` more.
struct Reciprocal {
  int64_t value;
  int shift;
};
Reciprocal ReciprocalOf(int64_t x, int integer_bits);
// Returns 1 / sqrt(x); the shift is as in Multiplier.
Multiplier InverseSqrt(int64_t x);
// Returns the largest input of a table function: floor((2^integer_bits - 1) * 2^(31 - integer_bits -
// left_shift)).
int64_t InputRadius(int integer_bits, int left_shift);

// Returns the number of leading zeros of x, taken as 32 bits.
int LeadingZeros(int64_t x);
// x * 2^exponent for exponent >= 0, saturated to int32.
int64_t SaturatingShiftLeft(int64_t x, int exponent);

}  // namespace lutra::conformance::oracle
