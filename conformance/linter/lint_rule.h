// SPDX-License-Identifier: Apache-2.0
// A rule of the linter: what it requires, of which operators, which runtimes enforce it, and the function
// that checks it. The page of rules and the checks come from the same rows.
//
//   const std::vector<LintRule> kPoolRules = {
//       {'S', "filter", Severity::kError, {"MAX_POOL_2D"}, "a filter of 1 x 1 or more", "TFLM, LiteRT",
//        "an empty window has no maximum", CheckFilter}};
//
// Kinds: S, the int8 specification; E, a runtime refuses or aborts (or reads where it must not); D,
// runtimes compute different values.

#pragma once

#include <string>
#include <vector>

namespace lutra::conformance::linter {

enum class Severity { kNote, kWarning, kError };
const char* NameOf(Severity severity);

struct Finding {
  std::string rule;
  Severity severity;
  int subgraph;
  int node;  // -1: the finding is about the model.
  std::string op;
  int tensor;  // -1: the finding is about the operator.
  std::string tensor_name;
  std::string found;
  std::string required;
  std::string explanation;
};

class Site;

struct LintRule {
  char kind;
  const char* topic;
  Severity severity;
  std::vector<std::string> operators;
  std::string requirement;
  // The runtimes that refuse a model which breaks the rule, or compute other values. "nobody": all run it,
  // and its outputs are not those that were meant.
  const char* enforced_by;
  const char* explanation;
  void (*check)(const Site&);
};

// S-CONV_2D-bias-scale.
std::string RuleId(const LintRule& rule, const std::string& op);

// Families, each in its own file.
const std::vector<LintRule>& TensorRules();
const std::vector<LintRule>& WeightRules();
const std::vector<LintRule>& FixedOutputRules();
const std::vector<LintRule>& EqualScaleRules();
const std::vector<LintRule>& MultiplierRules();
const std::vector<LintRule>& ShapeRules();
const std::vector<LintRule>& LimitRules();
const std::vector<LintRule>& DisagreementRules();
const std::vector<LintRule>& EveryCodeRules();
// Returns all of them.
const std::vector<LintRule>& AllRules();

}  // namespace lutra::conformance::linter
