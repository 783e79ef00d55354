// SPDX-License-Identifier: Apache-2.0
// The output of a classifier, and of many.

#include <vector>

#include "lutra/kernels/l2_normalize/l2_normalize.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<L2NormalizeFn>& use, const RowsCase& c) {
  std::vector<uint8_t> input(c.rows * c.depth), output(c.rows * c.depth);
  FillBytes(1, c.rows * c.depth, input.data());
  Measure(state, use, {c.depth, -3}, {input.data(), c.depth, 0}, {output.data(), c.depth, 0}, 0, c.rows);
  state.SetItemsProcessed(state.iterations() * c.rows * c.depth);
}

const bool registered = RegisterKernel(kL2NormalizeInt8, RowsCases(), Run);

}  // namespace
}  // namespace lutra
