// SPDX-License-Identifier: Apache-2.0
// 1 / sqrt(x) by Newton's iteration, as TFLite computes it.

#include "runtime/fixed_point/inverse_sqrt.h"

#include "lutra/fixed_point/fixed_point.h"

namespace lutra {
Multiplier InverseSqrtMultiplier(int32_t x) {
  if (x <= 1) return {INT32_MAX, 0};

  // x is shifted by an even number of bits into [2^27, 2^29), which is [1/4, 1) in Q3.28 once halved.
  int32_t right_shift = 11;
  for (; x >= 1 << 29; ++right_shift) x /= 4;
  const int32_t bit_pairs = (CountLeadingZeros(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  right_shift -= bit_pairs;
  x = WrappingShiftLeft(x, 2 * bit_pairs);

  // Newton's method in Q3.28: r = 3/2 * r - x/2 * r^3.
  constexpr int32_t kOne = 1 << 28;
  constexpr int32_t kThreeHalves = kOne + (kOne >> 1);
  constexpr int32_t kSqrtHalf = 1518500250;  // In Q0.31: makes up for halving x.
  const int32_t half = RoundingDivideByPowerOfTwo(x >> 1, 1);
  int32_t r = kOne;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube = SaturatingShiftLeft(HighMul(HighMul(r, r), r), 6);
    r = SaturatingShiftLeft(WrappingSubtract(HighMul(kThreeHalves, r), HighMul(half, cube)), 3);
  }

  const int32_t value = HighMul(r, kSqrtHalf);
  if (right_shift < 0) return {WrappingShiftLeft(value, -right_shift), 0};
  return {value, -right_shift};
}

}  // namespace lutra
