// SPDX-License-Identifier: Apache-2.0
// Collects the facts of each operator, as Markdown and as JSON.

#include "conformance/specification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/oracle/evaluate.h"
#include "conformance/runtime_types.h"
#include "lutra/tensor_info.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;
using linter::SpecifiedOperand;

constexpr char kSource[] = "https://ai.google.dev/edge/litert/models/quantization_spec";
constexpr char kEqual[] = "Input and outputs must all have same scale/zero_point";

std::vector<std::pair<std::string, linter::Severity>> LintRulesOf(const std::string& op) {
  std::vector<std::pair<std::string, linter::Severity>> found;
  for (const linter::LintRule& rule : linter::AllRules()) {
    if (std::count(rule.operators.begin(), rule.operators.end(), op) == 0) continue;
    found.emplace_back(linter::RuleId(rule, op), rule.severity);
  }
  return found;
}

OperatorSpecification Collect(const oracle::Operator& op, const std::map<std::string, size_t>& cases) {
  const std::string code = edit::EnumNameBuiltinOperator(op.code);
  const linter::Specification& row = linter::SpecificationOf(code);
  OperatorSpecification result = {
      .name = op.name(),
      .listed = row.listed && op.variant.empty(),
      .operands = linter::OperandsOf(op),
      .equal_quantization = row.equal_quantization && op.variant != oracle::kUint8Variant,
      .lint = LintRulesOf(code)};
  for (const oracle::Profile& profile : oracle::Profiles()) {
    result.rules.emplace_back(profile.name, oracle::DescribeRule(profile, op));
  }
  const auto count = cases.find(result.name);
  result.cases = count == cases.end() ? 0 : count->second;
  for (const int8_t type : TypesThatTheRuntimeRuns(op)) {
    result.types.emplace_back(ToString(static_cast<TensorType>(type)));
  }
  return result;
}

const char* NameOfKind(char kind) {
  return kind == 'S' ? "specification" : kind == 'E' ? "runtimes" : "disagreements";
}

// Returns "specification (S): operands, scale; runtimes (E): rank": ids of rules without their common parts.
std::string LintText(const OperatorSpecification& op) {
  std::map<char, std::vector<std::string>> by_kind;
  for (const auto& [id, severity] : op.lint) {
    by_kind[id[0]].push_back(id.substr(id.find('-', 2) + 1));
  }
  std::vector<std::string> parts;
  for (const char kind : {'S', 'E', 'D'}) {
    if (by_kind.count(kind) == 0) continue;
    parts.push_back(fmt::format("{} ({}): {}", NameOfKind(kind), kind, fmt::join(by_kind[kind], ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string SectionOf(const OperatorSpecification& op) {
  std::string text = fmt::format("\n### {}\n\n", op.name);
  if (!op.operands.empty()) {
    text += "| operand | data_type | range | granularity | restriction |\n|---|---|---|---|---|\n";
    for (const SpecifiedOperand& operand : op.operands) {
      text += fmt::format("| {} | {} | {} | {} | {} |\n", operand.name, operand.type, operand.range,
                          operand.granularity, operand.restriction);
    }
    text += '\n';
  }
  if (op.equal_quantization) text += fmt::format("- restriction: {}\n", kEqual);
  std::vector<std::string> rules;
  for (const auto& [profile, rule] : op.rules) rules.push_back(fmt::format("{} {}", profile, rule));
  text += fmt::format("- rules: {}\n- linter: {}\n- corpus: {} cases\n- Lutra runs: {}\n",
                      fmt::join(rules, ", "), LintText(op), op.cases, fmt::join(op.types, ", "));
  return text;
}

constexpr char kHeader[] =
    R"(# The int8 specification

Written by `conformance spec -o conformance/SPECIFICATION.md`; a test compares. Facts of operands:
<{}>, as in TensorFlow's repository at dd3f9a136
(in earlier versions the weights of FULLY_CONNECTED have one scale). Beside them, from the tables that the programs work with:

| | |
|---|---|
| rules | what computes the codes under each profile ([oracle/README.md](oracle/README.md)) |
| linter | topics of `conformance lint --rules`: S-OPERATOR-topic and so on |
| corpus | cases in `golden/manifest.jsonl`, without models that are to be refused |
| Lutra runs | types of the first activation with which the runtime prepares the operator; int4: of weights beside int8 |
)";

}  // namespace

std::vector<OperatorSpecification> CollectSpecification(const Manifest& manifest) {
  const std::map<std::string, size_t> cases = manifest.CountByOperator();
  std::vector<OperatorSpecification> operators;
  for (const oracle::Operator* op : oracle::BuiltinOperators()) operators.push_back(Collect(*op, cases));
  return operators;
}

std::string SpecificationText(const std::vector<OperatorSpecification>& operators) {
  std::string text = fmt::format(kHeader, kSource);
  for (const bool listed : {true, false}) {
    text += listed ? "\n## Operators of the specification\n"
                   : "\n## Others\n\nThe specification does not list them; what is said of their operands "
                     "follows from what kernels compute.\n";
    for (const OperatorSpecification& op : operators) {
      if (op.listed == listed) text += SectionOf(op);
    }
  }
  return text;
}

std::string SpecificationJson(const std::vector<OperatorSpecification>& operators) {
  Json list = Json::array();
  for (const OperatorSpecification& op : operators) {
    Json operands = Json::array(), rules = Json::object(), lint = Json::array();
    for (const SpecifiedOperand& operand : op.operands) {
      operands.push_back(
          {{"name", operand.name},
           {"data_type", operand.type},
           {"range", operand.range},
           {"granularity", operand.granularity},
           {"restriction", operand.restriction.empty() ? Json(nullptr) : Json(operand.restriction)}});
    }
    for (const auto& [profile, rule] : op.rules) rules[profile] = rule;
    for (const auto& [id, severity] : op.lint) {
      lint.push_back({{"rule", id}, {"severity", linter::NameOf(severity)}});
    }
    list.push_back({{"op", op.name},
                    {"listed", op.listed},
                    {"operands", std::move(operands)},
                    {"restriction", op.equal_quantization ? Json(kEqual) : Json(nullptr)},
                    {"rules", std::move(rules)},
                    {"lint", std::move(lint)},
                    {"cases", op.cases},
                    {"types", op.types}});
  }
  return Json{{"schema_version", 1}, {"source", kSource}, {"operators", std::move(list)}}.dump(1) + "\n";
}

}  // namespace lutra::conformance
