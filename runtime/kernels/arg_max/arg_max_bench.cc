// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "lutra/kernels/arg_max/arg_max.h"

namespace lutra {
namespace {

void ArgMax(benchmark::State& state, ArgMaxFn run) {
  const auto count = static_cast<int32_t>(state.range(0));
  const auto inner = static_cast<int32_t>(state.range(1));
  std::vector<float> input(count * inner);
  std::vector<int32_t> output(inner);
  for (auto _ : state) {
    run({input.data(), output.data(), 1, count, inner, false, false});
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * count * inner);
}

template <typename Table>
void Register(const std::string& name, const Table& table) {
  for (const auto& variant : table) {
    if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
    benchmark::RegisterBenchmark((name + "/" + variant.name).c_str(), ArgMax, variant.run)
        ->Args({1000, 1})
        ->Args({21, 1024});
  }
}

const bool registered = [] {
  Register("arg_max/int8", kArgMaxInt8);
  Register("arg_max/float", kArgMaxFloat);
  return true;
}();

}  // namespace
}  // namespace lutra
