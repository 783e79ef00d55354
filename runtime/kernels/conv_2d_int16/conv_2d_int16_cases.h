// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the int16 convolutions, made from those of int8. Needs no C++
// library.

#pragma once

#include "lutra/kernels/conv_2d_int16/conv_2d_int16.h"
#include "runtime/kernels/conv_2d/conv_2d_cases.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_cases.h"
#include "runtime/kernels/transpose_conv/transpose_conv_cases.h"

namespace lutra {

enum class Int16ConvKind : uint8_t { kGrouped, kDepthwise, kTransposed };
// The type of the bias; kNone: without a bias and with sums of 64 bits, kNoneNarrow: with sums of 32 bits.
enum class Int16ConvBias : uint8_t { kInt16, kInt32, kInt64, kNone, kNoneNarrow };
inline constexpr Int16ConvBias kInt16ConvBiases[] = {Int16ConvBias::kInt64, Int16ConvBias::kInt32,
                                                     Int16ConvBias::kNone, Int16ConvBias::kInt16,
                                                     Int16ConvBias::kNoneNarrow};

static inline ConvShape Int16ShapeOf(const ConvCase& c, Int16ConvKind kind) {
  return kind == Int16ConvKind::kTransposed  ? TransposedShapeOf(c)
         : kind == Int16ConvKind::kDepthwise ? DepthwiseShapeOf(c)
                                             : ShapeOf(c);
}

static inline bool IsWide(Int16ConvBias bias) {
  return bias != Int16ConvBias::kInt32 && bias != Int16ConvBias::kNoneNarrow;
}

Int16Bias Int16BiasOf(Int16ConvBias kind, int32_t channels, auto& memory) {
  if (kind == Int16ConvBias::kInt16) return {Filled<int16_t>(memory, 3, channels), 2};
  auto* const narrow = Data<int32_t>(memory, channels);
  FillBias(3, channels, narrow);
  if (kind == Int16ConvBias::kInt32) return {narrow, 4};
  if (kind != Int16ConvBias::kInt64) return {nullptr, 8};
  auto* const wide = Data<int64_t>(memory, channels);
  for (int32_t i = 0; i < channels; ++i) wide[i] = int64_t{narrow[i]} << 16;
  return {wide, 8};
}

Problem<Conv2DInt16Args> Conv2DInt16ProblemOf(const ConvCase& c, Int16ConvKind kind, Int16ConvBias bias,
                                              int32_t first_row, auto& memory) {
  auto* const shape = Data<ConvShape>(memory, 1);
  *shape = Int16ShapeOf(c, kind);
  auto* const multipliers = Data<Multiplier>(memory, shape->out_channels);
  FillMultipliers(4, ProductsOf(*shape), shape->out_channels, multipliers);
  auto* const input = Filled<int16_t>(memory, 1, InputCount(c, *shape));
  auto* const filter = Filled<int8_t>(memory, 2, ProductsOf(*shape) * shape->out_channels);
  if (c.extreme) {
    for (int32_t i = 0; i < InputCount(c, *shape); ++i) input[i] = INT16_MIN;
    for (int32_t i = 0; i < ProductsOf(*shape) * shape->out_channels; ++i) filter[i] = INT8_MIN;
  }
  const Conv2DInt16Args args = {.shape = shape,
                                .first_channel = 0,
                                .channel_count = shape->out_channels,
                                .activation_min = static_cast<int16_t>(c.activation_min * 256),
                                .activation_max = static_cast<int16_t>(c.activation_max * 256 + 255),
                                .depthwise = kind == Int16ConvKind::kDepthwise,
                                .wide = IsWide(bias),
                                .filter = filter,
                                .bias = Int16BiasOf(bias, shape->out_channels, memory),
                                .multipliers = multipliers};
  return RowsOfConvolution(c, *shape, first_row, args, input,
                           Output<int16_t>(memory, OutputCount(c, *shape)));
}

inline constexpr auto kConv2DInt16Problems = [](auto& memory, auto& problems) {
  const auto add = [&](const ConvCase& c, Int16ConvKind kind) {
    const int32_t i = problems.count();
    problems.Add(Conv2DInt16ProblemOf(c, kind, kInt16ConvBiases[i % 5],
                                      FirstRow(i, c.images * ShapeOf(c).out_height), memory));
  };
  for (int32_t channels = 1; channels <= kMaxCount; channels += 5) {
    add({"to_8", 1, 3, channels, 8, 1, 1, 1, 1, true}, Int16ConvKind::kGrouped);
    add({"from_3", 3, 3, 3, channels, 2, 2, 1, 1, false}, Int16ConvKind::kGrouped);
    add({"each", 4, 3, channels, channels, 3, 3, 1, 1, true}, Int16ConvKind::kDepthwise);
  }
};

inline constexpr auto kTransposeConvInt16Problems = [](auto& memory, auto& problems) {
  for (int32_t channels = 1; channels <= kMaxCount; channels += 5) {
    const int32_t i = problems.count();
    problems.Add(Conv2DInt16ProblemOf({"to_3", 4, 3, channels, 3, 2, 2, 2, 1, true},
                                      Int16ConvKind::kTransposed, kInt16ConvBiases[i % 5], i % 2, memory));
  }
};

}  // namespace lutra
