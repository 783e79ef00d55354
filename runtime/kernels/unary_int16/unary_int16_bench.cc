// SPDX-License-Identifier: Apache-2.0
// LEAKY_RELU and TANH.

#include "runtime/kernels/unary_int16/unary_int16_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename Fn, const auto& kCases>
void Run(benchmark::State& state, const VariantUse<Fn>& use, const CountCase& c) {
  ProblemMemory memory;
  Measure(state, use, UnaryInt16ProblemOf(kCases[1], c.count, memory));
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered =
    RegisterKernel(kPiecewiseInt16, ElementCounts(), Run<PiecewiseInt16Fn, kPiecewiseInt16Cases>) &&
    RegisterKernel(kSigmoidInt16, ElementCounts(), Run<SigmoidInt16Fn, kSigmoidInt16Cases>);

}  // namespace
}  // namespace lutra
