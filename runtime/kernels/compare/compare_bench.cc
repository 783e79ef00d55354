// SPDX-License-Identifier: Apache-2.0
// Codes of two scales, and floats.

#include <vector>

#include "lutra/kernels/compare/compare.h"
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
    {"less_int8_3", TensorType::kInt8, 3},         {"less_int8_17", TensorType::kInt8, 17},
    {"less_int8_130", TensorType::kInt8, 130},     {"less_int8_1000", TensorType::kInt8, 1000},
    {"less_int8_16384", TensorType::kInt8, 16384}, {"less_float_16384", TensorType::kFloat32, 16384}};

void Run(benchmark::State& state, const VariantUse<CompareFn>& use, const Case& c) {
  // Large enough for either type; any bytes are floats.
  std::vector<float> a(c.count), b(c.count);
  std::vector<uint8_t> output(c.count);
  FillBytes(1, c.count, a.data());
  FillBytes(2, c.count, b.data());
  CompareArgs args = {};
  args.comparison = Comparison::kLess;
  args.type = c.type;
  args.a = a.data();
  args.b = b.data();
  args.output = output.data();
  args.a_step = args.b_step = 1;
  args.a_multiplier = args.b_multiplier = {1 << 30, -4};
  Measure(state, use, args, 0, c.count);
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kCompare, kCases, Run);

}  // namespace
}  // namespace lutra
