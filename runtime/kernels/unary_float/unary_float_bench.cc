// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lutra/kernels/unary_float/unary_float.h"
#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

constexpr int32_t kCount = 16384;

void Run(benchmark::State& state, UnaryFloatFn run) {
  std::vector<float> input(kCount, 0.5f), output(kCount);
  for (auto _ : state) {
    run({UnaryFunction::kLogistic, 0, input.data(), output.data()}, 0, kCount);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = [] {
  for (const auto& variant : kUnaryFloat) {
    benchmark::RegisterBenchmark((std::string("unary_float_logistic/") + variant.name).c_str(), Run,
                                 variant.run);
  }
  return true;
}();

}  // namespace
}  // namespace lutra
