// SPDX-License-Identifier: Apache-2.0
// Logistic function and hyperbolic tangent in fixed point, by gemmlowp's formulas.

#include "runtime/fixed_point/logistic.h"

#include "runtime/fixed_point/exp.h"
#include "runtime/fixed_point/reciprocal.h"

namespace lutra {
namespace {

constexpr int32_t kIntegerBits = 4;

// Returns -|x|, which unlike |x| exists for every x.
int32_t MinusMagnitude(int32_t x) { return x > 0 ? -x : x; }

}  // namespace

int32_t Logistic(int32_t x) {
  if (x == 0) return 1 << 30;
  const int32_t of_magnitude = OneOverOnePlusX(ExpOnNegativeValues(MinusMagnitude(x), kIntegerBits));
  return x > 0 ? of_magnitude : INT32_MAX - of_magnitude;
}

int32_t Tanh(int32_t x) {
  if (x == 0) return 0;
  // One more integer bit doubles x: tanh(x) = (1 - e^-2x) / (1 + e^-2x).
  const int32_t of_magnitude =
      OneMinusXOverOnePlusX(ExpOnNegativeValues(MinusMagnitude(x), kIntegerBits + 1));
  return x > 0 ? of_magnitude : -of_magnitude;
}

}  // namespace lutra
