// SPDX-License-Identifier: Apache-2.0
// Convolutions of images of all kinds, and of each number of channels.

#include <string.h>

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "lutra/kernels/transpose_conv/transpose_conv.h"
#include "platforms/variants/variants.h"
#include "runtime/kernels/conv_2d/conv_2d_cases.h"
#include "runtime/kernels/conv_2d_uint8/conv_2d_uint8_cases.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_cases.h"
#include "runtime/kernels/transpose_conv/transpose_conv_cases.h"

namespace lutra::platforms {
namespace {

// Some problems leave out the first row.
template <typename Args>
void AddRows(const ConvCase& c, const ConvShape& shape, int32_t element_bytes, const Args& args,
             uint8_t* input, uint8_t* output, Problems<Args>* problems) {
  const int32_t rows = c.images * shape.out_height;
  const int32_t first = rows > 1 ? problems->count() % 2 : 0;
  problems->Add({.args = args,
                 .first = first,
                 .count = rows - first,
                 .input = {input, shape.in_width * shape.in_channels * element_bytes, 0},
                 .output = {output, shape.out_width * shape.out_channels * element_bytes, 0}});
}

int32_t InputCount(const ConvCase& c, const ConvShape& shape) {
  return c.images * shape.in_height * shape.in_width * shape.in_channels;
}
int32_t OutputCount(const ConvCase& c, const ConvShape& shape) {
  return c.images * shape.out_height * shape.out_width * shape.out_channels;
}

// `products` is what makes one output value.
template <typename Args>
void AddConvolution(VariantChecker& checker, const ConvCase& c, const ConvShape& shape, int32_t products,
                    Problems<Args>* problems) {
  auto* const kept_shape = checker.Data<ConvShape>(1);
  *kept_shape = shape;
  const int32_t inputs = InputCount(c, shape);
  const int32_t weights = products * shape.out_channels;
  auto* const input = checker.Filled<uint8_t>(1, inputs);
  auto* const filter = checker.Filled<int8_t>(2, weights);
  if (c.extreme) {
    memset(input, 0x80, static_cast<size_t>(inputs));
    memset(filter, 0x80, static_cast<size_t>(weights));
  }
  auto* const bias = checker.Data<int32_t>(shape.out_channels);
  FillBias(3, shape.out_channels, bias);
  auto* const multipliers = checker.Data<Multiplier>(shape.out_channels);
  FillMultipliers(4, products, shape.out_channels, multipliers);
  const Args args = {.shape = kept_shape,
                     .quantization = QuantizationOf(c),
                     .filter = filter,
                     .bias = c.with_bias ? bias : nullptr,
                     .multipliers = multipliers};
  AddRows(c, shape, 1, args, input, checker.Output<uint8_t>(OutputCount(c, shape)), problems);
}

template <typename Args>
void AddFloatConvolution(VariantChecker& checker, const ConvCase& c, const ConvShape& shape, int32_t products,
                         Problems<Args>* problems) {
  auto* const kept_shape = checker.Data<ConvShape>(1);
  *kept_shape = shape;
  const Args args = {.shape = kept_shape,
                     .filter = checker.FilledReals(2, products * shape.out_channels),
                     .bias = c.with_bias ? checker.FilledReals(3, shape.out_channels) : nullptr,
                     .activation_min = -1.5f,
                     .activation_max = 6.0f};
  auto* const input = reinterpret_cast<uint8_t*>(checker.FilledReals(1, InputCount(c, shape)));
  auto* const output = reinterpret_cast<uint8_t*>(checker.OutputReals(OutputCount(c, shape)));
  AddRows(c, shape, sizeof(float), args, input, output, problems);
}

// Reals are many instructions where there is no unit for them: of the cases only those with few products.
bool IsSmall(const ConvCase& c, int32_t products) {
  return c.images * c.height * c.width * c.out_channels <= 2000 && products <= 300;
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
  checker.Check(kConv2DInt8, problems);
}

void CheckConv2DFloat(VariantChecker& checker) {
  Problems<Conv2DFloatArgs> problems(checker);
  const auto add = [&](const ConvCase& c) {
    const ConvShape shape = ShapeOf(c);
    const int32_t products = c.filter_height * c.filter_width * shape.filter_channels;
    if (IsSmall(c, products)) AddFloatConvolution(checker, c, shape, products, &problems);
  };
  for (const ConvCase& c : kConv2DCases) add(c);
  for (int32_t channels = 1; channels <= kMaxCount; channels += 3) {
    add({"to_8", 1, 3, channels, 8, 1, 1, 1, 1, true});
    add({"from_3", 3, 3, 3, channels, 2, 2, 1, 1, false});
  }
  checker.Check(kConv2DFloat, problems);
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
  checker.Check(kDepthwiseConv2DInt8, problems);
}

void CheckDepthwiseConv2DFloat(VariantChecker& checker) {
  Problems<DepthwiseConv2DFloatArgs> problems(checker);
  const auto add = [&](const ConvCase& c) {
    const int32_t products = c.filter_height * c.filter_width;
    if (IsSmall(c, products)) AddFloatConvolution(checker, c, ShapeOf(c), products, &problems);
  };
  for (const ConvCase& c : kDepthwiseConv2DCases) add(c);
  for (int32_t channels = 1; channels <= kMaxCount; channels += 3) {
    add({"each", 4, 3, channels, channels, 3, 3, 1, 1, true});
    add({"from_1", 2, 3, 1, channels, 2, 2, 1, 1, false});
  }
  checker.Check(kDepthwiseConv2DFloat, problems);
}

void CheckConv2DUint8(VariantChecker& checker) {
  Problems<Conv2DUint8Args> problems(checker);
  const auto add = [&](const ConvCase& c, bool depthwise) {
    auto* const shape = checker.Data<ConvShape>(1);
    *shape = ShapeOf(c);
    if (depthwise) shape->filter_channels = 1;
    const Conv2DUint8Args args = {shape,     QuantizationOf(c, kWeightZeroPoints[problems.count() % 5]),
                                  depthwise, checker.Filled<uint8_t>(2, FilterBytes(*shape, depthwise)),
                                  nullptr,   {1 << 30, -8}};
    AddRows(c, *shape, 1, args, checker.Filled<uint8_t>(1, InputCount(c, *shape)),
            checker.Output<uint8_t>(OutputCount(c, *shape)), &problems);
  };
  for (int32_t channels = 1; channels <= kMaxCount; channels += 3) {
    add({"to_8", 1, 3, channels, 8, 1, 1, 1, 1, true}, false);
    add({"from_3", 3, 3, 3, channels, 2, 2, 1, 1, false}, false);
    add({"each", 4, 3, channels, channels, 3, 3, 1, 1, true}, true);
  }
  checker.Check(kConv2DUint8, problems);
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
  checker.Check(kTransposeConvInt8, problems);
}

void CheckTransposeConvFloat(VariantChecker& checker) {
  Problems<TransposeConvFloatArgs> problems(checker);
  const auto add = [&](const ConvCase& c) {
    const int32_t products = c.filter_height * c.filter_width * c.in_channels;
    if (IsSmall(c, products)) AddFloatConvolution(checker, c, TransposedShapeOf(c), products, &problems);
  };
  for (const ConvCase& c : kTransposeConvCases) add(c);
  for (int32_t channels = 1; channels <= kMaxCount; channels += 3) {
    add({"to_3", 4, 3, channels, 3, 2, 2, 2, 1, true});
    add({"from_2", 3, 4, 2, channels, 3, 3, 2, 1, true});
  }
  checker.Check(kTransposeConvFloat, problems);
}

}  // namespace

void CheckConvolutions(VariantChecker& checker) {
  CheckConv2D(checker);
  CheckConv2DFloat(checker);
  CheckConv2DUint8(checker);
  CheckDepthwiseConv2D(checker);
  CheckDepthwiseConv2DFloat(checker);
  CheckTransposeConv(checker);
  CheckTransposeConvFloat(checker);
}

}  // namespace lutra::platforms
