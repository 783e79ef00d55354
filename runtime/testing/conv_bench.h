// SPDX-License-Identifier: Apache-2.0
// For the benchmarks of the convolution kernels.

#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "lutra/kernels/streamed_rows.h"
#include "runtime/kernels/conv_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {

// One call makes a whole image. `products`: summed for one output value; `macs`: of one call; `streamed`: the
// filter, if it is compressed.
template <typename Fn>
void MeasureConvolution(benchmark::State& state, const VariantUse<Fn>& use, const ConvCase& layer,
                        const ConvShape& shape, int32_t products, double macs,
                        const StreamedRows* streamed = nullptr) {
  using Args = KernelArgs<Fn>;
  using Element = std::remove_const_t<std::remove_pointer_t<decltype(Args::filter)>>;
  ProblemMemory memory;
  Problem<Args> problem;
  if constexpr (std::is_same_v<Element, float>) {
    problem = FloatConvolutionOf<Args>(layer, shape, products, 0, memory);
  } else {
    problem = ConvolutionOf<Args>(layer, shape, products, 0, memory);
  }
  if constexpr (requires { problem.args.streamed; }) {
    problem.args.streamed = streamed;
    if (streamed != nullptr) problem.args.filter = nullptr;
  }
  Measure(state, use, problem);
  CountMacs(state, macs);
  const int32_t values = InputCount(layer, shape) + OutputCount(layer, shape) + products * shape.out_channels;
  CountBytes(state, static_cast<double>(values) * sizeof(Element));
}

}  // namespace lutra
