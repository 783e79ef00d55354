// SPDX-License-Identifier: Apache-2.0
// Elements of one byte and of four.

#include <vector>

#include "lutra/kernels/select/select.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

struct Case {
  const char* name;
  int32_t element_bytes;
};
constexpr Case kCases[] = {{"1_byte", 1}, {"4_bytes", 4}};

void Run(benchmark::State& state, const VariantUse<SelectFn>& use, const Case& c) {
  constexpr int32_t kCount = 16384;
  std::vector<uint8_t> condition(kCount), a(kCount * c.element_bytes), b(a.size()), output(a.size());
  FillBytes(1, kCount, condition.data());
  FillBytes(2, kCount * c.element_bytes, a.data());
  FillBytes(3, kCount * c.element_bytes, b.data());
  Measure(state, use, {condition.data(), a.data(), b.data(), output.data(), 1, 1, 1, c.element_bytes},
          kCount);
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool registered = RegisterKernel(kSelect, kCases, Run);

}  // namespace
}  // namespace lutra
