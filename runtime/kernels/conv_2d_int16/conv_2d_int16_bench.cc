// SPDX-License-Identifier: Apache-2.0
// Layers of networks for sound and for images.

#include "runtime/kernels/conv_2d_int16/conv_2d_int16_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

struct Int16Layer : ConvCase {
  Int16ConvKind kind;
};

constexpr Int16Layer kLayers[] = {
    {{"1x1_24x24x32_32", 24, 24, 32, 32, 1, 1, 1, 1, true}, Int16ConvKind::kGrouped},
    {{"1x7_1x40x64_64", 1, 40, 64, 64, 1, 7, 1, 1, false}, Int16ConvKind::kGrouped},
    {{"depthwise_3x3_24x24x32", 24, 24, 32, 32, 3, 3, 1, 1, true}, Int16ConvKind::kDepthwise},
};
constexpr Int16Layer kTransposedLayers[] = {
    {{"2x2_s2_32x32x16_8", 32, 32, 16, 8, 2, 2, 2, 1, true}, Int16ConvKind::kTransposed},
};

void Run(benchmark::State& state, const VariantUse<Conv2DInt16Fn>& use, const Int16Layer& layer) {
  ProblemMemory memory;
  const auto problem = Conv2DInt16ProblemOf(layer, layer.kind, Int16ConvBias::kInt64, 0, memory);
  Measure(state, use, problem);
  const ConvShape& shape = *problem.args.shape;
  const bool transposed = layer.kind == Int16ConvKind::kTransposed;
  const double pixels = transposed ? static_cast<double>(shape.in_height) * shape.in_width
                                   : static_cast<double>(shape.out_height) * shape.out_width;
  CountMacs(state, pixels * shape.out_channels * ProductsOf(shape));
}

const bool registered =
    RegisterKernel(kConv2DInt16, kLayers, Run) && RegisterKernel(kTransposeConvInt16, kTransposedLayers, Run);

}  // namespace
}  // namespace lutra
