// SPDX-License-Identifier: Apache-2.0
// Converts a real factor to a multiplier and a shift.

#include "lutra/fixed_point/multiplier.h"

#include <string.h>

namespace lutra {

Multiplier FractionAndShift(double real) {
  uint64_t bits;
  static_assert(sizeof(bits) == sizeof(real));
  memcpy(&bits, &real, sizeof(bits));
  const int32_t biased_exponent = static_cast<int32_t>((bits >> 52) & 0x7FF);
  // Subnormal numbers are far below 2^-32, so the exponent alone tells zero and them from the rest.
  if (biased_exponent == 0 || biased_exponent == 0x7FF) return {0, 0};

  // |real| = fraction / 2^53 * 2^shift, with the fraction in [2^52, 2^53).
  const uint64_t fraction = (bits & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
  int32_t shift = biased_exponent - 1022;
  int64_t value = static_cast<int64_t>((fraction + (uint64_t{1} << 21)) >> 22);
  if ((bits >> 63) != 0) value = -value;
  // Only the positive end does not fit int32: -2^31 stays as it is.
  if (value == int64_t{1} << 31) {
    value /= 2;
    ++shift;
  }
  if (shift < -31) return {0, 0};
  return {static_cast<int32_t>(value), shift};
}

Multiplier QuantizeMultiplier(double real) { return StopAtLargestShift(FractionAndShift(real)); }

int32_t ReduceMultiplierTo16Bits(int32_t value) {
  const int32_t reduced = static_cast<int32_t>((int64_t{value} + (1 << 15)) >> 16);
  return reduced > INT16_MAX ? INT16_MAX : reduced;
}

int32_t CalculateInputRadius(int32_t integer_bits, int32_t left_shift, int32_t total_bits) {
  const int64_t range = ((int64_t{1} << integer_bits) - 1) << (total_bits - integer_bits);
  if (left_shift >= 0) return left_shift > 31 ? 0 : static_cast<int32_t>(range >> left_shift);
  if (range == 0) return 0;
  if (left_shift < -31) return INT32_MAX;
  const int64_t radius = range << -left_shift;
  return radius > INT32_MAX ? INT32_MAX : static_cast<int32_t>(radius);
}

}  // namespace lutra
