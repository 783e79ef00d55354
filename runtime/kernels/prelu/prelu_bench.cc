// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lutra/kernels/prelu/prelu.h"
#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

constexpr int32_t kCount = 16384;

void Run(benchmark::State& state, PreluFn run) {
  std::vector<int8_t> input(kCount), alpha(kCount), output(kCount);
  FillBytes(1, kCount, input.data());
  FillBytes(2, kCount, alpha.data());
  const PreluArgs args = {input.data(), alpha.data(), output.data(), 1, 1, 3, -4, 5,
                          {1 << 30, 0}, {1 << 30, -7}};
  for (auto _ : state) {
    run(args, 0, kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = [] {
  for (const auto& variant : kPreluInt8) {
    benchmark::RegisterBenchmark((std::string("prelu/") + variant.name).c_str(), Run, variant.run);
  }
  return true;
}();

}  // namespace
}  // namespace lutra
