// SPDX-License-Identifier: Apache-2.0
// Along the last dimension, and across the channels of an image.

#include "runtime/kernels/arg_max/arg_max_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename Element>
void Run(benchmark::State& state, const VariantUse<ArgMaxFn>& use, const ArgMaxCase& c) {
  ProblemMemory memory;
  Measure(state, use, ArgMaxProblemOf<Element>(c, memory));
  state.SetItemsProcessed(state.iterations() * c.count * c.inner);
}

const bool registered = RegisterKernel(kArgMaxOf<int8_t>, kArgMaxBenchmarks, Run<int8_t>) &&
                        RegisterKernel(kArgMaxOf<float>, kArgMaxBenchmarks, Run<float>);

}  // namespace
}  // namespace lutra
