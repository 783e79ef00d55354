// SPDX-License-Identifier: Apache-2.0
// Blocks of one byte, of an element, of a pixel.

#include "runtime/kernels/gather/gather_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void RunGather(benchmark::State& state, const VariantUse<GatherFn>& use, const GatherCase& c) {
  ProblemMemory memory;
  Measure(state, use, GatherProblemOf(c, memory));
  state.SetBytesProcessed(state.iterations() * c.outer * c.index_count * c.block_bytes);
}

void RunGatherNd(benchmark::State& state, const VariantUse<GatherNdFn>& use, const GatherNdCase& c) {
  ProblemMemory memory;
  Measure(state, use, GatherNdProblemOf(c, memory));
  state.SetBytesProcessed(state.iterations() * c.tuples * c.block_bytes);
}

const bool registered = RegisterKernel(kGatherBlocks, kGatherBenchmarks, RunGather) &&
                        RegisterKernel(kGatherNdBlocks, kGatherNdBenchmarks, RunGatherNd);

}  // namespace
}  // namespace lutra
