// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "platforms/variants/variants.h"
#include "runtime/kernels/conv_2d/conv_2d.h"
#include "runtime/kernels/conv_2d/conv_2d_cases.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_cases.h"
#include "runtime/kernels/transpose_conv/transpose_conv.h"
#include "runtime/kernels/transpose_conv/transpose_conv_cases.h"

namespace lutra::platforms {
namespace {

// `products` is what makes one output value. Of some problems the first row is left out.
template <typename Args>
void AddConvolution(VariantChecker& checker, const ConvCase& c, const ConvShape& shape, int32_t products,
                    Problems<Args>* problems) {
  auto* const kept_shape = checker.Data<ConvShape>(1);
  *kept_shape = shape;
  const int32_t inputs = c.images * shape.in_height * shape.in_width * shape.in_channels;
  const int32_t weights = products * shape.out_channels;
  auto* const input = checker.Filled<int8_t>(1, inputs);
  auto* const filter = checker.Filled<int8_t>(2, weights);
  if (c.extreme) {
    memset(input, INT8_MIN, static_cast<size_t>(inputs));
    memset(filter, INT8_MIN, static_cast<size_t>(weights));
  }
  auto* const bias = checker.Data<int32_t>(shape.out_channels);
  FillBias(3, shape.out_channels, bias);
  auto* const multipliers = checker.Data<Multiplier>(shape.out_channels);
  FillMultipliers(4, products, shape.out_channels, multipliers);
  const int32_t rows = c.images * shape.out_height;
  const int32_t row_bytes = shape.out_width * shape.out_channels;
  const int32_t first = rows > 1 ? problems->count() % 2 : 0;
  problems->Add({.args = {.shape = kept_shape,
                          .quantization = QuantizationOf(c),
                          .filter = filter,
                          .bias = c.with_bias ? bias : nullptr,
                          .multipliers = multipliers},
                 .first = first,
                 .count = rows - first,
                 .input = {reinterpret_cast<uint8_t*>(input), shape.in_width * shape.in_channels, 0},
                 .output = {checker.Output<uint8_t>(rows * row_bytes), row_bytes, 0}});
}

void CheckConv2D(VariantChecker& checker) {
  Problems<Conv2DArgs> problems(checker);
  const auto add = [&](const ConvCase& c) {
    const ConvShape shape = ShapeOf(c);
    AddConvolution(checker, c, shape, c.filter_height * c.filter_width * shape.filter_channels, &problems);
  };
  for (const ConvCase& c : kConv2DCases) add(c);
  for (int32_t channels = 1; channels <= kMaxCount; ++channels) {
    add({"to_8", 1, 3, channels, 8, 1, 1, 1, 1, true});
    add({"from_3", 3, 3, 3, channels, 2, 2, 1, 1, false});
  }
  checker.Check("conv_2d_int8", kConv2DInt8, problems);
}

void CheckDepthwiseConv2D(VariantChecker& checker) {
  Problems<DepthwiseConv2DArgs> problems(checker);
  const auto add = [&](const ConvCase& c) {
    AddConvolution(checker, c, ShapeOf(c), c.filter_height * c.filter_width, &problems);
  };
  for (const ConvCase& c : kDepthwiseConv2DCases) add(c);
  for (int32_t channels = 1; channels <= kMaxCount; ++channels) {
    add({"each", 4, 3, channels, channels, 3, 3, 1, 1, true, 1, 1, 5});
    add({"from_1", 2, 3, 1, channels, 2, 2, 1, 1, false});
  }
  checker.Check("depthwise_conv_2d_int8", kDepthwiseConv2DInt8, problems);
}

void CheckTransposeConv(VariantChecker& checker) {
  Problems<TransposeConvArgs> problems(checker);
  const auto add = [&](const ConvCase& c) {
    AddConvolution(checker, c, TransposedShapeOf(c), c.filter_height * c.filter_width * c.in_channels,
                   &problems);
  };
  for (const ConvCase& c : kTransposeConvCases) add(c);
  for (int32_t channels = 1; channels <= kMaxCount; ++channels) {
    add({"to_3", 4, 3, channels, 3, 2, 2, 2, 1, true});
    add({"from_2", 3, 4, 2, channels, 3, 3, 2, 1, true, 1, 1, 5});
  }
  checker.Check("transpose_conv_int8", kTransposeConvInt8, problems);
}

}  // namespace

void CheckConvolutions(VariantChecker& checker) {
  CheckConv2D(checker);
  CheckDepthwiseConv2D(checker);
  CheckTransposeConv(checker);
}

}  // namespace lutra::platforms
