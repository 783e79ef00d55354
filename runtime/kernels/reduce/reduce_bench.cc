// SPDX-License-Identifier: Apache-2.0
// Over the rows of an image, over its pixels, and along its rows.

#include "runtime/kernels/reduce/reduce_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename Element>
void Run(benchmark::State& state, const VariantUse<ReduceFn>& use, const ReduceCase& c) {
  ProblemMemory memory;
  Measure(state, use, ReduceProblemOf<Element>(c, memory));
  state.SetItemsProcessed(state.iterations() * ElementCount(c));
}

template <typename Element, typename... Tables>
bool RegisterAll(const Tables&... tables) {
  return (RegisterKernel(tables, kReduceBenchmarks, Run<Element>) && ...);
}

const bool registered = RegisterAll<int8_t>(kReduceSumInt8, kReduceMaxInt8, kReduceMinInt8) &&
                        RegisterAll<int16_t>(kReduceSumInt16) &&
                        RegisterAll<float>(kReduceSumFloat, kReduceMaxFloat, kReduceMinFloat);

}  // namespace
}  // namespace lutra
