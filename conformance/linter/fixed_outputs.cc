// SPDX-License-Identifier: Apache-2.0
// Checks operators whose output has a fixed scale and zero point, whatever the model says.

#include <fmt/format.h>

#include <map>

#include "conformance/linter/site.h"
#include "conformance/linter/specification.h"

namespace lutra::conformance::linter {
namespace {

void CheckOutput(const Site& site) {
  // SOFTMAX may also give int16.
  if (!site.is_int8() || !site.output(0).is(oracle::kInt8)) return;
  const oracle::Quantization& required = SpecificationOf(site.name()).output;
  const Operand output = site.output(0);
  const oracle::Quantization found = oracle::QuantizationOf(*output.tensor);
  if (found.scale == required.scale && found.zero_point == required.zero_point) return;
  site.Report(output, Describe(found), Describe(required));
}

// Names the runtimes that refuse another output.
const char* WhoAsksForOutput(std::string_view op) {
  static const std::map<std::string_view, const char*> enforced = {
      {"LOGISTIC", "TFLM: the zero point; LiteRT: the scale"},
      {"TANH", "nobody; TFLM computes as if, LiteRT takes any"},
      {"SOFTMAX", "TFLM; LiteRT: the scale within 0.1 %"},
      {"LOG_SOFTMAX", "TFLM, LiteRT"},
      {"L2_NORMALIZATION", "LiteRT; TFLM computes as if"}};
  return enforced.at(op);
}

}  // namespace

const std::vector<LintRule>& FixedOutputRules() {
  static const std::vector<LintRule> rules = [] {
    std::vector<LintRule> made;
    for (const Specification& row : AllSpecifications()) {
      if (!row.has_fixed_output()) continue;
      made.push_back({'S',
                      "output-quantization",
                      Severity::kError,
                      {std::string(row.op)},
                      fmt::format("scale {}, zero point {}", row.output_scale_text, row.output.zero_point),
                      WhoAsksForOutput(row.op),
                      "kernels compute codes of this scale whatever the tensor says",
                      CheckOutput});
    }
    return made;
  }();
  return rules;
}

}  // namespace lutra::conformance::linter
