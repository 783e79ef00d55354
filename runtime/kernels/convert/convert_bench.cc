// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lutra/kernels/convert/convert.h"
#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

constexpr int32_t kCount = 16384;

void Run(benchmark::State& state, ConvertFn run) {
  std::vector<float> input(kCount, 0.5f);
  std::vector<int8_t> output(kCount);
  const ConvertArgs args = {.conversion = Conversion::kQuantize,
                            .in_type = TensorType::kFloat32,
                            .out_type = TensorType::kInt8,
                            .scale = 0.01f,
                            .in_zero_point = 0,
                            .out_zero_point = 3,
                            .multiplier = {},
                            .input = input.data(),
                            .output = output.data()};
  for (auto _ : state) {
    run(args, 0, kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = [] {
  for (const auto& variant : kConvert) {
    benchmark::RegisterBenchmark((std::string("convert_quantize/") + variant.name).c_str(), Run, variant.run);
  }
  return true;
}();

}  // namespace
}  // namespace lutra
