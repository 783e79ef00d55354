// SPDX-License-Identifier: Apache-2.0
// The layers of a keyword spotter.

#include <vector>

#include "runtime/kernels/svdf/svdf_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename State>
void Run(benchmark::State& state, const VariantUse<SvdfFn>& use, const SvdfCase& c) {
  const int32_t filters = FilterCount(c);
  std::vector<int8_t> input(c.batches * c.depth), feature_weights(filters * c.depth);
  std::vector<int8_t> output(c.batches * c.units);
  std::vector<State> time_weights(filters * c.memory), states(StateCount(c));
  FillInt8(1, c.batches * c.depth, input.data());
  FillInt8(2, filters * c.depth, feature_weights.data());
  SvdfArgs args = SvdfArgsOf(c, sizeof(State));
  args.input = input.data();
  args.feature_weights = feature_weights.data();
  args.time_weights = time_weights.data();
  args.state = states.data();
  args.output = output.data();
  Measure(state, use, args);
  CountMacs(state, static_cast<double>(c.batches) * filters * (c.depth + c.memory));
}

const bool registered = RegisterKernel(kSvdfInt8State, kSvdfBenchmarks, Run<int8_t>) &&
                        RegisterKernel(kSvdfInt16State, kSvdfBenchmarks, Run<int16_t>);

}  // namespace
}  // namespace lutra
