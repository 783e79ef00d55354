// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the uint8 convolution: those of its int8 relatives, with zero
// points of the weights. Needs no C++ library.

#pragma once

#include "lutra/kernels/conv_2d_uint8/conv_2d_uint8.h"
#include "runtime/kernels/conv_2d/conv_2d_cases.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_cases.h"

namespace lutra {

// At both ends, in the middle, and beside it.
inline constexpr int32_t kWeightZeroPoints[] = {0, 1, 127, 128, 255};

static inline int32_t FilterBytes(const ConvShape& shape, bool depthwise) {
  return shape.filter_height * shape.filter_width * shape.out_channels *
         (depthwise ? 1 : shape.filter_channels);
}

// The case's zero points and clamps are those of int8.
static inline Uint8Quantization QuantizationOf(const ConvCase& c, int32_t weight_zero_point) {
  return {static_cast<int16_t>(-c.input_zero_point - 128), static_cast<int16_t>(-weight_zero_point),
          static_cast<int16_t>(c.output_zero_point + 128), static_cast<uint8_t>(c.activation_min + 128),
          static_cast<uint8_t>(c.activation_max + 128)};
}

}  // namespace lutra
