// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "runtime/kernels/pool/pool_cases.h"

namespace lutra {
namespace {

template <typename Args, typename Fn>
void Pool(benchmark::State& state, const PoolCase& c, Args args, Fn run, int32_t element_bytes) {
  args.shape = &c.shape;
  const RowMap map = RowMapOf(c, element_bytes);
  std::vector<uint8_t> input(map.in_rows * map.in_row_bytes);
  std::vector<uint8_t> output(map.out_rows * map.out_row_bytes);
  const Rows from = {input.data(), map.in_row_bytes, 0};
  const Rows to = {output.data(), map.out_row_bytes, 0};
  for (auto _ : state) {
    run(args, from, to, 0, map.out_rows);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(input.size()));
}

template <typename Args, typename Table>
void Register(const std::string& name, const Table& table, Args args, int32_t element_bytes) {
  for (const PoolCase& c : kPoolBenchmarks) {
    for (const auto& variant : table) {
      if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
      benchmark::RegisterBenchmark((name + "/" + variant.name + "/" + c.name).c_str(),
                                   Pool<Args, decltype(variant.run)>, c, args, variant.run, element_bytes);
    }
  }
}

const bool registered = [] {
  Register("average_pool/int8", kAveragePoolInt8, PoolArgs{nullptr, -128, 127}, 1);
  Register("max_pool/int8", kMaxPoolInt8, PoolArgs{nullptr, -128, 127}, 1);
  Register("average_pool/float", kAveragePoolFloat, PoolFloatArgs{nullptr, -9, 9}, 4);
  Register("max_pool/float", kMaxPoolFloat, PoolFloatArgs{nullptr, -9, 9}, 4);
  return true;
}();

}  // namespace
}  // namespace lutra
