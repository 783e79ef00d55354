// SPDX-License-Identifier: Apache-2.0
// The steps of int8 convolutions on int32 sums, one per output channel. Sums wrap, hence their
// unsigned type. For the kernels' .cc files: the functions are static so that a file compiled for
// one instruction set keeps its own copy.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/conv_shape.h"

namespace lutra {

// Adds to sums[0..3] the products of `values` with four filters that lie `filter_stride` apart.
// |value| <= 255 and count <= 65536, so that the products alone stay within int32; sums wrap.
static inline void AddFourDotProducts(const int16_t* values, int32_t count, const int8_t* filter,
                                      int32_t filter_stride, uint32_t* sums) {
  const int8_t* filter1 = filter + filter_stride;
  const int8_t* filter2 = filter1 + filter_stride;
  const int8_t* filter3 = filter2 + filter_stride;
  int32_t sum0 = 0;
  int32_t sum1 = 0;
  int32_t sum2 = 0;
  int32_t sum3 = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int16_t value = values[i];
    sum0 += value * static_cast<int16_t>(filter[i]);
    sum1 += value * static_cast<int16_t>(filter1[i]);
    sum2 += value * static_cast<int16_t>(filter2[i]);
    sum3 += value * static_cast<int16_t>(filter3[i]);
  }
  sums[0] += static_cast<uint32_t>(sum0);
  sums[1] += static_cast<uint32_t>(sum1);
  sums[2] += static_cast<uint32_t>(sum2);
  sums[3] += static_cast<uint32_t>(sum3);
}

// The sum of the products of `values` with one filter.
static inline uint32_t DotProduct(const int16_t* values, int32_t count, const int8_t* filter) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += values[i] * static_cast<int16_t>(filter[i]);
  return static_cast<uint32_t>(sum);
}

// Adds to sums[0..channels) the products of `values` with as many filters.
static inline void AddDotProducts(const int16_t* values, int32_t count, const int8_t* filter,
                                  int32_t filter_stride, int32_t channels, uint32_t* sums) {
  int32_t c = 0;
  for (; c + 4 <= channels; c += 4, filter += 4 * static_cast<intptr_t>(filter_stride)) {
    AddFourDotProducts(values, count, filter, filter_stride, sums + c);
  }
  for (; c < channels; ++c, filter += filter_stride) sums[c] += DotProduct(values, count, filter);
}

// to[i] = from[i] + offset.
static inline void Widen(const int8_t* __restrict from, int32_t count, int16_t offset,
                         int16_t* __restrict to) {
  for (int32_t i = 0; i < count; ++i) to[i] = static_cast<int16_t>(from[i] + offset);
}

// Sums of output channels [first, first + count) before any product. `bias` may be null.
static inline void StartSums(const int32_t* bias, int32_t first, int32_t count, uint32_t* sums) {
  for (int32_t i = 0; i < count; ++i) {
    sums[i] = bias != nullptr ? static_cast<uint32_t>(bias[first + i]) : 0;
  }
}

// The int8 results of finished sums. Not inline: the loop needs all registers.
__attribute__((noinline, unused)) static void StoreSums(const uint32_t* sums, const Multiplier* multipliers,
                                                        int32_t count, const ConvQuantization& quantization,
                                                        int8_t* output) {
  const int32_t offset = quantization.output_offset;
  const int32_t min = quantization.activation_min;
  const int32_t max = quantization.activation_max;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t scaled = MultiplyByQuantizedMultiplier(static_cast<int32_t>(sums[i]), multipliers[i]);
    output[i] = static_cast<int8_t>(ClampToInt8(WrappingAdd(scaled, offset), min, max));
  }
}

}  // namespace lutra
