// SPDX-License-Identifier: Apache-2.0
// A slope for each element.

#include <vector>

#include "lutra/kernels/prelu/prelu.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<PreluFn>& use, const CountCase& c) {
  std::vector<int8_t> input(c.count), alpha(c.count), output(c.count);
  FillBytes(1, c.count, input.data());
  FillBytes(2, c.count, alpha.data());
  Measure(state, use,
          {input.data(), alpha.data(), output.data(), 1, 1, 3, -4, 5, {1 << 30, 0}, {1 << 30, -7}}, 0,
          c.count);
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kPreluInt8, ElementCounts(), Run);

}  // namespace
}  // namespace lutra
