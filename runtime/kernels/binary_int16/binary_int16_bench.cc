// SPDX-License-Identifier: Apache-2.0
// Sums of two inputs of one size.

#include "runtime/kernels/binary_int16/binary_int16_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<BinaryInt16Fn>& use, const CountCase& c) {
  ProblemMemory memory;
  Measure(state, use, BinaryInt16ProblemOf(kBinaryInt16Cases[0], c.count, kSteps[0], memory));
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kBinaryInt16, ElementCounts(), Run);

}  // namespace
}  // namespace lutra
