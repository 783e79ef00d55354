// SPDX-License-Identifier: Apache-2.0
// The output of a classifier, and of many classifiers; any codes.

#include "runtime/kernels/rowwise_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename Output>
void Run(benchmark::State& state, const VariantUse<SoftmaxFn>& use, const RowsCase& c) {
  ProblemMemory memory;
  Measure(state, use, RowwiseProblemOf<int8_t, Output>(SoftmaxArgsOf(c.depth, 0.1), c.rows, 0, memory));
  state.SetItemsProcessed(state.iterations() * c.rows * c.depth);
}

void RunFloat(benchmark::State& state, const VariantUse<SoftmaxFloatFn>& use, const RowsCase& c) {
  ProblemMemory memory;
  Measure(state, use, RowwiseProblemOf<float, float>(SoftmaxFloatArgs{c.depth, 1.0f}, c.rows, 0, memory));
  state.SetItemsProcessed(state.iterations() * c.rows * c.depth);
}

const bool registered = RegisterKernel(kSoftmaxOf<int8_t>, RowsCases(), Run<int8_t>) &&
                        RegisterKernel(kSoftmaxOf<int16_t>, RowsCases(), Run<int16_t>) &&
                        RegisterKernel(kSoftmaxFloat, RowsCases(), RunFloat);

}  // namespace
}  // namespace lutra
