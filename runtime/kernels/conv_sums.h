// SPDX-License-Identifier: Apache-2.0
// The steps of int8 convolutions on int32 sums, one for each output channel. Sums are unsigned, as they wrap.
// For the reference kernels, and others that compute some of their outputs by the rule.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/conv_shape.h"

namespace lutra {

// Adds to sums[0..channels) the products of `values` with `channels` filters, which are `filter_stride`
// apart. |value| <= 255 and count <= 65536, so that the products alone fit int32; sums wrap.
void AddDotProducts(const int16_t* values, int32_t count, const int8_t* filter, int32_t filter_stride,
                    int32_t channels, uint32_t* sums);

// to[i] = from[i] + offset.
static inline void Widen(const int8_t* __restrict from, int32_t count, int16_t offset,
                         int16_t* __restrict to) {
  for (int32_t i = 0; i < count; ++i) to[i] = static_cast<int16_t>(from[i] + offset);
}

// Sets the sums of output channels [first, first + count) to their biases, or to 0 if `bias` is null.
void StartSums(const int32_t* bias, int32_t first, int32_t count, uint32_t* sums);

// Stores the int8 results of finished sums.
void StoreSums(const uint32_t* sums, const Multiplier* multipliers, int32_t count,
               const ConvQuantization& quantization, int8_t* output);

}  // namespace lutra
