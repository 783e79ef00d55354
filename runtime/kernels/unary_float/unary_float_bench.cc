// SPDX-License-Identifier: Apache-2.0
// A function of the C library's, and one without.

#include <vector>

#include "lutra/kernels/unary_float/unary_float.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

struct Case {
  const char* name;
  UnaryFunction function;
};
constexpr Case kCases[] = {{"logistic", UnaryFunction::kLogistic}, {"relu6", UnaryFunction::kRelu6}};

void Run(benchmark::State& state, const VariantUse<UnaryFloatFn>& use, const Case& c) {
  constexpr int32_t kCount = 16384;
  std::vector<float> input(kCount, 0.5f), output(kCount);
  Measure(state, use, {c.function, 0, input.data(), output.data()}, 0, kCount);
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = RegisterKernel(kUnaryFloat, kCases, Run);

}  // namespace
}  // namespace lutra
