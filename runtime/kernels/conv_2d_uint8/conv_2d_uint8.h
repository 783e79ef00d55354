// SPDX-License-Identifier: Apache-2.0
// Convolution of the older scheme, uint8 with a zero point of the weights, in groups or channel by channel:
//
//   output[y, x, o] = clamp(output_offset + multiplier * (bias[o] +
//                       sum over ky, kx, c of (input[iy, ix, g + c] + input_offset) * (filter[...] +
//                       filter_offset)))
//
// with (iy, ix) as in conv_shape.h. Two layouts of filters:
//   grouped    filter[o, ky, kx, c] and g the first channel of o's group, as conv_2d.h says
//   depthwise  filter[ky, kx, o], filter_channels 1 and g = o / (out_channels / in_channels)
//
// Sums wrap in int32.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"

namespace lutra {

// Says how a layer of uint8 with weights reads its operands and writes its output.
struct Uint8Quantization {
  int16_t input_offset;   // Minus the input's zero point.
  int16_t filter_offset;  // Minus the zero point of the weights.
  int16_t output_offset;  // The output's zero point.
  uint8_t activation_min;
  uint8_t activation_max;
};

struct Conv2DUint8Args {
  const ConvShape* shape;
  int32_t first_channel;  // conv_shape.h says which channels a call makes.
  int32_t channel_count;
  Uint8Quantization quantization;
  bool depthwise;
  const uint8_t* filter;
  const int32_t* bias;  // [channel_count] or null.
  Multiplier multiplier;
};

using Conv2DUint8Fn = RowsFn<Conv2DUint8Args>;

Kernel<Conv2DUint8Fn> Conv2DUint8Ref;

inline constexpr Variant<Conv2DUint8Fn> kConv2DUint8[] = {{"ref", kCpuAny, Conv2DUint8Ref}};

}  // namespace lutra
