// SPDX-License-Identifier: Apache-2.0
// Reals to codes, codes to codes of another scale, codes to reals.

#include <string>
#include <vector>

#include "lutra/kernels/convert/convert.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

struct Case {
  std::string name;
  Conversion conversion;
  TensorType from;
  TensorType to;
  int32_t count;
};
const Case kConversions[] = {
    {"quantize", Conversion::kQuantize, TensorType::kFloat32, TensorType::kInt8, 0},
    {"requantize", Conversion::kRequantize, TensorType::kInt8, TensorType::kInt8, 0},
    {"dequantize", Conversion::kDequantize, TensorType::kInt8, TensorType::kFloat32, 0}};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const Case& c : kConversions) {
    for (const CountCase& count : ElementCounts()) {
      cases.push_back({c.name + "_" + count.name, c.conversion, c.from, c.to, count.count});
    }
  }
  return cases;
}

void Run(benchmark::State& state, const VariantUse<ConvertFn>& use, const Case& c) {
  // Large enough for either type.
  std::vector<float> input(c.count, 0.5f), output(c.count);
  Measure(state, use,
          {.conversion = c.conversion,
           .in_type = c.from,
           .out_type = c.to,
           .scale = 0.01f,
           .in_zero_point = 0,
           .out_zero_point = 3,
           .multiplier = {1503238554, -1},
           .input = input.data(),
           .output = output.data()},
          0, c.count);
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kConvert, Cases(), Run);

}  // namespace
}  // namespace lutra
