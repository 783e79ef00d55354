// SPDX-License-Identifier: Apache-2.0
// Two inputs of one size.

#include <vector>

#include "lutra/kernels/binary/binary.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename Element>
void Run(benchmark::State& state, const VariantUse<BinaryFn>& use, const CountCase& c) {
  std::vector<int8_t> codes(c.count);
  FillBytes(1, c.count, codes.data());
  std::vector<Element> a(codes.begin(), codes.end());
  FillBytes(2, c.count, codes.data());
  std::vector<Element> b(codes.begin(), codes.end());
  // No divisor may be 0.
  for (Element& value : b) value = value == Element{-4} ? Element{5} : value;
  std::vector<Element> output(a.size());
  const BinaryQuantization quantization = {{1 << 30, 0}, {1288490189, -1}, {1503238554, -18}, 3, -4, 5, -128,
                                           127};
  Measure(state, use, {a.data(), b.data(), output.data(), 1, 1, &quantization, -100, 100}, 0, c.count);
  state.SetItemsProcessed(state.iterations() * c.count);
}

template <typename Element, typename... Tables>
bool RegisterAll(const Tables&... tables) {
  return (RegisterKernel(tables, ElementCounts(), Run<Element>) && ...);
}

const bool registered =
    RegisterAll<int8_t>(kAddInt8, kSubInt8, kMulInt8, kDivInt8, kSquaredDifferenceInt8) &&
    RegisterAll<float>(kAddFloat, kSubFloat, kMulFloat, kDivFloat, kSquaredDifferenceFloat) &&
    RegisterAll<int32_t>(kAddInt32, kSubInt32, kMulInt32);

}  // namespace
}  // namespace lutra
