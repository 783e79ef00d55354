// SPDX-License-Identifier: Apache-2.0
// Reals to codes, codes to codes of another scale, codes to reals.

#include <string>
#include <vector>

#include "runtime/kernels/convert/convert_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

struct Case {
  std::string name;
  ConvertCase conversion;
  int32_t count;
};

std::vector<Case> Cases() {
  const Case conversions[] = {
      {"quantize", {Conversion::kQuantize, TensorType::kFloat32, TensorType::kInt8}, 0},
      {"requantize", {Conversion::kRequantize, TensorType::kInt8, TensorType::kInt8}, 0},
      {"dequantize", {Conversion::kDequantize, TensorType::kInt8, TensorType::kFloat32}, 0}};
  std::vector<Case> cases;
  for (const Case& c : conversions) {
    for (const CountCase& count : ElementCounts()) {
      cases.push_back({c.name + "_" + count.name, c.conversion, count.count});
    }
  }
  return cases;
}

void Run(benchmark::State& state, const VariantUse<ConvertFn>& use, const Case& c) {
  ProblemMemory memory;
  Measure(state, use, ConvertProblemOf(c.conversion, 0, c.count, memory));
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kConvert, Cases(), Run);

}  // namespace
}  // namespace lutra
