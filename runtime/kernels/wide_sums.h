// SPDX-License-Identifier: Apache-2.0
// The steps of layers of int16 on sums of 64 bits. For the kernels' .cc files.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/conv_2d_int16/conv_2d_int16.h"

namespace lutra {

static inline int64_t BiasOf(const Int16Bias& bias, int32_t channel) {
  if (bias.values == nullptr) return 0;
  if (bias.element_bytes == 2) return static_cast<const int16_t*>(bias.values)[channel];
  if (bias.element_bytes == 4) return static_cast<const int32_t*>(bias.values)[channel];
  return static_cast<const int64_t*>(bias.values)[channel];
}

// Returns the sum of the products of `values`, each plus `offset`, with one filter.
static inline int64_t WideDotProduct(const int16_t* values, const int8_t* filter, int32_t count,
                                     int32_t offset = 0) {
  constexpr int32_t kPart = 128;  // The sum of this many products of 24 bits fits int32.
  int64_t sum = 0;
  for (int32_t first = 0; first < count; first += kPart) {
    const int32_t end = count - first < kPart ? count : first + kPart;
    int32_t part = 0;
    for (int32_t i = first; i < end; ++i) part += (values[i] + offset) * filter[i];
    sum += part;
  }
  return sum;
}

// Returns a finished sum times its multiplier.
static inline int32_t ScaledSum(int64_t sum, Multiplier multiplier, bool wide) {
  return wide ? MultiplyWideAccumulator(sum, multiplier)
              : MultiplyByQuantizedMultiplier(static_cast<int32_t>(sum), multiplier);
}

static inline int16_t ClampToInt16(int32_t code, int32_t min, int32_t max) {
  return static_cast<int16_t>(code < min ? min : code > max ? max : code);
}

}  // namespace lutra
