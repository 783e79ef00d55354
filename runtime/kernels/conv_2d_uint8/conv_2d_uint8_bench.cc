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
  ProblemMemory memory;
  const Problem<Conv2DUint8Args> problem = Conv2DUint8ProblemOf(layer, layer.depthwise, 121, 0, memory);
  Measure(state, use, problem);
  const ConvShape& shape = *problem.args.shape;
  CountMacs(state,
            static_cast<double>(shape.out_height) * shape.out_width * shape.out_channels * ProductsOf(shape));
}

const bool registered = RegisterKernel(kConv2DUint8, kLayers, Run);

}  // namespace
}  // namespace lutra
