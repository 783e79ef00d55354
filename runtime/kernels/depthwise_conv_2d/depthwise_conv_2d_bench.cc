// SPDX-License-Identifier: Apache-2.0
// Layers of the MLPerf Tiny models.

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/testing/conv_bench.h"

namespace lutra {
namespace {

// The layer has RELU6, so that the output's zero point is the lowest code.
constexpr ConvCase Layer(const char* name, int32_t height, int32_t width, int32_t channels, int32_t stride) {
  return {name, height, width, channels, channels, 3, 3, stride, 1, true, 1, 1, -128, -128};
}

constexpr ConvCase kLayers[] = {
    Layer("3x3_48x48x8", 48, 48, 8, 1),
    Layer("3x3_s2_48x48x16", 48, 48, 16, 2),
    Layer("3x3_24x24x32", 24, 24, 32, 1),
    Layer("3x3_s2_24x24x32", 24, 24, 32, 2),
    Layer("3x3_25x5x64", 25, 5, 64, 1),
    Layer("3x3_12x12x64", 12, 12, 64, 1),
    Layer("3x3_s2_12x12x64", 12, 12, 64, 2),
    Layer("3x3_6x6x128", 6, 6, 128, 1),
    Layer("3x3_s2_6x6x128", 6, 6, 128, 2),
    Layer("3x3_3x3x256", 3, 3, 256, 1),
    {"3x3_25x5x64_signed", 25, 5, 64, 64, 3, 3, 1, 1, true},
    {"25x5_valid_25x5x64", 25, 5, 64, 64, 25, 5, 1, 1, false},
    {"10x8_s2_49x40x1_8", 49, 40, 1, 8, 10, 8, 2, 1, true},
    {"3x3_dilated_12x12x64", 12, 12, 64, 64, 3, 3, 1, 2, true},
    {"1x9_100x40", 1, 100, 40, 40, 1, 9, 1, 1, true},
    {"3x3_12x12x130", 12, 12, 130, 130, 3, 3, 1, 1, true},
    {"3x3_s2_25x25x3", 25, 25, 3, 3, 3, 3, 2, 1, true},
    {"3x3_3x3x3000", 3, 3, 3000, 3000, 3, 3, 1, 1, true},
    {"13x13_26x26x8", 26, 26, 8, 8, 13, 13, 1, 1, true},
    {"3x3_25x25x17_x3", 25, 25, 17, 51, 3, 3, 1, 1, true},
    {"3x3_1x1x5", 1, 1, 5, 5, 3, 3, 1, 1, true},
};

template <typename Fn>
void Run(benchmark::State& state, const VariantUse<Fn>& use, const ConvCase& layer) {
  const ConvShape shape = DepthwiseShapeOf(layer);
  MeasureConvolution(state, use, layer, shape, WindowsOf(shape));
}

const bool registered = RegisterKernel(kDepthwiseConv2DInt8, kLayers, Run<DepthwiseConv2DFn>) &&
                        RegisterKernel(kDepthwiseConv2DFloat, kLayers, Run<DepthwiseConv2DFloatFn>);

}  // namespace
}  // namespace lutra
