// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lutra/kernels/lookup/lookup.h"
#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

constexpr int32_t kCount = 16384;

void Run(benchmark::State& state, LookupFn run) {
  std::vector<uint8_t> table(256), input(kCount), output(kCount);
  FillBytes(1, 256, table.data());
  FillBytes(2, kCount, input.data());
  for (auto _ : state) {
    run({table.data(), input.data(), output.data()}, 0, kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = [] {
  for (const auto& variant : kLookup) {
    benchmark::RegisterBenchmark((std::string("lookup/") + variant.name).c_str(), Run, variant.run);
  }
  return true;
}();

}  // namespace
}  // namespace lutra
