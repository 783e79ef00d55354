// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/binary/binary.h"
#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

constexpr int32_t kCount = 16384;

void Run(benchmark::State& state, BinaryFn<int8_t> run, BinaryFunction function) {
  std::vector<int8_t> a(kCount), b(kCount), output(kCount);
  FillBytes(1, kCount, a.data());
  FillBytes(2, kCount, b.data());
  const BinaryQuantization quantization = {3, -4, 5, {1 << 30, 0}, {1288490189, -1}, {1503238554, -18}};
  const BinaryArgs<int8_t> args = {function, a.data(), b.data(), output.data(), 1, 1, -128, 127, &quantization};
  for (auto _ : state) {
    run(args, 0, kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = [] {
  for (const auto& variant : kBinaryInt8) {
    const std::string name = std::string("/") + variant.name;
    benchmark::RegisterBenchmark(("binary_add" + name).c_str(), Run, variant.run, BinaryFunction::kAdd);
    benchmark::RegisterBenchmark(("binary_mul" + name).c_str(), Run, variant.run, BinaryFunction::kMul);
  }
  return true;
}();

}  // namespace
}  // namespace lutra
