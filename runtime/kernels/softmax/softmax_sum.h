// SPDX-License-Identifier: Apache-2.0
// The sum of exponentials, for SOFTMAX and LOG_SOFTMAX.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/fixed_point/exp.h"

namespace lutra {

static inline int32_t MaxOfRow(const int8_t* row, int32_t depth) {
  int8_t max = row[0];
  for (int32_t i = 1; i < depth; ++i) max = row[i] > max ? row[i] : max;
  return max;
}

// Returns e^(x * multiplier) in Q0.31, for diff_min <= x <= 0.
static inline int32_t ExpOfDifference(int32_t x, Multiplier multiplier) {
  return ExpOnNegativeValues(MultiplyByQuantizedMultiplier(x, multiplier), 5);
}

// Returns the sum of a row's exponentials, in Q12.19, saturated.
static inline int32_t SumOfExp(const int8_t* row, int32_t depth, int32_t max, Multiplier multiplier,
                               int32_t diff_min) {
  int64_t sum = 0;
  for (int32_t i = 0; i < depth; ++i) {
    const int32_t difference = row[i] - max;
    if (difference >= diff_min) {
      sum += RoundingDivideByPowerOfTwo(ExpOfDifference(difference, multiplier), 12);
    }
  }
  return sum > INT32_MAX ? INT32_MAX : static_cast<int32_t>(sum);
}

}  // namespace lutra
