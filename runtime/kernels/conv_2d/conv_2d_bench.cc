// SPDX-License-Identifier: Apache-2.0
// Layers of the MLPerf Tiny models, and of other shapes.

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "runtime/testing/conv_bench.h"
#include "runtime/testing/streamed_weights.h"

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
    {"3x3_groups_of_16_16x16x64_64", 16, 16, 64, 64, 3, 3, 1, 1, true, 1, 4},
    {"3x3_groups_of_4_16x16x32_32", 16, 16, 32, 32, 3, 3, 1, 1, true, 1, 8},
    {"3x3_groups_of_1_16x16x32_32", 16, 16, 32, 32, 3, 3, 1, 1, true, 1, 32},
    {"1x1_groups_of_60_7x7x240_240", 7, 7, 240, 240, 1, 1, 1, 1, true, 1, 4},
    {"3x3_dilated_16x16x32_32", 16, 16, 32, 32, 3, 3, 1, 2, true},
    {"3x3_dilated_32x32x1_8", 32, 32, 1, 8, 3, 3, 1, 2, true},
    {"1x9_17x17x16_16", 17, 17, 16, 16, 1, 9, 1, 1, true},
    {"9x1_17x17x16_16", 17, 17, 16, 16, 9, 1, 1, 1, true},
    {"9x1_131x1x1_8", 131, 1, 1, 8, 9, 1, 1, 1, true},
    {"5x5_16x16x24_24", 16, 16, 24, 24, 5, 5, 1, 1, true},
    {"7x7_s2_64x64x3_16", 64, 64, 3, 16, 7, 7, 2, 1, true},
    {"11x11_12x12x64_32", 12, 12, 64, 32, 11, 11, 1, 1, true},
    {"3x3_4x4x2048_32", 4, 4, 2048, 32, 3, 3, 1, 1, true},
    {"1x1_2x2x4096_64", 2, 2, 4096, 64, 1, 1, 1, 1, true},
    {"1x1_s2_14x14x256_64", 14, 14, 256, 64, 1, 1, 2, 1, true},
    {"3x3_1x1x17_17", 1, 1, 17, 17, 3, 3, 1, 1, true},
    {"3x3_2x2x130_5", 2, 2, 130, 5, 3, 3, 1, 1, true},
    {"3x3_3x3x5_130", 3, 3, 5, 130, 3, 3, 1, 1, true},
    {"2x2_4x131x2_3", 4, 131, 2, 3, 2, 2, 1, 1, true},
    {"1x1_4x131x1_1", 4, 131, 1, 1, 1, 1, 1, 1, true},
    {"1x1_4x131x17_2", 4, 131, 17, 2, 1, 1, 1, 1, true},
};

template <typename Fn>
void Run(benchmark::State& state, const VariantUse<Fn>& use, const ConvCase& layer) {
  const ConvShape shape = ShapeOf(layer);
  MeasureConvolution(state, use, layer, shape, WindowsOf(shape));
}

// Filters of four bits with a table for each channel.
struct CompressedCase : ConvCase {
  std::string name;
};
std::vector<CompressedCase> CompressedCases() {
  std::vector<CompressedCase> cases;
  for (int i = 0; i < 10; ++i) cases.push_back({kLayers[i], std::string("compressed_") + kLayers[i].name});
  return cases;
}

void RunCompressed(benchmark::State& state, const VariantUse<Conv2DFn>& use, const CompressedCase& layer) {
  if (use.variant.prepare == nullptr) return state.SkipWithError("decodes nothing");
  const ConvShape shape = ShapeOf(layer);
  const int32_t products = ProductsOf(shape);
  std::mt19937 random(1);
  const StreamedWeights weights(&random, products * layer.out_channels,
                                {.width = 4, .channels = layer.out_channels, .inner = products});
  MeasureConvolution(state, use, layer, shape, WindowsOf(shape), &weights.rows());
}

const bool registered = RegisterKernel(kConv2DInt8, kLayers, Run<Conv2DFn>) &&
                        RegisterKernel(kConv2DInt8, CompressedCases(), RunCompressed) &&
                        RegisterKernel(kConv2DFloat, kLayers, Run<Conv2DFloatFn>);

}  // namespace
}  // namespace lutra
