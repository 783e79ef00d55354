// SPDX-License-Identifier: Apache-2.0
// Rows of int16 times a matrix of int8:
//
//   output[r, o] = clamp(output_offset + multiplier[o] * (bias[o] +
//                    sum over d of (input[r, d] + input_offset) * weights[o, d]))
//
// Sums have the widths that conv_2d_int16.h describes.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_2d_int16/conv_2d_int16.h"
#include "lutra/kernels/rows.h"

namespace lutra {

struct FullyConnectedInt16Args {
  int32_t depth;
  int32_t channels;
  int32_t input_offset;   // Minus the input's zero point.
  int32_t output_offset;  // The output's zero point.
  int16_t activation_min;
  int16_t activation_max;
  bool wide;              // Sums have 64 bits.
  bool one_multiplier;    // For all channels.
  const int8_t* weights;  // [channels, depth]
  Int16Bias bias;
  const Multiplier* multipliers;  // [channels] or one.
};

using FullyConnectedInt16Fn = RowsFn<FullyConnectedInt16Args>;

Kernel<FullyConnectedInt16Fn> FullyConnectedInt16Ref;

inline constexpr Variant<FullyConnectedInt16Fn> kFullyConnectedInt16[] = {
    {"ref", kCpuAny, FullyConnectedInt16Ref}};

}  // namespace lutra
