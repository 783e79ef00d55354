// SPDX-License-Identifier: Apache-2.0
// The output of a classifier, and of many.

#include <vector>

#include "lutra/kernels/log_softmax/log_softmax.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<LogSoftmaxFn>& use, const RowsCase& c) {
  std::vector<uint8_t> input(c.rows * c.depth), output(c.rows * c.depth);
  FillBytes(1, c.rows * c.depth, input.data());
  Measure(state, use, {c.depth, {1717986944, 23}, {1342177260, -22}, -248}, {input.data(), c.depth, 0},
          {output.data(), c.depth, 0}, 0, c.rows);
  state.SetItemsProcessed(state.iterations() * c.rows * c.depth);
}

const bool registered = RegisterKernel(kLogSoftmaxInt8, RowsCases(), Run);

}  // namespace
}  // namespace lutra
