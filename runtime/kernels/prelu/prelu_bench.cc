// SPDX-License-Identifier: Apache-2.0
// A slope for each element.

#include "runtime/kernels/prelu/prelu_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename Value>
void Run(benchmark::State& state,
         const VariantUse<void (*)(const PreluCodesArgs<Value>&, int32_t, int32_t)>& use,
         const CountCase& c) {
  ProblemMemory memory;
  Measure(state, use, PreluProblemOf<Value>({c.count}, memory));
  state.SetItemsProcessed(state.iterations() * c.count);
}

void RunFloat(benchmark::State& state, const VariantUse<PreluFloatFn>& use, const CountCase& c) {
  ProblemMemory memory;
  Measure(state, use, PreluFloatProblemOf({c.count}, memory));
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kPreluInt8, ElementCounts(), Run<int8_t>) &&
                        RegisterKernel(kPreluInt16, ElementCounts(), Run<int16_t>) &&
                        RegisterKernel(kPreluFloat, ElementCounts(), RunFloat);

}  // namespace
}  // namespace lutra
