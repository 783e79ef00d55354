// SPDX-License-Identifier: Apache-2.0
#include "lutra/kernels/transpose_conv/transpose_conv.h"
#include "runtime/kernels/transpose_conv/transpose_conv_cases.h"
#include "runtime/testing/conv_bench.h"

namespace lutra {
namespace {

// Each input pixel meets each filter.
template <typename Args, typename Fn>
void Run(benchmark::State& state, const ConvCase& layer, Fn run) {
  const ConvShape shape = TransposedShapeOf(layer);
  const int32_t products = layer.filter_height * layer.filter_width * layer.in_channels;
  RunConvolution<Args>(state, layer, shape, products * layer.out_channels, products,
                       static_cast<double>(shape.in_height) * shape.in_width * products * layer.out_channels,
                       run);
}

const bool registered = RegisterConvolutions("transpose_conv", kTransposeConvBenchmarks, kTransposeConvInt8,
                                             Run<TransposeConvArgs, TransposeConvFn>, kTransposeConvFloat,
                                             Run<TransposeConvFloatArgs, TransposeConvFloatFn>);

}  // namespace
}  // namespace lutra
