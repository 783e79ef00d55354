// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "runtime/kernels/svdf/svdf_cases.h"

namespace lutra {
namespace {

void Svdf(benchmark::State& state, SvdfFn run, const SvdfCase& c, int32_t state_bytes) {
  const int32_t filters = FilterCount(c);
  std::vector<int8_t> input(c.batches * c.depth), feature_weights(filters * c.depth);
  std::vector<int8_t> output(c.batches * c.units);
  // int16 keeps both of these aligned for either type of state.
  std::vector<int16_t> time_weights(filters * c.memory), states(StateCount(c));
  FillInt8(1, c.batches * c.depth, input.data());
  FillInt8(2, filters * c.depth, feature_weights.data());
  SvdfArgs args = SvdfArgsOf(c, state_bytes);
  args.input = input.data();
  args.feature_weights = feature_weights.data();
  args.time_weights = time_weights.data();
  args.state = states.data();
  args.output = output.data();
  for (auto _ : state) {
    run(args);
    benchmark::ClobberMemory();
  }
  state.counters["MAC/s"] =
      benchmark::Counter(static_cast<double>(c.batches) * filters * (c.depth + c.memory),
                         benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

const bool registered = [] {
  for (const SvdfCase& c : kSvdfBenchmarks) {
    for (const auto& variant : kSvdfInt8State) {
      const std::string name = std::string("svdf/int8/") + variant.name + "/" + c.name;
      benchmark::RegisterBenchmark(name.c_str(), Svdf, variant.run, c, 1);
    }
    for (const auto& variant : kSvdfInt16State) {
      const std::string name = std::string("svdf/int16/") + variant.name + "/" + c.name;
      benchmark::RegisterBenchmark(name.c_str(), Svdf, variant.run, c, 2);
    }
  }
  return true;
}();

}  // namespace
}  // namespace lutra
