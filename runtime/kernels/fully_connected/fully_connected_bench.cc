// SPDX-License-Identifier: Apache-2.0
// The layers of MLPerf Tiny's anomaly detection, with plain weights and compressed ones.

#include <random>
#include <string>
#include <vector>

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/kernels/fully_connected/fully_connected_cases.h"
#include "runtime/testing/kernel_bench.h"
#include "runtime/testing/streamed_weights.h"

namespace lutra {
namespace {

double MacsOf(const FullyConnectedCase& c) { return static_cast<double>(c.rows) * c.depth * c.channels; }

double BytesOf(const FullyConnectedCase& c) {
  return static_cast<double>(c.rows) * c.depth + static_cast<double>(c.channels) * (c.depth + c.rows);
}

void RunInt8(benchmark::State& state, const VariantUse<FullyConnectedFn>& use, const FullyConnectedCase& c) {
  ProblemMemory memory;
  Measure(state, use, FullyConnectedProblemOf(c, 0, memory));
  CountMacs(state, MacsOf(c));
  CountBytes(state, BytesOf(c));
}

// Weights of four bits with one table.
struct CompressedCase : FullyConnectedCase {
  std::string name;
};
std::vector<CompressedCase> CompressedCases() {
  std::vector<CompressedCase> cases;
  for (const FullyConnectedCase& c : kFullyConnectedBenchmarks) {
    cases.push_back({c, std::string("compressed_") + c.name});
  }
  return cases;
}

void RunCompressed(benchmark::State& state, const VariantUse<FullyConnectedFn>& use,
                   const CompressedCase& c) {
  if (use.variant.prepare == nullptr) return state.SkipWithError("decodes nothing");
  std::mt19937 random(1);
  const StreamedWeights weights(&random, c.channels * c.depth, {});
  ProblemMemory memory;
  Problem<FullyConnectedArgs> problem = FullyConnectedProblemOf(c, 0, memory);
  problem.args.weights = nullptr;
  problem.args.streamed = &weights.rows();
  Measure(state, use, problem);
  CountMacs(state, MacsOf(c));
}

void RunFloat(benchmark::State& state, const VariantUse<FullyConnectedFloatFn>& use,
              const FullyConnectedCase& c) {
  ProblemMemory memory;
  Measure(state, use, FullyConnectedFloatProblemOf(c, 0, memory));
  CountMacs(state, MacsOf(c));
  CountBytes(state, BytesOf(c) * sizeof(float));
}

const bool registered = RegisterKernel(kFullyConnectedInt8, kFullyConnectedBenchmarks, RunInt8) &&
                        RegisterKernel(kFullyConnectedInt8, CompressedCases(), RunCompressed) &&
                        RegisterKernel(kFullyConnectedFloat, kFullyConnectedBenchmarks, RunFloat);

}  // namespace
}  // namespace lutra
