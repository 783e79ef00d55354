// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lutra/kernels/compare/compare.h"
#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

constexpr int32_t kCount = 16384;

void Run(benchmark::State& state, CompareFn run) {
  std::vector<int8_t> a(kCount), b(kCount);
  std::vector<uint8_t> output(kCount);
  FillBytes(1, kCount, a.data());
  FillBytes(2, kCount, b.data());
  CompareArgs args = {};
  args.comparison = Comparison::kLess;
  args.type = TensorType::kInt8;
  args.a = a.data();
  args.b = b.data();
  args.output = output.data();
  args.a_step = args.b_step = 1;
  args.a_multiplier = args.b_multiplier = {1 << 30, -4};
  for (auto _ : state) {
    run(args, 0, kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = [] {
  for (const auto& variant : kCompare) {
    benchmark::RegisterBenchmark((std::string("compare_less/") + variant.name).c_str(), Run, variant.run);
  }
  return true;
}();

}  // namespace
}  // namespace lutra
