// SPDX-License-Identifier: Apache-2.0
// Codes of two scales, and floats.

#include "runtime/kernels/compare/compare_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<CompareFn>& use, const CompareCase& c) {
  ProblemMemory memory;
  Measure(state, use, CompareProblemOf(c, memory));
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kCompare, kCompareBenchmarks, Run);

}  // namespace
}  // namespace lutra
