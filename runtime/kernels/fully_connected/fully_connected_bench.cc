// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/kernels/fully_connected/fully_connected_cases.h"

namespace lutra {
namespace {

void FullyConnected(benchmark::State& state, FullyConnectedFn run, const FullyConnectedCase& c) {
  std::vector<int8_t> input(c.rows * c.depth), weights(c.channels * c.depth);
  std::vector<int8_t> output(c.rows * c.channels);
  std::vector<int32_t> bias(c.channels);
  Multiplier multiplier = {};
  FillInt8(1, static_cast<int32_t>(input.size()), input.data());
  FillInt8(2, static_cast<int32_t>(weights.size()), weights.data());
  FillBias(3, c.channels, bias.data());
  FillMultipliers(4, c.depth, 1, &multiplier);
  const FullyConnectedArgs args = {c.depth,     c.channels, QuantizationOf(c), weights.data(), bias.data(),
                                   &multiplier, true};
  const Rows from = {reinterpret_cast<uint8_t*>(input.data()), c.depth, 0};
  const Rows to = {reinterpret_cast<uint8_t*>(output.data()), c.channels, 0};
  for (auto _ : state) {
    run(args, from, to, 0, c.rows);
    benchmark::DoNotOptimize(output.data());
    benchmark::ClobberMemory();
  }
  state.counters["MAC/s"] =
      benchmark::Counter(static_cast<double>(c.rows) * c.depth * c.channels,
                         benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

const bool registered = [] {
  for (const auto& variant : kFullyConnectedInt8) {
    if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
    for (const auto& c : kFullyConnectedBenchmarks) {
      const std::string name = std::string("fully_connected/") + variant.name + "/" + c.name;
      benchmark::RegisterBenchmark(name.c_str(), FullyConnected, variant.run, c);
    }
  }
  return true;
}();

}  // namespace
}  // namespace lutra
