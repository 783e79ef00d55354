// SPDX-License-Identifier: Apache-2.0
// The pools of MLPerf Tiny, and a large one.

#include "runtime/kernels/pool/pool_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename Element, typename Fn>
void Run(benchmark::State& state, const VariantUse<Fn>& use, const PoolCase& c) {
  ProblemMemory memory;
  Measure(state, use, PoolProblemOf<Element>(c, 0, KernelArgs<Fn>{nullptr, -128, 127}, memory));
  const RowMap map = RowMapOf(c, sizeof(Element));
  state.SetBytesProcessed(state.iterations() * map.in_rows * map.in_row_bytes);
}

template <typename... Tables>
bool RegisterAll(const Tables&... tables) {
  return (RegisterKernel(tables, kPoolBenchmarks, Run<uint8_t, PoolFn>) && ...);
}

const bool registered = RegisterAll(kAveragePoolInt8, kMaxPoolInt8, kAveragePoolUint8, kMaxPoolUint8) &&
                        RegisterKernel(kAveragePoolInt16, kPoolBenchmarks, Run<int16_t, PoolFn>) &&
                        RegisterKernel(kMaxPoolInt16, kPoolBenchmarks, Run<int16_t, PoolFn>) &&
                        RegisterKernel(kAveragePoolFloat, kPoolBenchmarks, Run<float, PoolFloatFn>) &&
                        RegisterKernel(kMaxPoolFloat, kPoolBenchmarks, Run<float, PoolFloatFn>) &&
                        RegisterKernel(kL2PoolFloat, kPoolBenchmarks, Run<float, PoolFloatFn>);

}  // namespace
}  // namespace lutra
