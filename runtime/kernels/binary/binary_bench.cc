// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lutra/kernels/binary/binary.h"
#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

constexpr int32_t kCount = 16384;

void Run(benchmark::State& state, BinaryFn run) {
  std::vector<int8_t> a(kCount), b(kCount), output(kCount);
  FillBytes(1, kCount, a.data());
  FillBytes(2, kCount, b.data());
  const BinaryQuantization quantization = {{1 << 30, 0}, {1288490189, -1}, {1503238554, -18}, 3, -4, 5, -128,
                                           127};
  const BinaryArgs args = {a.data(), b.data(), output.data(), 1, 1, &quantization, 0, 0};
  for (auto _ : state) {
    run(args, 0, kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = [] {
  for (const auto& variant : kAddInt8) {
    benchmark::RegisterBenchmark((std::string("add/") + variant.name).c_str(), Run, variant.run);
  }
  for (const auto& variant : kMulInt8) {
    benchmark::RegisterBenchmark((std::string("mul/") + variant.name).c_str(), Run, variant.run);
  }
  return true;
}();

}  // namespace
}  // namespace lutra
