// SPDX-License-Identifier: Apache-2.0
// Corner cases of SVDF: many units, and scales that float32 and double combine differently.

#include <algorithm>
#include <cmath>

#include "conformance/generator/corners.h"

namespace lutra::conformance {
namespace {

struct SvdfScales {
  float in, feature, state, time, out;
};

// The state is int16; weights and biases are given; a unit has one row of features.
void AddSvdf(Corners* corners, const std::string& what, const SvdfScales& scales, int units, int memory,
             const oracle::Bytes& features, const std::vector<int16_t>& times,
             const std::vector<int32_t>& biases, const oracle::Bytes& input) {
  const auto depth = static_cast<int32_t>(input.size());
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, depth}, .scale = scales.in});
  const int f = maker.Constant({.shape = {units, depth}, .scale = scales.feature}, features);
  const int t = maker.Constant({.shape = {units, memory}, .type = oracle::kInt16, .scale = scales.time},
                               ToBytes(times));
  const int b = maker.Constant(
      {.shape = {units}, .type = oracle::kInt32, .scale = scales.state * scales.time}, ToBytes(biases));
  const int state = maker.Activation(
      {.shape = {1, units * memory}, .type = oracle::kInt16, .scale = scales.state, .is_variable = true});
  const int y = maker.Output({.shape = {1, units}, .scale = scales.out});
  maker.Op<edit::SVDFOptionsT>("SVDF", {x, f, t, b, state}, {y}, [](auto& options) {
    options.rank = 1;
    options.fused_activation_function = 1;
  });
  corners->Add(what, maker, {input});
}

// Among many, the quotient a * b / c whose float32 is farthest from its double.
struct Ratio {
  float a = 0, b = 0, c = 0;
  double exact() const { return double{a} * double{b} / double{c}; }
  double rounded() const { return double{a * b / c}; }
};
Ratio RoughRatio(Random& random, int exponent) {
  Ratio worst;
  double most = 0;
  for (int i = 0; i < 20000; ++i) {
    Ratio ratio;
    ratio.a = random.Scale(exponent, exponent);
    ratio.b = random.Scale(exponent, exponent);
    ratio.c = random.Scale(0, 0);
    const double error = std::abs(ratio.rounded() / ratio.exact() - 1);
    if (error <= most) continue;
    most = error;
    worst = ratio;
  }
  return worst;
}

// Tests the scale from state to output: biases are a few steps from a half, and all products are 0.
void SvdfTimeScale(Corners* corners) {
  constexpr int kUnits = 64;
  const Ratio ratio = RoughRatio(corners->random, -11);
  std::vector<int32_t> biases;
  for (int i = 0; i < kUnits; ++i) {
    biases.push_back(static_cast<int32_t>(std::lround((100.5 + i % 8) / ratio.exact())) + (i / 8 - 4) * 6);
  }
  AddSvdf(corners, "time_scale",
          {.in = 0.5f, .feature = 0.5f, .state = ratio.a, .time = ratio.b, .out = ratio.c}, kUnits, 1,
          oracle::Bytes(kUnits, 0), std::vector<int16_t>(kUnits, 0), biases, {0});
}

// Tests the scale from input to state: the two precisions round sums of products to different states near
// 32000, of which the bias leaves the last unit.
void SvdfFeatureScale(Corners* corners) {
  constexpr int kDepth = 600, kUnits = 12, kMost = 127;
  const Ratio ratio = RoughRatio(corners->random, -4);
  const auto state_of = [](int64_t sum, double scale) {
    return oracle::Scale(sum, oracle::QuantizeMultiplier(scale), oracle::Rounding::kDouble);
  };
  oracle::Bytes features, input(kDepth, kMost);
  input[0] = 1;
  std::vector<int32_t> biases;
  for (int64_t sum = 2000000; biases.size() < kUnits; ++sum) {
    if (sum > int64_t{kMost} * kMost * (kDepth - 1)) break;
    const int64_t state = state_of(sum, ratio.exact());
    if (state > 32000) break;
    if (state_of(sum, ratio.rounded()) == state || sum % kMost > 100) continue;
    features.push_back(static_cast<uint8_t>(sum % kMost));
    int64_t left = sum / kMost;
    for (int i = 1; i < kDepth; ++i) {
      const int64_t weight = std::min<int64_t>(left, kMost);
      features.push_back(static_cast<uint8_t>(weight));
      left -= weight;
    }
    biases.push_back(static_cast<int32_t>(-state));
    sum += 20000;
  }
  if (biases.empty()) return;
  const auto units = static_cast<int>(biases.size());
  AddSvdf(corners, "feature_scale",
          {.in = ratio.a, .feature = ratio.b, .state = ratio.c, .time = 1, .out = ratio.c}, units, 1,
          features, std::vector<int16_t>(biases.size(), 1), biases, input);
}

}  // namespace

void SvdfCorners(Corners* corners) {
  constexpr int kUnits = 40;
  AddSvdf(corners, "units_40", {.in = 0.1f, .feature = 0.1f, .state = 0.01f, .time = 0.01f, .out = 0.5f},
          kUnits, 2, corners->Codes(kUnits * 3), std::vector<int16_t>(kUnits * 2, 100),
          std::vector<int32_t>(kUnits, 7), {11, 0xCE, 90});
  SvdfTimeScale(corners);
  SvdfFeatureScale(corners);
}

}  // namespace lutra::conformance
