// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the uint8 convolution, made from those of int8, with zero points
// of the weights. Needs no C++ library.

#pragma once

#include "lutra/kernels/conv_2d_uint8/conv_2d_uint8.h"
#include "runtime/kernels/conv_2d/conv_2d_cases.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_cases.h"

namespace lutra {

// Both ends, the middle, and codes beside these.
inline constexpr int32_t kWeightZeroPoints[] = {0, 1, 127, 128, 255};

// The case's zero points and clamps are those of int8.
static inline Uint8Quantization QuantizationOf(const ConvCase& c, int32_t weight_zero_point) {
  return {static_cast<int16_t>(-c.input_zero_point - 128), static_cast<int16_t>(-weight_zero_point),
          static_cast<int16_t>(c.output_zero_point + 128), static_cast<uint8_t>(c.activation_min + 128),
          static_cast<uint8_t>(c.activation_max + 128)};
}

Problem<Conv2DUint8Args> Conv2DUint8ProblemOf(const ConvCase& c, bool depthwise, int32_t weight_zero_point,
                                              int32_t first_row, auto& memory) {
  auto* const shape = Data<ConvShape>(memory, 1);
  *shape = depthwise ? DepthwiseShapeOf(c) : ShapeOf(c);
  auto* const filter = Filled<uint8_t>(memory, 2, ProductsOf(*shape) * shape->out_channels);
  const Conv2DUint8Args args = {.shape = shape,
                                .first_channel = 0,
                                .channel_count = shape->out_channels,
                                .quantization = QuantizationOf(c, weight_zero_point),
                                .depthwise = depthwise,
                                .filter = filter,
                                .bias = nullptr,
                                .multiplier = {1 << 30, -8}};
  return RowsOfConvolution(c, *shape, first_row, args, Filled<uint8_t>(memory, 1, InputCount(c, *shape)),
                           Output<uint8_t>(memory, OutputCount(c, *shape)));
}

inline constexpr auto kConv2DUint8Problems = [](auto& memory, auto& problems) {
  const auto add = [&](const ConvCase& c, bool depthwise) {
    const int32_t first_row = FirstRow(problems.count(), c.images * ShapeOf(c).out_height);
    problems.Add(
        Conv2DUint8ProblemOf(c, depthwise, kWeightZeroPoints[problems.count() % 5], first_row, memory));
  };
  for (int32_t channels = 1; channels <= kMaxCount; channels += 3) {
    add({"to_8", 1, 3, channels, 8, 1, 1, 1, 1, true}, false);
    add({"from_3", 3, 3, 3, channels, 2, 2, 1, 1, false}, false);
    add({"each", 4, 3, channels, channels, 3, 3, 1, 1, true}, true);
  }
};

}  // namespace lutra
