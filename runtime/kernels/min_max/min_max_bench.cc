// SPDX-License-Identifier: Apache-2.0
// The larger of two codes, and of two floats.

#include <vector>

#include "lutra/kernels/min_max/min_max.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

struct Case {
  const char* name;
  TensorType type;
  int32_t count;
};
constexpr Case kCases[] = {
    {"int8_3", TensorType::kInt8, 3},         {"int8_17", TensorType::kInt8, 17},
    {"int8_130", TensorType::kInt8, 130},     {"int8_1000", TensorType::kInt8, 1000},
    {"int8_16384", TensorType::kInt8, 16384}, {"float_16384", TensorType::kFloat32, 16384}};

void Run(benchmark::State& state, const VariantUse<MinMaxFn>& use, const Case& c) {
  // Large enough for either type; any bytes are floats.
  std::vector<float> a(c.count), b(c.count), output(c.count);
  FillBytes(1, c.count, a.data());
  FillBytes(2, c.count, b.data());
  Measure(state, use, {true, c.type, a.data(), b.data(), output.data(), 1, 1}, 0, c.count);
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kMinMax, kCases, Run);

}  // namespace
}  // namespace lutra
