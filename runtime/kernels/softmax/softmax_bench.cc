// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "lutra/kernels/softmax/softmax.h"

namespace lutra {
namespace {

template <typename Args, typename Fn>
void Softmax(benchmark::State& state, Args args, Fn run) {
  const auto rows = static_cast<int32_t>(state.range(0));
  args.depth = static_cast<int32_t>(state.range(1));
  // Large enough for all types.
  std::vector<float> input(rows * args.depth);
  std::vector<float> output(rows * args.depth);
  const int32_t row_bytes = args.depth * static_cast<int32_t>(sizeof(float));
  for (auto _ : state) {
    run(args, {reinterpret_cast<uint8_t*>(input.data()), row_bytes, 0},
        {reinterpret_cast<uint8_t*>(output.data()), row_bytes, 0}, 0, rows);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * rows * args.depth);
}

template <typename Args, typename Table>
void Register(const std::string& name, const Table& table, const Args& args) {
  for (const auto& variant : table) {
    if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
    benchmark::RegisterBenchmark((name + "/" + variant.name).c_str(), Softmax<Args, decltype(variant.run)>,
                                 args, variant.run)
        ->Args({1, 12})
        ->Args({64, 64});
  }
}

const bool registered = [] {
  const SoftmaxArgs args = {0, {1717986944, 23}, -248};
  Register("softmax/int8", kSoftmaxInt8, args);
  Register("softmax/int16_output", kSoftmaxInt16Output, args);
  Register("softmax/float", kSoftmaxFloat, SoftmaxFloatArgs{0, 1.0f});
  return true;
}();

}  // namespace
}  // namespace lutra
