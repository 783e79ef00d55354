// SPDX-License-Identifier: Apache-2.0
// Finds the rule that gives all outputs that a runtime gave for an operator, or several rules and where each
// holds.
//
//   std::vector<CaseFit> fits = {WeighCase(test, op, outputs), ...};
//   fmt::print("{}\n", DescribeRules(Explain(op, std::move(fits), lint)));   // "FP32 where ..., else DR"

#pragma once

#include <functional>

#include "conformance/generator/case.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance {

// Says how a case came out, rule by rule, in the order of the operator's rules.
struct CaseFit {
  struct ByRule {
    int64_t different = 0;  // Elements; -1: the rule has no answer, or one of another size.
    double largest = 0;     // Magnitude of a difference.
  };

  std::string id;
  std::vector<ByRule> rules;
  std::vector<bool> traits;    // Which of AllTraits() hold for its node.
  std::vector<bool> profiles;  // Which of Profiles() have a rule for its node that explains it.
  std::string lint;  // The linter's finding that sets the case apart; filled in only if no rule explains it.

  bool IsExplainedBy(size_t rule) const { return rules[rule].different == 0; }
};

// A rule with the cases that it explains.
struct RuleFit {
  std::string rule;
  std::string where;               // Empty: everywhere; a trait of nodes, or "else".
  std::vector<std::string> cases;  // Ids.
  // Other rules that explain the same cases, too.
  std::vector<std::string> alternatives;
};

struct OperatorFit {
  std::string op;
  int cases = 0;  // Cases that ran and were not set apart.
  int unsupported = 0, crashed = 0;
  // One rule, or one for each of two or three places. They explain all cases but those in `unknown`.
  std::vector<RuleFit> rules;
  // Rules that no input tells apart from the first, where there is one.
  std::vector<std::string> equivalent;
  std::vector<CaseFit> unknown;
  // Cases outside the specification that none of `rules` explains.
  std::vector<CaseFit> set_apart;
  // Elements and magnitude of the unknown cases' differences from the rules.
  int64_t different = 0;
  double largest = 0;
};

// Weighs every rule of the operator of a case's name against what a runtime gave.
CaseFit WeighCase(const Case& test, const oracle::Operator& op, const std::vector<oracle::Bytes>& actual);

// The linter's first finding that the specification does not cover a model, "rule: what it found"; empty if
// there is none.
std::string OutsideSpecification(const oracle::Bytes& model);

// OutsideSpecification, or else the linter's first finding that some runtimes compute otherwise or fail
// ("E-...", but for operators that a runtime lacks); empty if there is none. A case with a reason is set
// apart from the evidence where no rule explains it.
std::string ReasonToSetApart(const oracle::Bytes& model);

// Finds the rules that explain these cases. `lint` gives ReasonToSetApart of a case that no rule explains.
OperatorFit Explain(const oracle::Operator& op, std::vector<CaseFit> cases,
                    const std::function<std::string(const CaseFit&)>& lint);

// "FP32 where ..., else DR", "DR or SR", "unknown; nearest ...".
std::string DescribeRules(const OperatorFit& fit);

}  // namespace lutra::conformance
