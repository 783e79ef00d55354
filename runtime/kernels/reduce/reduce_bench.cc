// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "runtime/kernels/reduce/reduce_cases.h"

namespace lutra {
namespace {

void Reduce(benchmark::State& state, const ReduceCase& c, ReduceFn run) {
  // Large enough for either type.
  std::vector<float> input(ElementCount(c));
  std::vector<float> output(OutputCount(c));
  ReduceDim dims[2 * kMaxReduceRank];
  ReduceArgs args = {};
  args.shape = ReduceShapeOf(c, dims);
  args.input = input.data();
  args.output = output.data();
  args.multiplier = {1 << 30, -3};
  for (auto _ : state) {
    run(args);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * ElementCount(c));
}

template <typename Table>
void Register(const std::string& name, const Table& table) {
  for (const ReduceCase& c : kReduceBenchmarks) {
    for (const auto& variant : table) {
      if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
      benchmark::RegisterBenchmark((name + "/" + variant.name + "/" + c.name).c_str(), Reduce, c,
                                   variant.run);
    }
  }
}

const bool registered = [] {
  Register("reduce_sum/int8", kReduceSumInt8);
  Register("reduce_max/int8", kReduceMaxInt8);
  Register("reduce_sum/float", kReduceSumFloat);
  return true;
}();

}  // namespace
}  // namespace lutra
