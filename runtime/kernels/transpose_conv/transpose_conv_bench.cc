// SPDX-License-Identifier: Apache-2.0
// Layers that double an image's sides.

#include "lutra/kernels/transpose_conv/transpose_conv.h"
#include "runtime/kernels/transpose_conv/transpose_conv_cases.h"
#include "runtime/testing/conv_bench.h"

namespace lutra {
namespace {

// Each input pixel is multiplied with each filter.
template <typename Fn>
void Run(benchmark::State& state, const VariantUse<Fn>& use, const ConvCase& layer) {
  const ConvShape shape = TransposedShapeOf(layer);
  MeasureConvolution(state, use, layer, shape, static_cast<double>(shape.in_height) * shape.in_width);
}

const bool registered =
    RegisterKernel(kTransposeConvInt8, kTransposeConvBenchmarks, Run<TransposeConvFn>) &&
    RegisterKernel(kTransposeConvFloat, kTransposeConvBenchmarks, Run<TransposeConvFloatFn>);

}  // namespace
}  // namespace lutra
