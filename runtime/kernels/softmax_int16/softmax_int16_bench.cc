// SPDX-License-Identifier: Apache-2.0
// One row, and many.

#include "runtime/kernels/softmax_int16/softmax_int16_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<SoftmaxInt16Fn>& use, const RowsCase& c) {
  ProblemMemory memory;
  Measure(state, use, SoftmaxInt16ProblemOf(SoftmaxInt16ArgsOf(c.depth, 0.001), c.rows, 0, memory));
  state.SetItemsProcessed(state.iterations() * c.rows * c.depth);
}

const bool registered = RegisterKernel(kSoftmaxInt16, RowsCases(), Run);

}  // namespace
}  // namespace lutra
