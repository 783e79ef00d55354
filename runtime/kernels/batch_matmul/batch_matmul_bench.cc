// SPDX-License-Identifier: Apache-2.0
// The second matrix as it is and transposed.

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

void RunInt8(benchmark::State& state, const VariantUse<MatMulFn>& use, const Case& c) {
  ProblemMemory memory;
  Measure(state, use, MatMulProblemOf(c.matrices, false, c.rhs_transposed, memory));
  CountMacs(state, MacsOf(c.matrices));
}

void RunInt16(benchmark::State& state, const VariantUse<MatMulInt16Fn>& use, const Case& c) {
  ProblemMemory memory;
  Measure(state, use, MatMulInt16ProblemOf(c.matrices, false, c.rhs_transposed, memory));
  CountMacs(state, MacsOf(c.matrices));
}

void RunFloat(benchmark::State& state, const VariantUse<MatMulFloatFn>& use, const Case& c) {
  ProblemMemory memory;
  Measure(state, use, MatMulFloatProblemOf(c.matrices, false, c.rhs_transposed, memory));
  CountMacs(state, MacsOf(c.matrices));
}

const bool registered = RegisterKernel(kMatMulInt8, Cases(), RunInt8) &&
                        RegisterKernel(kMatMulInt16, Cases(), RunInt16) &&
                        RegisterKernel(kMatMulFloat, Cases(), RunFloat);

}  // namespace
}  // namespace lutra
