// SPDX-License-Identifier: Apache-2.0
// Division by Newton's method, by the rules of gemmlowp's fixedpoint and TFLite's GetReciprocal.

#pragma once

#include <stdint.h>

namespace lutra {

// Returns 1 / (1 + x) for x in [0, 1), both in Q0.31. For other x the result is meaningless.
int32_t OneOverOnePlusX(int32_t x);

// Returns (1 - x) / (1 + x) for x in [0, 1), both in Q0.31. For other x the result is meaningless.
int32_t OneMinusXOverOnePlusX(int32_t x);

// 1 / x = value * 2^-(31 + bits).
struct Reciprocal {
  int32_t value;
  int32_t bits;
};

// For x > 0 with integer_bits before the point. The value is in about [2^30, 2^31). For other x the result is
// meaningless.
Reciprocal GetReciprocal(int32_t x, int32_t integer_bits);

}  // namespace lutra
