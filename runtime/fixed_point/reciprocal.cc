// SPDX-License-Identifier: Apache-2.0
// 1 / x for x in [1, 2), by Newton's division.

#include "runtime/fixed_point/reciprocal.h"

#include "lutra/fixed_point/fixed_point.h"

namespace lutra {
namespace {

constexpr int32_t kOneInQ2 = 1 << 29;

// Returns 2 / (1 + x) in Q2.29, for x in Q0.31: Newton's method from 48/17 - 32/17 * (1 + x) / 2.
int32_t TwoOverOnePlusX(int32_t x) {
  constexpr int32_t k48Over17 = 1515870810;
  constexpr int32_t kMinus32Over17 = -1010580540;
  const int32_t half_denominator = RoundingHalfSum(x, INT32_MAX);
  int32_t result = WrappingAdd(k48Over17, HighMul(half_denominator, kMinus32Over17));
  for (int i = 0; i < 3; ++i) {
    const int32_t error = WrappingSubtract(kOneInQ2, HighMul(half_denominator, result));
    // The product is in Q4.27.
    result = WrappingAdd(result, SaturatingShiftLeft(HighMul(result, error), 2));
  }
  return result;
}

}  // namespace

int32_t OneOverOnePlusX(int32_t x) {
  // Half of Q2.29 is the same number in Q1.30.
  return SaturatingShiftLeft(TwoOverOnePlusX(x), 1);
}

int32_t OneMinusXOverOnePlusX(int32_t x) {
  return SaturatingShiftLeft(WrappingSubtract(TwoOverOnePlusX(x), kOneInQ2), 2);
}

Reciprocal GetReciprocal(int32_t x, int32_t integer_bits) {
  const int32_t headroom = CountLeadingZeros(static_cast<uint32_t>(x));
  // x is (1 + f) * 2^(31 - headroom): f in Q0.31 is x without its highest bit.
  const int32_t f = WrappingAdd(WrappingShiftLeft(x, headroom), INT32_MIN);
  return {OneOverOnePlusX(f), integer_bits - headroom};
}

}  // namespace lutra
