// SPDX-License-Identifier: Apache-2.0
// Along the last dimension, and across the channels of an image.

#include <vector>

#include "lutra/kernels/arg_max/arg_max.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

struct Case {
  const char* name;
  int32_t count;
  int32_t inner;
};
constexpr Case kCases[] = {{"1000", 1000, 1}, {"21_of_1024", 21, 1024}};

void Run(benchmark::State& state, const VariantUse<ArgMaxFn>& use, const Case& c) {
  // Large enough for either type.
  std::vector<float> input(c.count * c.inner);
  std::vector<int32_t> output(c.inner);
  Measure(state, use,
          {.input = input.data(), .output = output.data(), .outer = 1, .count = c.count, .inner = c.inner});
  state.SetItemsProcessed(state.iterations() * c.count * c.inner);
}

const bool registered = RegisterKernel(kArgMaxInt8, kCases, Run) && RegisterKernel(kArgMaxFloat, kCases, Run);

}  // namespace
}  // namespace lutra
