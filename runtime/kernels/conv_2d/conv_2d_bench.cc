// SPDX-License-Identifier: Apache-2.0
// Layers of the MLPerf Tiny models.

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "runtime/testing/conv_bench.h"

namespace lutra {
namespace {

constexpr ConvCase kLayers[] = {
    {"1x1_48x48x8_16", 48, 48, 8, 16, 1, 1, 1, 1, true},
    {"1x1_24x24x32_32", 24, 24, 32, 32, 1, 1, 1, 1, true},
    {"1x1_25x5x64_64", 25, 5, 64, 64, 1, 1, 1, 1, true},
    {"1x1_6x6x128_128", 6, 6, 128, 128, 1, 1, 1, 1, true},
    {"1x1_3x3x256_256", 3, 3, 256, 256, 1, 1, 1, 1, true},
    {"3x3_32x32x16_16", 32, 32, 16, 16, 3, 3, 1, 1, true},
    {"3x3_8x8x64_64", 8, 8, 64, 64, 3, 3, 1, 1, true},
    {"3x3_32x32x3_16", 32, 32, 3, 16, 3, 3, 1, 1, true},
    {"10x4_s2_49x10x1_64", 49, 10, 1, 64, 10, 4, 2, 1, true},
    {"3x3_s2_96x96x3_8", 96, 96, 3, 8, 3, 3, 2, 1, true},
};

template <typename Fn>
void Run(benchmark::State& state, const VariantUse<Fn>& use, const ConvCase& layer) {
  const ConvShape shape = ShapeOf(layer);
  const int32_t products = layer.filter_height * layer.filter_width * layer.in_channels;
  MeasureConvolution(state, use, layer, shape, products * layer.out_channels, products,
                     static_cast<double>(shape.out_height) * shape.out_width * shape.out_channels * products);
}

const bool registered = RegisterKernel(kConv2DInt8, kLayers, Run<Conv2DFn>) &&
                        RegisterKernel(kConv2DFloat, kLayers, Run<Conv2DFloatFn>);

}  // namespace
}  // namespace lutra
