// SPDX-License-Identifier: Apache-2.0
// Computes the oracle's outputs, by the rules of a profile.

#include "conformance/runner/expected_outputs.h"

namespace lutra::conformance {

std::optional<std::vector<oracle::Bytes>> ExpectedOutputs(const Case& test, const oracle::Profile& profile) {
  if (!test.must_refuse.empty()) return std::nullopt;
  try {
    const auto model = oracle::ReadModel(test.plain_model.empty() ? test.model : test.plain_model);
    oracle::Evaluation run(
        *model, [&](const oracle::Operator& op, const oracle::Node& node) -> const oracle::ArithmeticRule& {
          const oracle::ArithmeticRule& rule = oracle::RuleOf(profile, op, node);
          // A defect describes a runtime, but no runtime should follow it.
          const bool is_defect = rule.method == oracle::Method::kDefect;
          if (is_defect && !profile.with_defects) throw oracle::Unspecified("a defect");
          return rule;
        });
    std::vector<oracle::Bytes> outputs;
    for (int i = 0; i < test.invokes; ++i) outputs = run.Invoke(test.inputs);
    return outputs;
  } catch (const oracle::Unspecified&) {
    return std::nullopt;
  }
}

}  // namespace lutra::conformance
