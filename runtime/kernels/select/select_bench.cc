// SPDX-License-Identifier: Apache-2.0
// Elements of one byte and of four.

#include "runtime/kernels/select/select_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<SelectFn>& use, const SelectCase& c) {
  ProblemMemory memory;
  Measure(state, use, SelectProblemOf(c, memory));
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kSelect, kSelectBenchmarks, Run);

}  // namespace
}  // namespace lutra
