// SPDX-License-Identifier: Apache-2.0
// The layers of a keyword spotter.

#include "runtime/kernels/svdf/svdf_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename State>
void Run(benchmark::State& state, const VariantUse<SvdfFn>& use, const SvdfCase& c) {
  ProblemMemory memory;
  Measure(state, use, SvdfProblemOf<State>(c, memory));
  CountMacs(state, static_cast<double>(c.batches) * FilterCount(c) * (c.depth + c.memory));
}

const bool registered = RegisterKernel(kSvdfOf<int8_t>, kSvdfBenchmarks, Run<int8_t>) &&
                        RegisterKernel(kSvdfOf<int16_t>, kSvdfBenchmarks, Run<int16_t>);

}  // namespace
}  // namespace lutra
