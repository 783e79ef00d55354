// SPDX-License-Identifier: Apache-2.0
// The layers of MLPerf Tiny's anomaly detection, in the older scheme.

#include "runtime/kernels/fully_connected_uint8/fully_connected_uint8_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<FullyConnectedUint8Fn>& use, const FullyConnectedCase& c) {
  ProblemMemory memory;
  Measure(state, use, FullyConnectedUint8ProblemOf(c, 0, memory));
  CountMacs(state, static_cast<double>(c.rows) * c.depth * c.channels);
}

const bool registered = RegisterKernel(kFullyConnectedUint8, kFullyConnectedBenchmarks, Run);

}  // namespace
}  // namespace lutra
