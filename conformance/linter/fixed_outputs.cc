// SPDX-License-Identifier: Apache-2.0
// Operators whose output has one scale and zero point, whatever the model says.

#include "conformance/linter/site.h"

namespace lutra::conformance::linter {
namespace {

void CheckOutput(const Site& site) {
  // SOFTMAX may give int16 too.
  if (!site.is_int8() || !site.output(0).is(oracle::kInt8)) return;
  oracle::Quantization required = {1.0f / 128.0f, 0};  // TANH, L2_NORMALIZATION
  if (site.name() == "LOGISTIC" || site.name() == "SOFTMAX") required = {1.0f / 256.0f, -128};
  if (site.name() == "LOG_SOFTMAX") required = {16.0f / 256.0f, 127};
  const Operand output = site.output(0);
  const oracle::Quantization found = oracle::QuantizationOf(*output.tensor);
  if (found.scale == required.scale && found.zero_point == required.zero_point) return;
  site.Report(output, Describe(found), Describe(required));
}

LintRule OutputRule(const char* op, const char* requirement, const char* enforced_by) {
  return {'S',
          "output-quantization",
          Severity::kError,
          {op},
          requirement,
          enforced_by,
          "kernels compute codes of this scale whatever the tensor says",
          CheckOutput};
}

}  // namespace

const std::vector<LintRule>& FixedOutputRules() {
  static const std::vector<LintRule> rules = {
      OutputRule("LOGISTIC", "scale 1/256, zero point -128", "TFLM: the zero point; LiteRT: the scale"),
      OutputRule("TANH", "scale 1/128, zero point 0", "nobody; TFLM computes as if, LiteRT takes any"),
      OutputRule("SOFTMAX", "scale 1/256, zero point -128", "TFLM; LiteRT: the scale within 0.1 %"),
      OutputRule("LOG_SOFTMAX", "scale 16/256, zero point 127", "TFLM, LiteRT"),
      OutputRule("L2_NORMALIZATION", "scale 1/128, zero point 0", "LiteRT; TFLM computes as if"),
  };
  return rules;
}

}  // namespace lutra::conformance::linter
