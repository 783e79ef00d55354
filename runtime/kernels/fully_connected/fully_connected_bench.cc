// SPDX-License-Identifier: Apache-2.0
// The layers of MLPerf Tiny's anomaly detection, with weights as they are and compressed.

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

void RunInt8(benchmark::State& state, const VariantUse<FullyConnectedFn>& use, const FullyConnectedCase& c) {
  std::vector<int8_t> input(c.rows * c.depth), weights(c.channels * c.depth);
  std::vector<int8_t> output(c.rows * c.channels);
  std::vector<int32_t> bias(c.channels);
  Multiplier multiplier = {};
  FillInt8(1, static_cast<int32_t>(input.size()), input.data());
  FillInt8(2, static_cast<int32_t>(weights.size()), weights.data());
  FillBias(3, c.channels, bias.data());
  FillMultipliers(4, c.depth, 1, &multiplier);
  Measure(state, use,
          {c.depth, c.channels, QuantizationOf(c), weights.data(), bias.data(), &multiplier, true},
          {reinterpret_cast<uint8_t*>(input.data()), c.depth, 0},
          {reinterpret_cast<uint8_t*>(output.data()), c.channels, 0}, 0, c.rows);
  CountMacs(state, MacsOf(c));
  CountBytes(state, static_cast<double>(input.size() + weights.size() + output.size()));
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
  std::vector<int8_t> input(c.rows * c.depth), output(c.rows * c.channels);
  Multiplier multiplier = {};
  FillInt8(1, static_cast<int32_t>(input.size()), input.data());
  FillMultipliers(4, c.depth, 1, &multiplier);
  FullyConnectedArgs args = {c.depth, c.channels, QuantizationOf(c), nullptr, nullptr, &multiplier, true};
  args.streamed = &weights.rows();
  Measure(state, use, args, {reinterpret_cast<uint8_t*>(input.data()), c.depth, 0},
          {reinterpret_cast<uint8_t*>(output.data()), c.channels, 0}, 0, c.rows);
  CountMacs(state, MacsOf(c));
}

void RunFloat(benchmark::State& state, const VariantUse<FullyConnectedFloatFn>& use,
              const FullyConnectedCase& c) {
  std::vector<float> input(c.rows * c.depth), weights(c.channels * c.depth);
  std::vector<float> output(c.rows * c.channels), bias(c.channels);
  FillFloat(1, static_cast<int32_t>(input.size()), input.data());
  FillFloat(2, static_cast<int32_t>(weights.size()), weights.data());
  Measure(state, use, {c.depth, c.channels, weights.data(), bias.data(), -6.0f, 6.0f},
          {reinterpret_cast<uint8_t*>(input.data()), c.depth * 4, 0},
          {reinterpret_cast<uint8_t*>(output.data()), c.channels * 4, 0}, 0, c.rows);
  CountMacs(state, MacsOf(c));
  CountBytes(state, static_cast<double>(input.size() + weights.size() + output.size()) * sizeof(float));
}

const bool registered = RegisterKernel(kFullyConnectedInt8, kFullyConnectedBenchmarks, RunInt8) &&
                        RegisterKernel(kFullyConnectedInt8, CompressedCases(), RunCompressed) &&
                        RegisterKernel(kFullyConnectedFloat, kFullyConnectedBenchmarks, RunFloat);

}  // namespace
}  // namespace lutra
