// SPDX-License-Identifier: Apache-2.0
// The layers of MLPerf Tiny's anomaly detection, in the older scheme.

#include <vector>

#include "lutra/kernels/fully_connected_uint8/fully_connected_uint8.h"
#include "runtime/kernels/fully_connected/fully_connected_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

void Run(benchmark::State& state, const VariantUse<FullyConnectedUint8Fn>& use, const FullyConnectedCase& c) {
  std::vector<uint8_t> input(c.rows * c.depth), weights(c.channels * c.depth), output(c.rows * c.channels);
  FillBytes(1, static_cast<int32_t>(input.size()), input.data());
  FillBytes(2, static_cast<int32_t>(weights.size()), weights.data());
  Measure(state, use, {c.depth, c.channels, {-3, -121, 7, 0, 255}, weights.data(), nullptr, 0.0003},
          {input.data(), c.depth, 0}, {output.data(), c.channels, 0}, 0, c.rows);
  CountMacs(state, static_cast<double>(c.rows) * c.depth * c.channels);
}

const bool registered = RegisterKernel(kFullyConnectedUint8, kFullyConnectedBenchmarks, Run);

}  // namespace
}  // namespace lutra
