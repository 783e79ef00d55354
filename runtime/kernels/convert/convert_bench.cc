// SPDX-License-Identifier: Apache-2.0
// Reals to codes, codes to codes of another scale, codes to reals.

#include <vector>

#include "lutra/kernels/convert/convert.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

struct Case {
  const char* name;
  Conversion conversion;
  TensorType from;
  TensorType to;
};
constexpr Case kCases[] = {{"quantize", Conversion::kQuantize, TensorType::kFloat32, TensorType::kInt8},
                           {"requantize", Conversion::kRequantize, TensorType::kInt8, TensorType::kInt8},
                           {"dequantize", Conversion::kDequantize, TensorType::kInt8, TensorType::kFloat32}};

void Run(benchmark::State& state, const VariantUse<ConvertFn>& use, const Case& c) {
  constexpr int32_t kCount = 16384;
  // Large enough for either type.
  std::vector<float> input(kCount, 0.5f), output(kCount);
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
          0, kCount);
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = RegisterKernel(kConvert, kCases, Run);

}  // namespace
}  // namespace lutra
