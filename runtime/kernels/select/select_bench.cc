// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lutra/kernels/select/select.h"
#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

constexpr int32_t kCount = 16384;

void Run(benchmark::State& state, SelectFn run) {
  std::vector<uint8_t> condition(kCount), a(kCount), b(kCount), output(kCount);
  FillBytes(1, kCount, condition.data());
  FillBytes(2, kCount, a.data());
  FillBytes(3, kCount, b.data());
  for (auto _ : state) {
    run({condition.data(), a.data(), b.data(), output.data(), 1, 1, 1, 1}, kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = [] {
  for (const auto& variant : kSelect) {
    benchmark::RegisterBenchmark((std::string("select/") + variant.name).c_str(), Run, variant.run);
  }
  return true;
}();

}  // namespace
}  // namespace lutra
