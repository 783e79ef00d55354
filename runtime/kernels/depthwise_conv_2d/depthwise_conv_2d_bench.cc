// SPDX-License-Identifier: Apache-2.0
// Layers of the MLPerf Tiny models.

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/testing/conv_bench.h"

namespace lutra {
namespace {

constexpr ConvCase kLayers[] = {
    {"3x3_48x48x8", 48, 48, 8, 8, 3, 3, 1, 1, true},
    {"3x3_s2_48x48x16", 48, 48, 16, 16, 3, 3, 2, 1, true},
    {"3x3_24x24x32", 24, 24, 32, 32, 3, 3, 1, 1, true},
    {"3x3_25x5x64", 25, 5, 64, 64, 3, 3, 1, 1, true},
    {"3x3_6x6x128", 6, 6, 128, 128, 3, 3, 1, 1, true},
    {"3x3_3x3x256", 3, 3, 256, 256, 3, 3, 1, 1, true},
    {"25x5_valid_25x5x64", 25, 5, 64, 64, 25, 5, 1, 1, false},
    {"10x8_s2_49x40x1_8", 49, 40, 1, 8, 10, 8, 2, 1, true},
};

template <typename Fn>
void Run(benchmark::State& state, const VariantUse<Fn>& use, const ConvCase& layer) {
  const ConvShape shape = ShapeOf(layer);
  const int32_t products = layer.filter_height * layer.filter_width;
  MeasureConvolution(state, use, layer, shape, products * layer.out_channels, products,
                     static_cast<double>(shape.out_height) * shape.out_width * shape.out_channels * products);
}

const bool registered = RegisterKernel(kDepthwiseConv2DInt8, kLayers, Run<DepthwiseConv2DFn>) &&
                        RegisterKernel(kDepthwiseConv2DFloat, kLayers, Run<DepthwiseConv2DFloatFn>);

}  // namespace
}  // namespace lutra
