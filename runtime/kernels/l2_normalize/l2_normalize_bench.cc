// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "lutra/kernels/l2_normalize/l2_normalize.h"
#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

void L2Normalize(benchmark::State& state, L2NormalizeFn run) {
  const auto rows = static_cast<int32_t>(state.range(0));
  const auto depth = static_cast<int32_t>(state.range(1));
  std::vector<uint8_t> input(rows * depth);
  std::vector<uint8_t> output(rows * depth);
  FillBytes(1, rows * depth, input.data());
  const L2NormalizeArgs args = {depth, -3};
  for (auto _ : state) {
    run(args, {input.data(), depth, 0}, {output.data(), depth, 0}, 0, rows);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * rows * depth);
}

const bool registered = [] {
  for (const auto& variant : kL2NormalizeInt8) {
    if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
    benchmark::RegisterBenchmark((std::string("l2_normalize/int8/") + variant.name).c_str(), L2Normalize,
                                 variant.run)
        ->Args({1, 12})
        ->Args({64, 64});
  }
  return true;
}();

}  // namespace
}  // namespace lutra
