// SPDX-License-Identifier: Apache-2.0
// Over the rows of an image, over its pixels, and along its rows.

#include <vector>

#include "runtime/kernels/reduce/reduce_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<ReduceFn>& use, const ReduceCase& c) {
  // Large enough for either type.
  std::vector<float> input(ElementCount(c));
  std::vector<float> output(OutputCount(c));
  ReduceDim dims[2 * kMaxReduceRank];
  ReduceArgs args = {};
  args.shape = ReduceShapeOf(c, dims);
  args.input = input.data();
  args.output = output.data();
  args.multiplier = {1 << 30, -3};
  Measure(state, use, args);
  state.SetItemsProcessed(state.iterations() * ElementCount(c));
}

template <typename... Tables>
bool RegisterAll(const Tables&... tables) {
  return (RegisterKernel(tables, kReduceBenchmarks, Run) && ...);
}

const bool registered = RegisterAll(kReduceSumInt8, kReduceMaxInt8, kReduceMinInt8, kReduceSumFloat,
                                    kReduceMaxFloat, kReduceMinFloat);

}  // namespace
}  // namespace lutra
