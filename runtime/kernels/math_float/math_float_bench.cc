// SPDX-License-Identifier: Apache-2.0
// A function of the C library, and another one.

#include "runtime/kernels/math_float/math_float_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<MathFloatFn>& use, const MathFloatCase& c) {
  ProblemMemory memory;
  Measure(state, use, MathFloatProblemOf(c, memory));
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kMathFloat, kMathFloatBenchmarks, Run);

}  // namespace
}  // namespace lutra
