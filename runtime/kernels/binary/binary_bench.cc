// SPDX-License-Identifier: Apache-2.0
// Two inputs of one size.

#include "runtime/kernels/binary/binary_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename Element, typename Table>
bool Register(const Table& table, const BinaryQuantization& quantization) {
  return RegisterKernel(table, ElementCounts(),
                        [=](benchmark::State& state, const VariantUse<BinaryFn>& use, const CountCase& c) {
                          ProblemMemory memory;
                          Measure(state, use, BinaryProblemOf<Element>({c.count}, &quantization, memory));
                          state.SetItemsProcessed(state.iterations() * c.count);
                        });
}

template <typename Element, typename... Tables>
bool RegisterPlain(const Tables&... tables) {
  return (Register<Element>(tables, {}) && ...);
}

const bool registered =
    Register<int8_t>(kAddInt8, SumQuantization()) && Register<int8_t>(kSubInt8, SumQuantization()) &&
    Register<int8_t>(kMulInt8, ProductQuantization()) && Register<int8_t>(kDivInt8, QuotientQuantization()) &&
    Register<int8_t>(kSquaredDifferenceInt8, SquareQuantization()) &&
    RegisterPlain<float>(kAddFloat, kSubFloat, kMulFloat, kDivFloat, kSquaredDifferenceFloat, kFloorDivFloat,
                         kFloorModFloat) &&
    RegisterPlain<int32_t>(kAddInt32, kSubInt32, kMulInt32, kDivInt32, kSquaredDifferenceInt32);

}  // namespace
}  // namespace lutra
