// SPDX-License-Identifier: Apache-2.0
// The second matrix as it lies and transposed.

#include <string>
#include <vector>

#include "runtime/kernels/batch_matmul/batch_matmul_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

struct Case {
  std::string name;
  MatMulCase matrices;
  bool rhs_transposed;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const MatMulCase& c : kMatMulBenchmarks) {
    cases.push_back({c.name, c, false});
    cases.push_back({std::string(c.name) + "_transposed", c, true});
  }
  return cases;
}

double MacsOf(const MatMulCase& c) { return static_cast<double>(c.m) * c.k * c.n; }

void RunInt8(benchmark::State& state, const VariantUse<MatMulFn>& use, const Case& problem) {
  const MatMulCase& c = problem.matrices;
  std::vector<int8_t> lhs(c.m * c.k), rhs(c.k * c.n), output(c.m * c.n);
  FillInt8(1, c.m * c.k, lhs.data());
  FillInt8(2, c.k * c.n, rhs.data());
  MatMulArgs args = {{c.m, c.k, c.n, false, problem.rhs_transposed},
                     lhs.data(),
                     rhs.data(),
                     output.data(),
                     {},
                     c.lhs_offset,
                     c.rhs_offset,
                     c.output_offset};
  FillMultipliers(3, c.k, 1, &args.multiplier);
  Measure(state, use, args);
  CountMacs(state, MacsOf(c));
}

void RunFloat(benchmark::State& state, const VariantUse<MatMulFloatFn>& use, const Case& problem) {
  const MatMulCase& c = problem.matrices;
  std::vector<float> lhs(c.m * c.k), rhs(c.k * c.n), output(c.m * c.n);
  FillFloat(1, c.m * c.k, lhs.data());
  FillFloat(2, c.k * c.n, rhs.data());
  Measure(state, use,
          {{c.m, c.k, c.n, false, problem.rhs_transposed}, lhs.data(), rhs.data(), output.data()});
  CountMacs(state, MacsOf(c));
}

const bool registered =
    RegisterKernel(kMatMulInt8, Cases(), RunInt8) && RegisterKernel(kMatMulFloat, Cases(), RunFloat);

}  // namespace
}  // namespace lutra
