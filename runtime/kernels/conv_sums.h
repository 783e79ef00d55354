// SPDX-License-Identifier: Apache-2.0
// The steps of 8-bit convolutions on int32 sums, one per output channel. Sums wrap, hence their
// unsigned type. For the kernels' .cc files: the functions are static so that a file compiled for
// one instruction set keeps its own copy.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/conv_shape.h"

namespace lutra {

// How a weight is multiplied: one of int8 as it is, one of uint8 without its zero point.
struct PlainWeights {
  [[gnu::always_inline]] int16_t operator()(int8_t weight) const { return weight; }
};
struct OffsetWeights {
  int16_t offset;  // Minus the zero point.
  [[gnu::always_inline]] int16_t operator()(uint8_t weight) const {
    return static_cast<int16_t>(weight + offset);
  }
};

// Adds to sums[0..3] the products of `values` with four filters that lie `filter_stride` apart.
// |value| <= 255 and count <= 65536, for uint8 32768, so that the products alone stay within int32; sums
// wrap.
template <typename Weight, typename Read>
static inline void AddFourDotProducts(const int16_t* values, int32_t count, const Weight* filter,
                                      int32_t filter_stride, Read read, uint32_t* sums) {
  const Weight* filter1 = filter + filter_stride;
  const Weight* filter2 = filter1 + filter_stride;
  const Weight* filter3 = filter2 + filter_stride;
  int32_t sum0 = 0;
  int32_t sum1 = 0;
  int32_t sum2 = 0;
  int32_t sum3 = 0;
  // Counted by the address, which a microcontroller needs anyway.
  for (const Weight* const end = filter + count; filter != end; ++filter) {
    const int16_t value = *values++;
    sum0 += value * read(*filter);
    sum1 += value * read(*filter1++);
    sum2 += value * read(*filter2++);
    sum3 += value * read(*filter3++);
  }
  sums[0] += static_cast<uint32_t>(sum0);
  sums[1] += static_cast<uint32_t>(sum1);
  sums[2] += static_cast<uint32_t>(sum2);
  sums[3] += static_cast<uint32_t>(sum3);
}

// The sum of the products of `values` with one filter.
template <typename Weight, typename Read>
static inline uint32_t DotProduct(const int16_t* values, int32_t count, const Weight* filter, Read read) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += values[i] * read(filter[i]);
  return static_cast<uint32_t>(sum);
}

// Adds to sums[0..channels) the products of `values` with as many filters.
template <typename Weight, typename Read>
static inline void AddDotProducts(const int16_t* values, int32_t count, const Weight* filter,
                                  int32_t filter_stride, int32_t channels, Read read, uint32_t* sums) {
  int32_t c = 0;
  for (; c + 4 <= channels; c += 4, filter += 4 * static_cast<intptr_t>(filter_stride)) {
    AddFourDotProducts(values, count, filter, filter_stride, read, sums + c);
  }
  for (; c < channels; ++c, filter += filter_stride) sums[c] += DotProduct(values, count, filter, read);
}
static inline void AddDotProducts(const int16_t* values, int32_t count, const int8_t* filter,
                                  int32_t filter_stride, int32_t channels, uint32_t* sums) {
  AddDotProducts(values, count, filter, filter_stride, channels, PlainWeights(), sums);
}

// to[i] = from[i] + offset.
template <typename Value>
static inline void Widen(const Value* __restrict from, int32_t count, int16_t offset,
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
