// SPDX-License-Identifier: Apache-2.0
// Rows times a matrix in the older scheme, uint8 with a zero point of the weights:
//
//   output[r, o] = clamp(output_offset + round(factor * (bias[o] +
//                    sum over d of (input[r, d] + input_offset) * (weights[o, d] + filter_offset))))
//
// The factor is a double, and halves are rounded away from zero: the rule of LiteRT's reference kernel, its
// only kernel for these codes. Sums wrap in int32.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/kernels/conv_2d_uint8/conv_2d_uint8.h"
#include "lutra/kernels/rows.h"

namespace lutra {

struct FullyConnectedUint8Args {
  int32_t depth;
  int32_t channels;
  Uint8Quantization quantization;
  const uint8_t* weights;  // [channels, depth]
  const int32_t* bias;     // [channels] or null.
  double factor;           // 0 <= factor < 2^31
};

using FullyConnectedUint8Fn = RowsFn<FullyConnectedUint8Args>;

Kernel<FullyConnectedUint8Fn> FullyConnectedUint8Ref;

inline constexpr Variant<FullyConnectedUint8Fn> kFullyConnectedUint8[] = {
    {"ref", kCpuAny, FullyConnectedUint8Ref}};

}  // namespace lutra
