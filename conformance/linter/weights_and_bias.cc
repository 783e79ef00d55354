// SPDX-License-Identifier: Apache-2.0
// Checks weights and biases: type, granularity, zero points, range, scale, and the sums that they allow.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "conformance/linter/multiplier.h"
#include "conformance/linter/specification.h"

namespace lutra::conformance::linter {
namespace {

// Returns whether the specification covers these weights.
bool IsQuantized(const Site& site) { return site.is_int8() && site.FirstInput(kWeights).is(oracle::kInt8); }

void CheckWeightType(const Site& site) {
  if (!site.is_int8()) return;
  for (const Operand& weights : site.Inputs(kWeights)) {
    const bool is_time = site.name() == "SVDF" && weights.index == site.input(2).index;
    if (weights.is(oracle::kInt8) || weights.is(oracle::kInt4) || (is_time && weights.is(oracle::kInt16)))
      continue;
    site.Report(weights, TypeName(weights.tensor->type), "INT8");
  }
}

void CheckWeightScale(const Site& site) {
  if (!IsQuantized(site)) return;
  for (const Operand& weights : site.Inputs(kWeights)) {
    const auto good = [](float scale) { return std::isfinite(scale) && scale > 0; };
    const std::vector<float>& scales = weights.scales();
    const auto bad = std::find_if_not(scales.begin(), scales.end(), good);
    if (!scales.empty() && bad == scales.end()) continue;
    site.Report(weights, scales.empty() ? "no scale" : fmt::format("scale {}", *bad),
                "finite scales above 0");
  }
}

void CheckScaleCount(const Site& site) {
  if (!IsQuantized(site)) return;
  for (const Operand& weights : site.Inputs(kWeights)) {
    const size_t count = weights.scales().size();
    const int axis = count > 1 ? weights.tensor->quantization->quantized_dimension : 0;
    if (count <= 1 || static_cast<int64_t>(count) == weights.dim(axis)) continue;
    site.Report(weights, fmt::format("{} scales", count),
                fmt::format("1, or {}: the size of dimension {}", weights.dim(axis), axis));
  }
}

void CheckAxis(const Site& site) {
  const Operand weights = site.FirstInput(kWeights);
  if (!IsQuantized(site) || weights.scales().size() <= 1) return;
  const int axis = SpecificationOf(site.name()).weights_dimension;
  const int found = weights.tensor->quantization->quantized_dimension;
  if (found != axis) {
    site.Report(weights, fmt::format("scales along dimension {}", found), fmt::format("dimension {}", axis));
  }
}

void CheckWeightsPerTensor(const Site& site) {
  if (!IsQuantized(site)) return;
  for (const Operand& weights : site.Inputs(kWeights)) {
    if (weights.scales().size() > 1) {
      site.Report(weights, fmt::format("{} scales", weights.scales().size()), "one scale");
    }
  }
}

void CheckWeightZeroPoint(const Site& site) {
  if (!IsQuantized(site)) return;
  for (const Operand& weights : site.Inputs(kWeights)) {
    for (const int64_t zero_point : weights.zero_points()) {
      if (zero_point == 0) continue;
      site.Report(weights, fmt::format("zero point {}", zero_point), "0 for every channel");
      break;
    }
  }
}

void CheckWeightRange(const Site& site) {
  if (!IsQuantized(site)) return;
  for (const Operand& weights : site.Inputs(kWeights)) {
    if (!weights.is(oracle::kInt8)) continue;
    const oracle::Bytes& codes = site.Constant(weights);
    const auto count = std::count_if(codes.begin(), codes.end(), [](uint8_t code) {
      return static_cast<int8_t>(code) < kWeightCodes.low || static_cast<int8_t>(code) > kWeightCodes.high;
    });
    if (count != 0) site.Report(weights, fmt::format("-128 in {} of {}", count, codes.size()), "-127 to 127");
  }
}

void CheckBiasType(const Site& site) {
  const Operand bias = site.FirstInput(kBias);
  if (!IsQuantized(site) || !bias || bias.is(oracle::kInt32)) return;
  site.Report(bias, TypeName(bias.tensor->type), "INT32");
}

void CheckBiasZeroPoint(const Site& site) {
  const Operand bias = site.FirstInput(kBias);
  if (!IsQuantized(site) || !bias) return;
  for (const int64_t zero_point : bias.zero_points()) {
    if (zero_point != 0) return site.Report(bias, fmt::format("zero point {}", zero_point), "0");
  }
}

void CheckBiasSize(const Site& site) {
  const Operand bias = site.FirstInput(kBias);
  if (!IsQuantized(site) || !bias || bias.count() == ChannelsOf(site)) return;
  site.Report(bias, fmt::format("{} elements", bias.count()), fmt::format("{}", ChannelsOf(site)));
}

// A scale is wrong if it differs by more than 1 %, or by as much as runtimes refuse for a FULLY_CONNECTED.
constexpr double kWrong = 0.01;
constexpr double kWrongInOutputs = 0.02;
constexpr double kRounded = 1e-6;

// Compares the scale of each channel's sums with that of its bias. Reports the first that is far off or,
// unless `far`, the first that is off by more than rounding but not far.
void CheckBias(const Site& site, bool far) {
  const Operand bias = site.FirstInput(kBias);
  if (!IsQuantized(site) || !bias || bias.scales().empty()) return;
  const std::vector<double> sums = SumScales(site);
  const std::vector<float>& scales = bias.scales();
  const double out = site.output(0).scale();
  for (size_t c = 0; c < std::max(sums.size(), scales.size()); ++c) {
    if ((c >= sums.size() && sums.size() != 1) || (c >= scales.size() && scales.size() != 1)) return;
    const double required = sums[sums.size() == 1 ? 0 : c];
    const double found = scales[scales.size() == 1 ? 0 : c];
    const double difference = std::abs(found - required);
    const bool is_far = !(difference <= kWrong * required && difference / out <= kWrongInOutputs);
    if (is_far != far || difference <= kRounded * required) continue;
    return site.Report(bias, fmt::format("scale {}, channel {}", found, c),
                       fmt::format("{} = s_in * s_w", required));
  }
}

void CheckBiasScale(const Site& site) { CheckBias(site, true); }
void CheckBiasScaleRounded(const Site& site) { CheckBias(site, false); }

void CheckBiasHasScale(const Site& site) {
  const Operand bias = site.FirstInput(kBias);
  if (!IsQuantized(site) || !bias || !bias.scales().empty()) return;
  site.Report(bias, "no scale", "s_in * s_w");
}

// Names the operators whose weights may have a scale for each channel, or those whose weights may not.
std::vector<std::string> OperatorsByWeights(bool per_axis) {
  std::vector<std::string> names = OperatorsWith(kWeights);
  std::erase_if(names, [&](const std::string& name) {
    return (SpecificationOf(name).weights_dimension != kOneScale) != per_axis;
  });
  return names;
}

constexpr double kInt32Max = 2147483647.0;

// Returns the largest magnitude of code - zero point.
double LargestValue(const Operand& operand) {
  const auto zero_point = static_cast<double>(operand.zero_point());
  return std::max(127 - zero_point, zero_point + 128);
}

// Computes the largest possible sum, from the weights if they are constant.
void CheckAccumulator(const Site& site) {
  const Operand weights = site.FirstInput(kWeights);
  const int64_t channels = ChannelsOf(site);
  if (!IsQuantized(site) || channels <= 0) return;
  const bool depthwise = site.name() == "DEPTHWISE_CONV_2D";
  const oracle::Bytes& codes = site.Constant(weights);
  const int64_t taps = weights.count() / channels;
  // Unknown weights are taken as the largest.
  std::vector<double> sums(1, 127.0 * static_cast<double>(taps));
  if (!codes.empty()) sums.assign(static_cast<size_t>(channels), 0);
  for (size_t k = 0; k < codes.size(); ++k) {
    const size_t c = depthwise ? k % sums.size() : k / static_cast<size_t>(std::max<int64_t>(taps, 1));
    if (c < sums.size()) sums[c] += std::abs(static_cast<int8_t>(codes[k]));
  }
  const auto biases = site.Integers(site.FirstInput(kBias));
  for (size_t c = 0; c < sums.size(); ++c) {
    double worst = sums[c] * LargestValue(site.FirstInput(kActivation));
    if (biases && c < biases->size()) worst += std::abs(static_cast<double>((*biases)[c]));
    if (worst <= kInt32Max) continue;
    return site.Report(weights, fmt::format("sums up to {:.0f} in channel {}", worst, c),
                       "at most 2147483647");
  }
}

void CheckSvdfBiasScale(const Site& site) {
  const Operand bias = site.FirstInput(kBias);
  if (!IsQuantized(site) || !bias || bias.scales().empty()) return;
  const double required = double{site.FirstInput(kState).scale() * site.input(2).scale()};
  if (std::abs(bias.scale() - required) < 1e-5) return;
  site.Report(bias, fmt::format("scale {}", bias.scale()), fmt::format("{} = s_state * s_time", required));
}

}  // namespace

const std::vector<LintRule>& WeightRules() {
  static const std::vector<std::string> all = OperatorsWith(kWeights);
  static const std::vector<std::string> channels = OperatorsByWeights(true);
  static const std::vector<LintRule> rules = {
      {'S', "weights-type", Severity::kError, all, "int8 (SVDF's time weights: int16)", "TFLM, LiteRT",
       "int8 activations go with int8 weights", CheckWeightType},
      {'S', "weights-scale", Severity::kError, all, "finite scales above 0",
       "TFLM and LiteRT, if there is none", "without a scale a code stands for no number", CheckWeightScale},
      {'S', "weights-scale-count", Severity::kError, channels, "one scale, or one for each output channel",
       "TFLM, LiteRT", "channels without a scale", CheckScaleCount},
      {'S', "weights-axis", Severity::kError, channels,
       "scales along dimension 0; DEPTHWISE_CONV_2D: dimension 3", "TFLM and LiteRT, where the sizes tell",
       "kernels take scale c for output channel c", CheckAxis},
      {'S', "weights-per-tensor", Severity::kError, OperatorsByWeights(false), "one scale", "nobody",
       "kernels read the first scale and ignore the others", CheckWeightsPerTensor},
      {'S', "weights-zero-point", Severity::kError, all, "zero points 0",
       "LiteRT; TFLM in FULLY_CONNECTED, if assertions are on",
       "kernels skip the term of the weights' zero point", CheckWeightZeroPoint},
      {'S', "weights-range", Severity::kWarning, all, "-127 to 127, no -128", "nobody",
       "kernels may add two products of int8 in 16 bits, which -128 overflows", CheckWeightRange},
      {'S', "bias-type", Severity::kError, all, "int32", "LiteRT; TFLM reads it as int32",
       "the bias is added to a sum of 32 bits", CheckBiasType},
      {'S', "bias-zero-point", Severity::kError, all, "zero point 0", "LiteRT; TFLM ignores it",
       "kernels add the bias as it is", CheckBiasZeroPoint},
      {'S', "bias-size", Severity::kError, all, "one element for each output channel", "TFLM, LiteRT",
       "kernels read one for each channel", CheckBiasSize},
      {'S', "bias-scale", Severity::kError, channels,
       "s_in * s_w of its channel; here: by more than 1 %, or by more than 0.02 s_out",
       "FULLY_CONNECTED per tensor: TFLM, LiteRT (above 0.02 s_out); else nobody",
       "kernels add the bias as if it had this scale, so it stands for another value", CheckBiasScale},
      {'S', "bias-scale-rounded", Severity::kWarning, channels,
       "s_in * s_w of its channel; here: by more than 1e-6 of it", "nobody",
       "the scales were rounded apart; the bias is off by this share", CheckBiasScaleRounded},
      {'S', "bias-has-scale", Severity::kWarning, all, "a scale", "nobody",
       "nothing says whether the bias was made for these scales", CheckBiasHasScale},
      {'S',
       "bias-scale",
       Severity::kError,
       {"SVDF"},
       "s_state * s_time, within 1e-5",
       "TFLM, LiteRT",
       "kernels add the bias as if it had this scale",
       CheckSvdfBiasScale},
      {'S', "accumulator", Severity::kError, channels, "no input makes a sum beyond 32 bits", "nobody",
       "overflow is undefined in the reference kernels", CheckAccumulator},
  };
  return rules;
}

}  // namespace lutra::conformance::linter
