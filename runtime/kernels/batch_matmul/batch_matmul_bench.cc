// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "runtime/kernels/batch_matmul/batch_matmul_cases.h"

namespace lutra {
namespace {

void MatMul(benchmark::State& state, MatMulFn run, const MatMulCase& c, bool rhs_transposed) {
  std::vector<int8_t> lhs(c.m * c.k), rhs(c.k * c.n), output(c.m * c.n);
  FillInt8(1, c.m * c.k, lhs.data());
  FillInt8(2, c.k * c.n, rhs.data());
  MatMulArgs args = {{c.m, c.k, c.n, false, rhs_transposed},
                     lhs.data(),
                     rhs.data(),
                     output.data(),
                     {},
                     c.lhs_offset,
                     c.rhs_offset,
                     c.output_offset};
  FillMultipliers(3, c.k, 1, &args.multiplier);
  for (auto _ : state) {
    run(args);
    benchmark::ClobberMemory();
  }
  state.counters["MAC/s"] =
      benchmark::Counter(static_cast<double>(c.m) * c.k * c.n, benchmark::Counter::kIsIterationInvariantRate,
                         benchmark::Counter::kIs1000);
}

const bool registered = [] {
  for (const auto& variant : kMatMulInt8) {
    if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
    for (const MatMulCase& c : kMatMulBenchmarks) {
      const std::string name = std::string("batch_matmul/") + variant.name + "/" + c.name;
      benchmark::RegisterBenchmark(name.c_str(), MatMul, variant.run, c, false);
      benchmark::RegisterBenchmark((name + "/transposed").c_str(), MatMul, variant.run, c, true);
    }
  }
  return true;
}();

}  // namespace
}  // namespace lutra
