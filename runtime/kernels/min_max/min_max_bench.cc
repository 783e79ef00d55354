// SPDX-License-Identifier: Apache-2.0
// The larger of two codes, and of two floats.

#include "runtime/kernels/min_max/min_max_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<MinMaxFn>& use, const MinMaxCase& c) {
  ProblemMemory memory;
  Measure(state, use, MinMaxProblemOf(c, memory));
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kMinMax, kMinMaxBenchmarks, Run);

}  // namespace
}  // namespace lutra
