// SPDX-License-Identifier: Apache-2.0
// Finds the rules that a model breaks, and where runtimes would compute different values for it.
//
//   for (const Finding& finding : Lint(*oracle::ReadModel(bytes))) puts(finding.rule.c_str());

#pragma once

#include "conformance/linter/lint_rule.h"
#include "conformance/oracle/model.h"

namespace lutra::conformance::linter {

// Returns findings in the order of subgraphs, nodes, rules.
std::vector<Finding> Lint(const oracle::ModelObjects& model);

// An operator without an activation of 8 bits, to which rules about values do not apply.
struct NotChecked {
  int subgraph = 0, node = 0;
  std::string op, type;  // Of its first activation: "INT16".
};
std::vector<NotChecked> OperatorsNotChecked(const oracle::ModelObjects& model);

}  // namespace lutra::conformance::linter
