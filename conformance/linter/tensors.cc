// SPDX-License-Identifier: Apache-2.0
// Checks every int8 activation: type, scale, zero point, granularity.

#include <fmt/format.h>

#include <cmath>

#include "conformance/linter/site.h"
#include "conformance/linter/specification.h"

namespace lutra::conformance::linter {
namespace {

void CheckOperands(const Site& site) {
  if (site.complete()) return;
  site.Report(
      {}, fmt::format("{} inputs, {} outputs", site.input_count(), site.output_count()),
      fmt::format("inputs {}, outputs {} (x activation, w weights, b bias or none, s state, p integers)",
                  site.signature()->inputs, site.signature()->outputs));
}

template <typename F>
void ForEachInt8(const Site& site, F&& f) {
  for (const Operand& operand : site.Activations()) {
    if (operand.is(oracle::kInt8)) f(operand);
  }
}

void CheckScale(const Site& site) {
  ForEachInt8(site, [&](const Operand& operand) {
    if (operand.scales().empty()) return site.Report(operand, "no scale", "a finite scale above 0");
    for (const float scale : operand.scales()) {
      if (std::isfinite(scale) && scale > 0) continue;
      return site.Report(operand, fmt::format("scale {}", scale), "a finite scale above 0");
    }
  });
}

void CheckZeroPoint(const Site& site) {
  ForEachInt8(site, [&](const Operand& operand) {
    for (const int64_t zero_point : operand.zero_points()) {
      if (zero_point >= kZeroPoints.low && zero_point <= kZeroPoints.high) continue;
      return site.Report(operand, fmt::format("zero point {}", zero_point),
                         fmt::format("{} to {}", kZeroPoints.low, kZeroPoints.high));
    }
  });
}

// Returns whether the operator knows scales along a dimension: DEQUANTIZE, and QUANTIZE of float32.
bool MayBePerAxis(const Site& site) {
  return site.name() == "DEQUANTIZE" || (site.name() == "QUANTIZE" && site.input(0).is(oracle::kFloat32));
}

void CheckOneScale(const Site& site) {
  if (MayBePerAxis(site)) return;
  ForEachInt8(site, [&](const Operand& operand) {
    if (operand.scales().size() > 1) {
      site.Report(operand, fmt::format("{} scales", operand.scales().size()), "one scale");
    }
  });
}

// Returns the operand with scales along a dimension, or an absent one.
Operand PerAxisOperand(const Site& site) {
  if (!MayBePerAxis(site)) return {};
  const Operand codes = site.name() == "QUANTIZE" ? site.output(0) : site.input(0);
  return codes.scales().size() > 1 ? codes : Operand();
}

void CheckScalesAlongAxis(const Site& site) {
  const Operand codes = PerAxisOperand(site);
  if (!codes) return;
  const int axis = codes.tensor->quantization->quantized_dimension;
  const size_t scales = codes.scales().size(), zero_points = codes.zero_points().size();
  if (static_cast<int64_t>(scales) == codes.dim(axis) && (zero_points <= 1 || zero_points == scales)) return;
  site.Report(codes, fmt::format("{} scales, {} zero points", scales, zero_points),
              fmt::format("{}: the size of dimension {}", codes.dim(axis), axis));
}

void CheckPerAxis(const Site& site) {
  if (const Operand codes = PerAxisOperand(site)) {
    site.Report(codes, fmt::format("{} scales", codes.scales().size()), "one scale");
  }
}

// The other activations must have the type of the first.
void CheckTypes(const Site& site) {
  if (!site.is_int8()) return;
  for (const Operand& operand : site.Activations()) {
    if (operand.is(oracle::kInt8)) continue;
    site.Report(operand, TypeName(operand.tensor->type), "INT8, as the first activation");
  }
}

// UINT8 is the scheme before int8.
void CheckUint8(const Site& site) {
  for (const Operand& operand : site.Activations()) {
    if (operand.is(oracle::kUint8)) return site.Report(operand, "UINT8", "INT8");
  }
}

bool ReadsUint8(const Site& site) { return site.complete() && site.input(0).is(oracle::kUint8); }

void CheckUint8Codes(const Site& site) {
  if (!ReadsUint8(site)) return;
  std::vector<Operand> operands = site.Activations();
  if (const Operand weights = site.FirstInput(kWeights)) operands.push_back(weights);
  for (const Operand& operand : operands) {
    if (!operand.is(oracle::kUint8)) continue;
    const auto& zero_points = operand.zero_points();
    const bool right = operand.scales().size() == 1 && std::isfinite(operand.scale()) &&
                       operand.scale() > 0 && zero_points.size() == 1 && zero_points[0] >= 0 &&
                       zero_points[0] <= UINT8_MAX;
    if (right) continue;
    return site.Report(operand,
                       fmt::format("{} scales, zero point {}", operand.scales().size(),
                                   zero_points.empty() ? "none" : std::to_string(zero_points[0])),
                       "one scale above 0 and one zero point from 0 to 255");
  }
}

void CheckUint8Weights(const Site& site) {
  const Operand weights = site.FirstInput(kWeights);
  if (!ReadsUint8(site) || !weights || weights.is(oracle::kUint8)) return;
  site.Report(weights, TypeName(weights.tensor->type), "UINT8, as the activations");
}

std::vector<std::string> Without(std::vector<std::string> names, const std::vector<std::string>& excluded) {
  for (const std::string& name : excluded) std::erase(names, name);
  return names;
}

}  // namespace

const std::vector<LintRule>& TensorRules() {
  static const std::vector<std::string> activations = OperatorsWith(kActivation);
  static const std::vector<std::string> per_axis = {"QUANTIZE", "DEQUANTIZE"};
  static const std::vector<LintRule> rules = {
      {'S', "operands", Severity::kError, AllSignatureNames(),
       "all inputs and outputs that the operator needs", "TFLM, LiteRT",
       "an operand is missing; nothing else of the operator was checked", CheckOperands},
      {'S', "scale", Severity::kError, activations, "int8 activations: a finite scale above 0",
       "TFLM and LiteRT where they divide by it (some abort)", "without a scale a code stands for no number",
       CheckScale},
      {'S', "zero-point", Severity::kError, activations, "int8 activations: zero point in [-128, 127]",
       "LiteRT in ADD and SUB; else nobody", "real 0 must be a code, padding and activations rely on it",
       CheckZeroPoint},
      {'S', "per-tensor", Severity::kError, Without(activations, {"DEQUANTIZE"}),
       "int8 activations: one scale for the tensor (QUANTIZE: where it reads integers)",
       "QUANTIZE: TFLM; else nobody", "kernels read the first scale and ignore the others", CheckOneScale},
      {'S', "scale-count", Severity::kError, per_axis,
       "one scale, or one for each element of the quantised dimension; zero points alike", "nobody",
       "kernels take scale c for element c of the dimension, there or not", CheckScalesAlongAxis},
      {'E',
       "per-axis",
       Severity::kWarning,
       {"QUANTIZE"},
       "one scale",
       "TFLM",
       "the model does not run there",
       CheckPerAxis},
      {'E',
       "per-axis",
       Severity::kWarning,
       {"DEQUANTIZE"},
       "one scale",
       "nobody",
       "TFLM takes the first scale and zero point for all elements",
       CheckPerAxis},
      {'S', "types", Severity::kError,
       Without(activations, {"QUANTIZE", "DEQUANTIZE", "ARG_MAX", "ARG_MIN", "SHAPE", "SVDF", "SOFTMAX"}),
       "if one activation is int8, all are", "TFLM and LiteRT in most operators; TFLM runs ADD with INT16",
       "bytes of one type are read as another", CheckTypes},
      {'E', "uint8", Severity::kWarning,
       Without(activations, {"QUANTIZE", "DEQUANTIZE", "ARG_MAX", "ARG_MIN", "SHAPE"}),
       "int8 where 8 bits are meant", "TFLM", "the older scheme, which TFLM no longer computes", CheckUint8},
      {'E',
       "uint8-codes",
       Severity::kWarning,
       {"ADD", "AVERAGE_POOL_2D", "CONCATENATION", "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED",
        "MAX_POOL_2D", "PAD", "SOFTMAX"},
       "uint8: one finite scale above 0, one zero point from 0 to 255",
       "LiteRT in most operators; Lutra",
       "real 0 must be a code, and no scale is one of a channel",
       CheckUint8Codes},
      {'E',
       "uint8-weights",
       Severity::kWarning,
       {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"},
       "weights of uint8 where activations are",
       "LiteRT, Lutra",
       "kernels read the weights as uint8 with a zero point",
       CheckUint8Weights},
  };
  return rules;
}

}  // namespace lutra::conformance::linter
