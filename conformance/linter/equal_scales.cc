// SPDX-License-Identifier: Apache-2.0
// Operators that move or choose codes: all activations have one scale and zero point.

#include <fmt/format.h>

#include "conformance/linter/site.h"

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

LintRule EqualRule(std::vector<std::string> operators, const char* enforced_by) {
  return {'S',
          "equal-quantization",
          Severity::kError,
          std::move(operators),
          "the same scale and zero point for all inputs and outputs",
          enforced_by,
          "codes are copied or compared as they are, so they would stand for other values",
          CheckEqual};
}

}  // namespace

const std::vector<LintRule>& EqualScaleRules() {
  static const std::vector<LintRule> rules = {
      EqualRule({"AVERAGE_POOL_2D", "MAX_POOL_2D"}, "TFLM (scales within 1e-6); LiteRT: an assertion"),
      EqualRule({"CONCATENATION"}, "TFLM, LiteRT"),
      EqualRule({"REDUCE_MAX", "REDUCE_MIN"}, "TFLM, LiteRT"),
      EqualRule({"PADV2"}, "TFLM, LiteRT: constant and output; else nobody"),
      EqualRule({"BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND"}, "LiteRT"),
      EqualRule({"BROADCAST_TO",
                 "DEPTH_TO_SPACE",
                 "EXPAND_DIMS",
                 "GATHER",
                 "GATHER_ND",
                 "MAXIMUM",
                 "MINIMUM",
                 "MIRROR_PAD",
                 "PACK",
                 "PAD",
                 "RESHAPE",
                 "RESIZE_BILINEAR",
                 "RESIZE_NEAREST_NEIGHBOR",
                 "REVERSE_V2",
                 "SELECT_V2",
                 "SLICE",
                 "SPACE_TO_DEPTH",
                 "SPLIT",
                 "SPLIT_V",
                 "SQUEEZE",
                 "STRIDED_SLICE",
                 "TRANSPOSE",
                 "UNPACK"},
                "nobody"),
  };
  return rules;
}

}  // namespace lutra::conformance::linter
