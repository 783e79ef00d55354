// SPDX-License-Identifier: Apache-2.0
// Operators that move or choose codes: all activations have one scale and zero point.

#include <fmt/format.h>

#include <map>

#include "conformance/linter/site.h"
#include "conformance/linter/specification.h"

namespace lutra::conformance::linter {
namespace {

void CheckEqual(const Site& site) {
  const Operand first = site.FirstInput(kActivation);
  if (!site.is_int8()) return;
  const oracle::Quantization required = oracle::QuantizationOf(*first.tensor);
  for (const Operand& operand : site.Activations()) {
    const oracle::Quantization found = oracle::QuantizationOf(*operand.tensor);
    if (found.scale == required.scale && found.zero_point == required.zero_point) continue;
    site.Report(operand, Describe(found),
                fmt::format("{}, as \"{}\"", Describe(required), first.tensor->name));
  }
}

const char* WhoAsksForEquality(std::string_view op) {
  static const std::map<std::string_view, const char*> enforced = {
      {"AVERAGE_POOL_2D", "TFLM (scales within 1e-6); LiteRT: an assertion"},
      {"MAX_POOL_2D", "TFLM (scales within 1e-6); LiteRT: an assertion"},
      {"CONCATENATION", "TFLM, LiteRT"},
      {"REDUCE_MAX", "TFLM, LiteRT"},
      {"REDUCE_MIN", "TFLM, LiteRT"},
      {"PADV2", "TFLM, LiteRT: constant and output; else nobody"},
      {"BATCH_TO_SPACE_ND", "LiteRT"},
      {"SPACE_TO_BATCH_ND", "LiteRT"}};
  const auto found = enforced.find(op);
  return found == enforced.end() ? "nobody" : found->second;
}

}  // namespace

const std::vector<LintRule>& EqualScaleRules() {
  static const std::vector<LintRule> rules = [] {
    std::vector<LintRule> made;
    for (const Specification& row : AllSpecifications()) {
      if (!row.equal_quantization) continue;
      made.push_back({'S',
                      "equal-quantization",
                      Severity::kError,
                      {std::string(row.op)},
                      "the same scale and zero point for all inputs and outputs",
                      WhoAsksForEquality(row.op),
                      "codes are copied or compared as they are, so they would stand for other values",
                      CheckEqual});
    }
    return made;
  }();
  return rules;
}

}  // namespace lutra::conformance::linter
