// SPDX-License-Identifier: Apache-2.0
// The rounding rules of the int8 specification, written as plainly as possible; proofs compare kernels with
// them. They share no code with the runtime. Divisions are C's, which cut towards zero.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/multiplier.h"

namespace lutra::platforms {

// a * b / 2^31, ties upwards. The one product that does not fit saturates.
inline int32_t DefinedHighProduct(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  const int64_t product = int64_t{a} * b;
  const int64_t nudge = product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

// x / 2^exponent, ties away from zero. 0 <= exponent <= 31.
inline int32_t DefinedQuotient(int32_t x, int32_t exponent) {
  if (exponent == 0) return x;
  const int64_t magnitude = x < 0 ? -int64_t{x} : int64_t{x};
  const int64_t quotient = (magnitude + (int64_t{1} << (exponent - 1))) >> exponent;
  return static_cast<int32_t>(x < 0 ? -quotient : quotient);
}

// x times a multiplier that is not negative. x * 2^shift is within int32.
inline int32_t DefinedProduct(int32_t x, Multiplier m) {
#ifdef LUTRA_SINGLE_ROUNDING
  const int32_t bits = 31 - m.shift;
  return static_cast<int32_t>((int64_t{x} * m.value + (int64_t{1} << (bits - 1))) >> bits);
#else
  if (m.shift > 0) {
    return DefinedHighProduct(static_cast<int32_t>(x * (int64_t{1} << m.shift)), m.value);
  }
  return DefinedQuotient(DefinedHighProduct(x, m.value), -m.shift);
#endif
}

inline int32_t DefinedClamp(int64_t x, int32_t min, int32_t max) {
  return x < min ? min : x > max ? max : static_cast<int32_t>(x);
}

}  // namespace lutra::platforms
