// SPDX-License-Identifier: Apache-2.0
// Counts what was not checked, and prepares the model.

#include "conformance/lint_runtime.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "conformance/linter/lint.h"
#include "host/prepared_model.h"

namespace lutra::conformance {
namespace {

// "this runtime runs the model", or that it refuses it, and why.
std::string WhetherItRuns(const std::string& path) {
  try {
    host::SmallestArena(host::ReadModelFile(path), {});
    return "this runtime runs the model";
  } catch (const host::BadInput& refusal) {
    const std::string why = refusal.what();
    return "this runtime refuses the model: " +
           (why.starts_with(path + ": ") ? why.substr(path.size() + 2) : why);
  }
}

// "2 operators of INT16 (ADD, CONV_2D)" and so on, by type.
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

std::vector<linter::Finding> FindNotChecked(const std::string& path) {
  const host::AlignedBytes file = host::ReadFileBytes(path);
  const std::vector<linter::NotChecked> operators =
      linter::OperatorsNotChecked(*oracle::ReadModel({file.span().begin(), file.span().end()}));
  if (operators.empty()) return {};
  return {{.rule = "S-ANY-not-checked",
           .severity = linter::Severity::kNote,
           .subgraph = operators[0].subgraph,
           .node = operators[0].node,
           .op = operators[0].op,
           .tensor = -1,
           .tensor_name = "",
           .found = DescribeNotChecked(operators),
           .required = "INT8 activations",
           .explanation = "rules about values did not look at these operators; " + WhetherItRuns(path)}};
}

}  // namespace

LintExtension RuntimeLint() { return {.declare = {}, .findings = FindNotChecked}; }

}  // namespace lutra::conformance
