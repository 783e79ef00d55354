// SPDX-License-Identifier: Apache-2.0
// Convolutions of int16 by int8 weights, in groups, channel by channel, or transposed:
//
//   output[y, x, o] = clamp(multiplier[o] * (bias[o] +
//                       sum over ky, kx, c of input[iy, ix, g + c] * filter[...]))
//
// Zero points are 0. (iy, ix) are as in conv_shape.h, or transposed as in transpose_conv.h. Layouts of
// filters and of groups are those of conv_2d_uint8.h; transposed, filter[o, ky, kx, c].
//
// Sums have 64 bits, and are multiplied by 16 bits of the multiplier (MultiplyWideAccumulator); or they wrap
// in int32 and are multiplied as in int8. The model determines the width.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"

namespace lutra {

// Biases of one of three types, [channel_count] or null.
struct Int16Bias {
  const void* values;
  int32_t element_bytes;  // 2, 4 or 8.
};

struct Conv2DInt16Args {
  const ConvShape* shape;
  int32_t first_channel;  // conv_shape.h says which channels a call makes.
  int32_t channel_count;
  int16_t activation_min;
  int16_t activation_max;
  bool depthwise;
  bool wide;  // Sums have 64 bits.
  const int8_t* filter;
  Int16Bias bias;
  const Multiplier* multipliers;  // [channel_count]
};

using Conv2DInt16Fn = RowsFn<Conv2DInt16Args>;

Kernel<Conv2DInt16Fn> Conv2DInt16Ref, TransposeConvInt16Ref;

inline constexpr Variant<Conv2DInt16Fn> kConv2DInt16[] = {{"ref", kCpuAny, Conv2DInt16Ref}};
// `depthwise` is false.
inline constexpr Variant<Conv2DInt16Fn> kTransposeConvInt16[] = {{"ref", kCpuAny, TransposeConvInt16Ref}};

}  // namespace lutra
