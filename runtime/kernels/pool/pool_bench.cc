// SPDX-License-Identifier: Apache-2.0
// The pools of MLPerf Tiny, and a large one.

#include <vector>

#include "runtime/kernels/pool/pool_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename Fn>
void Run(benchmark::State& state, const VariantUse<Fn>& use, const PoolCase& c) {
  constexpr int32_t kElementBytes = std::is_same_v<Fn, PoolFn> ? 1 : 4;
  const RowMap map = RowMapOf(c, kElementBytes);
  std::vector<uint8_t> input(map.in_rows * map.in_row_bytes);
  std::vector<uint8_t> output(map.out_rows * map.out_row_bytes);
  Measure(state, use, {&c.shape, -128, 127}, {input.data(), map.in_row_bytes, 0},
          {output.data(), map.out_row_bytes, 0}, 0, map.out_rows);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(input.size()));
}

const bool registered = RegisterKernel(kAveragePoolInt8, kPoolBenchmarks, Run<PoolFn>) &&
                        RegisterKernel(kMaxPoolInt8, kPoolBenchmarks, Run<PoolFn>) &&
                        RegisterKernel(kAveragePoolUint8, kPoolBenchmarks, Run<PoolFn>) &&
                        RegisterKernel(kMaxPoolUint8, kPoolBenchmarks, Run<PoolFn>) &&
                        RegisterKernel(kAveragePoolFloat, kPoolBenchmarks, Run<PoolFloatFn>) &&
                        RegisterKernel(kMaxPoolFloat, kPoolBenchmarks, Run<PoolFloatFn>);

}  // namespace
}  // namespace lutra
