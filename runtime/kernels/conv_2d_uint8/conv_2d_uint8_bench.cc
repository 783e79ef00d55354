// SPDX-License-Identifier: Apache-2.0
// Layers of MobileNet in the older scheme.

#include <vector>

#include "runtime/kernels/conv_2d_uint8/conv_2d_uint8_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

struct Uint8Layer : ConvCase {
  bool depthwise;
};

constexpr Uint8Layer kLayers[] = {
    {{"1x1_24x24x32_32", 24, 24, 32, 32, 1, 1, 1, 1, true}, false},
    {{"3x3_s2_96x96x3_8", 96, 96, 3, 8, 3, 3, 2, 1, true}, false},
    {{"1x1_3x3x256_256", 3, 3, 256, 256, 1, 1, 1, 1, true}, false},
    {{"depthwise_3x3_24x24x32", 24, 24, 32, 32, 3, 3, 1, 1, true}, true},
};

void Run(benchmark::State& state, const VariantUse<Conv2DUint8Fn>& use, const Uint8Layer& layer) {
  ConvShape shape = ShapeOf(layer);
  if (layer.depthwise) shape.filter_channels = 1;
  std::vector<uint8_t> input(shape.in_height * shape.in_width * shape.in_channels);
  std::vector<uint8_t> output(shape.out_height * shape.out_width * shape.out_channels);
  std::vector<uint8_t> filter(FilterBytes(shape, layer.depthwise));
  FillBytes(1, static_cast<int32_t>(input.size()), input.data());
  FillBytes(2, static_cast<int32_t>(filter.size()), filter.data());
  Measure(state, use,
          {&shape, QuantizationOf(layer, 121), layer.depthwise, filter.data(), nullptr, {1 << 30, -8}},
          {input.data(), shape.in_width * shape.in_channels, 0},
          {output.data(), shape.out_width * shape.out_channels, 0}, 0, shape.out_height);
  CountMacs(state,
            static_cast<double>(shape.out_height) * shape.out_width * static_cast<double>(filter.size()));
}

const bool registered = RegisterKernel(kConv2DUint8, kLayers, Run);

}  // namespace
}  // namespace lutra
