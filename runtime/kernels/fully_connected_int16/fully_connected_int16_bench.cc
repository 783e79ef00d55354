// SPDX-License-Identifier: Apache-2.0
// The layers of MLPerf Tiny's anomaly detection, with activations of int16.

#include "runtime/kernels/fully_connected_int16/fully_connected_int16_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<FullyConnectedInt16Fn>& use, const FullyConnectedCase& c) {
  ProblemMemory memory;
  Measure(state, use, FullyConnectedInt16ProblemOf(c, Int16ConvBias::kInt64, 0, memory));
  CountMacs(state, static_cast<double>(c.rows) * c.depth * c.channels);
}

const bool registered = RegisterKernel(kFullyConnectedInt16, kFullyConnectedBenchmarks, Run);

}  // namespace
}  // namespace lutra
