// SPDX-License-Identifier: Apache-2.0
// What TRANSPOSE, PAD, SLICE, CONCATENATION and BROADCAST_TO make of the tensors of small networks.

#include <vector>

#include "runtime/kernels/copy/copy_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<CopyFn>& use, const CopyBenchmark& c) {
  std::vector<uint8_t> input(InputElements(c.copy) * c.element_bytes);
  std::vector<uint8_t> output(OutputElements(c.copy, 0) * c.element_bytes);
  CopyDim dims[kMaxCopyRank];
  CopyArgs args = {};
  args.input = input.data() + CopyDimsOf(c.copy, c.element_bytes, dims);
  args.output = output.data();
  args.dims = dims;
  args.rank = MergeCopyDims(dims, c.copy.rank, 0, c.element_bytes);
  args.element_bytes = c.element_bytes;
  Measure(state, use, args, 0, dims[0].before + dims[0].count + dims[0].after);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(output.size()));
}

const bool registered = RegisterKernel(kCopy, kCopyBenchmarks, Run);

}  // namespace
}  // namespace lutra
