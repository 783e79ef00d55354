// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE, PAD, SLICE, CONCATENATION and BROADCAST_TO of the tensors of small networks, as copies.

#include "runtime/kernels/copy/copy_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<CopyFn>& use, const CopyBenchmark& c) {
  ProblemMemory memory;
  Measure(state, use, CopyProblemOf(c.copy, c.element_bytes, 0, memory));
  state.SetBytesProcessed(state.iterations() * OutputElements(c.copy, 0) * c.element_bytes);
}

const bool registered = RegisterKernel(kCopy, kCopyBenchmarks, Run);

}  // namespace
}  // namespace lutra
