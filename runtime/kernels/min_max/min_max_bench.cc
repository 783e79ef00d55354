// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lutra/kernels/min_max/min_max.h"
#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

constexpr int32_t kCount = 16384;

void Run(benchmark::State& state, MinMaxFn run) {
  std::vector<int8_t> a(kCount), b(kCount), output(kCount);
  FillBytes(1, kCount, a.data());
  FillBytes(2, kCount, b.data());
  for (auto _ : state) {
    run({true, TensorType::kInt8, a.data(), b.data(), output.data(), 1, 1}, 0, kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = [] {
  for (const auto& variant : kMinMax) {
    benchmark::RegisterBenchmark((std::string("min_max/") + variant.name).c_str(), Run, variant.run);
  }
  return true;
}();

}  // namespace
}  // namespace lutra
