// SPDX-License-Identifier: Apache-2.0
// The output of a classifier, and of many; any codes.

#include <vector>

#include "lutra/kernels/softmax/softmax.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename Fn>
void Run(benchmark::State& state, const VariantUse<Fn>& use, const RowsCase& c) {
  KernelArgs<Fn> args = {};
  args.depth = c.depth;
  if constexpr (std::is_same_v<Fn, SoftmaxFn>) {
    args.multiplier = {1717986944, 23};  // 0.1
    args.diff_min = -248;
  } else {
    args.beta = 1.0f;
  }
  // Large enough for all types.
  std::vector<float> input(c.rows * c.depth), output(c.rows * c.depth);
  if (std::is_same_v<Fn, SoftmaxFn>) FillBytes(1, static_cast<int32_t>(4 * input.size()), input.data());
  const int32_t row_bytes = c.depth * static_cast<int32_t>(sizeof(float));
  Measure(state, use, args, {reinterpret_cast<uint8_t*>(input.data()), row_bytes, 0},
          {reinterpret_cast<uint8_t*>(output.data()), row_bytes, 0}, 0, c.rows);
  state.SetItemsProcessed(state.iterations() * c.rows * c.depth);
}

const bool registered = RegisterKernel(kSoftmaxInt8, RowsCases(), Run<SoftmaxFn>) &&
                        RegisterKernel(kSoftmaxInt16Output, RowsCases(), Run<SoftmaxFn>) &&
                        RegisterKernel(kSoftmaxFloat, RowsCases(), Run<SoftmaxFloatFn>);

}  // namespace
}  // namespace lutra
