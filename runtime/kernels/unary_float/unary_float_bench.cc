// SPDX-License-Identifier: Apache-2.0
// A function of the C library, and another one.

#include "runtime/kernels/unary_float/unary_float_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<UnaryFloatFn>& use, const UnaryFloatCase& c) {
  ProblemMemory memory;
  Measure(state, use, UnaryFloatProblemOf(c, memory));
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kUnaryFloat, kUnaryFloatBenchmarks, Run);

}  // namespace
}  // namespace lutra
