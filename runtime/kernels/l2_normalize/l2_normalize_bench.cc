// SPDX-License-Identifier: Apache-2.0
// The output of a classifier, and of many classifiers.

#include "runtime/kernels/rowwise_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<L2NormalizeFn>& use, const RowsCase& c) {
  ProblemMemory memory;
  Measure(state, use, RowwiseProblemOf<int8_t, int8_t>(L2NormalizeArgs{c.depth, -3}, c.rows, 0, memory));
  state.SetItemsProcessed(state.iterations() * c.rows * c.depth);
}

const bool registered = RegisterKernel(kL2NormalizeInt8, RowsCases(), Run);

}  // namespace
}  // namespace lutra
