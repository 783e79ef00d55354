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
  int32_t count;
};
constexpr Case kCases[] = {{"1_byte", 1, 16384},     {"4_bytes", 4, 16384},     {"3_of_1_byte", 1, 3},
                           {"17_of_1_byte", 1, 17},  {"130_of_1_byte", 1, 130}, {"3_of_4_bytes", 4, 3},
                           {"17_of_4_bytes", 4, 17}, {"130_of_4_bytes", 4, 130}};

void Run(benchmark::State& state, const VariantUse<SelectFn>& use, const Case& c) {
  std::vector<uint8_t> condition(c.count), a(c.count * c.element_bytes), b(a.size()), output(a.size());
  FillBytes(1, c.count, condition.data());
  FillBytes(2, c.count * c.element_bytes, a.data());
  FillBytes(3, c.count * c.element_bytes, b.data());
  Measure(state, use, {condition.data(), a.data(), b.data(), output.data(), 1, 1, 1, c.element_bytes},
          c.count);
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kSelect, kCases, Run);

}  // namespace
}  // namespace lutra
