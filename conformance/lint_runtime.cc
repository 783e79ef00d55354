// SPDX-License-Identifier: Apache-2.0
// Counts the operators that were not checked, and prepares the model.

#include "conformance/lint_runtime.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "conformance/linter/lint.h"
#include "host/prepared_model.h"
#include "lutra/row_groups.h"

namespace lutra::conformance {
namespace {

// Returns why this runtime refuses the model; empty if it does not.
std::string RefusalOf(const std::string& path) {
  try {
    host::SmallestArena(host::ReadModelFile(path), {});
    return "";
  } catch (const host::BadInput& refusal) {
    const std::string why = refusal.what();
    return why.starts_with(path + ": ") ? why.substr(path.size() + 2) : why;
  }
}

// Returns "2 operators of INT16 (ADD, CONV_2D)" and so on, by type.
std::string DescribeNotChecked(const std::vector<linter::NotChecked>& operators) {
  struct OfType {
    int count = 0;
    std::vector<std::string> names;
  };
  std::map<std::string, OfType> types;
  for (const linter::NotChecked& one : operators) {
    OfType& type = types[one.type];
    ++type.count;
    if (std::find(type.names.begin(), type.names.end(), one.op) == type.names.end())
      type.names.push_back(one.op);
  }
  std::string text;
  for (const auto& [name, type] : types) {
    text += fmt::format("{}{} operator{} of {} ({})", text.empty() ? "" : ", ", type.count,
                        type.count == 1 ? "" : "s", name, fmt::join(type.names, ", "));
  }
  return text;
}

linter::Finding NotCheckedFinding(const std::vector<linter::NotChecked>& operators,
                                  const std::string& refusal) {
  return {.rule = "S-ANY-not-checked",
          .severity = linter::Severity::kNote,
          .subgraph = operators[0].subgraph,
          .node = operators[0].node,
          .op = operators[0].op,
          .tensor = -1,
          .tensor_name = "",
          .found = DescribeNotChecked(operators),
          .required = "INT8 activations",
          .explanation = "rules about values did not look at these operators; this runtime " +
                         (refusal.empty() ? "runs the model" : "refuses the model: " + refusal)};
}

// Other runtimes ignore the plan; Lutra refuses a wrong one.
linter::Finding RefusedPlanFinding(const std::string& refusal) {
  return {.rule = "S-ANY-row-plan",
          .severity = linter::Severity::kError,
          .subgraph = 0,
          .node = -1,
          .op = "",
          .tensor = -1,
          .tensor_name = "",
          .found = std::string("metadata ") + kRowPlanName + " that this runtime refuses",
          .required = "a plan that compress plan has made of this file",
          .explanation = refusal};
}

std::vector<linter::Finding> FindAll(const std::string& path) {
  const host::AlignedBytes file = host::ReadFileBytes(path);
  const auto model = oracle::ReadModel({file.span().begin(), file.span().end()});
  const std::vector<linter::NotChecked> operators = linter::OperatorsNotChecked(*model);
  const bool has_plan = std::any_of(model->metadata.begin(), model->metadata.end(),
                                    [](const auto& metadata) { return metadata->name == kRowPlanName; });
  if (operators.empty() && !has_plan) return {};
  // Searching the smallest arena takes longer than all rules, so this is done only if needed.
  const std::string refusal = RefusalOf(path);
  std::vector<linter::Finding> findings;
  if (!operators.empty()) findings.push_back(NotCheckedFinding(operators, refusal));
  if (refusal.find("row-plan: ") != std::string::npos) findings.push_back(RefusedPlanFinding(refusal));
  return findings;
}

}  // namespace

LintExtension RuntimeLint() { return {.declare = {}, .findings = FindAll}; }

}  // namespace lutra::conformance
