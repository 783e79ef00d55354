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

// One call computes a whole image. `windows`: the number of pixels that are multiplied with all weights of a
// filter; `streamed`: the filter, if it is compressed.
template <typename Fn>
void MeasureConvolution(benchmark::State& state, const VariantUse<Fn>& use, const ConvCase& layer,
                        const ConvShape& shape, double windows, const StreamedRows* streamed = nullptr) {
  using Args = KernelArgs<Fn>;
  using Element = std::remove_const_t<std::remove_pointer_t<decltype(Args::filter)>>;
  ProblemMemory memory;
  Problem<Args> problem = ConvolutionOf<Args>(layer, shape, 0, memory);
  if constexpr (requires { problem.args.streamed; }) {
    problem.args.streamed = streamed;
    if (streamed != nullptr) problem.args.filter = nullptr;
  }
  Measure(state, use, problem);
  const int32_t weights = ProductsOf(shape) * shape.out_channels;
  CountMacs(state, windows * weights);
  CountBytes(state, static_cast<double>(InputCount(layer, shape) + OutputCount(layer, shape) + weights) *
                        sizeof(Element));
}

// A convolution has a window for each pixel of its output.
inline double WindowsOf(const ConvShape& shape) {
  return static_cast<double>(shape.out_height) * shape.out_width;
}

}  // namespace lutra
