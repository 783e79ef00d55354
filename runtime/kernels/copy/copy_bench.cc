// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "runtime/kernels/copy/copy_cases.h"

namespace lutra {
namespace {

void Copy(benchmark::State& state, const CopyCase& c, CopyFn run) {
  std::vector<uint8_t> input(InputElements(c));
  std::vector<uint8_t> output(OutputElements(c, 0));
  CopyDim dims[kMaxCopyRank];
  CopyArgs args = {};
  args.input = input.data() + CopyDimsOf(c, 1, dims);
  args.output = output.data();
  args.dims = dims;
  args.rank = MergeCopyDims(dims, c.rank, 0, 1);
  args.element_bytes = 1;
  for (auto _ : state) {
    run(args, 0, dims[0].before + dims[0].count + dims[0].after);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(output.size()));
}

const bool registered = [] {
  for (const CopyCase& c : kCopyBenchmarks) {
    for (const auto& variant : kCopy) {
      if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
      benchmark::RegisterBenchmark((std::string("copy/") + variant.name + "/" + c.name).c_str(), Copy, c,
                                   variant.run);
    }
  }
  return true;
}();

}  // namespace
}  // namespace lutra
