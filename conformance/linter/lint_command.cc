// SPDX-License-Identifier: Apache-2.0
// lint: what a model breaks, and where runtimes disagree about it.

#include "conformance/linter/lint_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "conformance/linter/lint.h"
#include "host/model_file.h"

namespace lutra::conformance {
namespace {

using linter::Finding;
using linter::LintRule;
using linter::Severity;
using Json = nlohmann::ordered_json;

struct Arguments {
  std::vector<std::string> models;
  bool json = false;
  bool strict = false;
  bool rules = false;
};

std::vector<Finding> LintFile(const std::string& path) {
  const host::AlignedBytes file = host::ReadFileBytes(path);
  try {
    return linter::Lint(*oracle::ReadModel({file.data(), file.data() + file.size()}));
  } catch (const oracle::Unspecified& error) {
    throw host::BadInput(
        fmt::format("{}: file: found {}, required: a .tflite model; check the file", path, error.what()));
  }
}

// error, warning, note.
Json Counts(const std::vector<Finding>& findings) {
  Json counts = {{"error", 0}, {"warning", 0}, {"note", 0}};
  for (const Finding& finding : findings) {
    Json& count = counts[linter::NameOf(finding.severity)];
    count = count.get<int>() + 1;
  }
  return counts;
}

Json ToJson(const Finding& finding) {
  return {{"rule", finding.rule},         {"severity", linter::NameOf(finding.severity)},
          {"subgraph", finding.subgraph}, {"node", finding.node},
          {"operator", finding.op},       {"tensor", finding.tensor},
          {"name", finding.tensor_name},  {"found", finding.found},
          {"required", finding.required}, {"explanation", finding.explanation}};
}

void Print(const std::string& path, const Finding& finding) {
  const std::string subgraph = finding.subgraph == 0 ? "" : fmt::format("subgraph {}, ", finding.subgraph);
  const std::string tensor =
      finding.tensor < 0 ? "" : fmt::format(", tensor {} \"{}\"", finding.tensor, finding.tensor_name);
  fmt::print("{}: {}node {} ({}){}: {}: {}: found {}, required: {}; {}\n", path, subgraph, finding.node,
             finding.op, tensor, linter::NameOf(finding.severity), finding.rule, finding.found,
             finding.required, finding.explanation);
}

Json RuleToJson(const LintRule& rule, const std::string& op) {
  return {{"rule", linter::RuleId(rule, op)},
          {"severity", linter::NameOf(rule.severity)},
          {"required", rule.requirement},
          {"enforced_by", rule.enforced_by},
          {"explanation", rule.explanation}};
}

void PrintRules(bool json) {
  Json list = Json::array();
  for (const LintRule& rule : linter::AllRules()) {
    for (const std::string& op : rule.operators) list.push_back(RuleToJson(rule, op));
  }
  if (json) {
    fmt::print("{}\n", Json{{"schema_version", 1}, {"rules", list}}.dump(1));
    return;
  }
  for (const Json& rule : list) {
    fmt::print("{:<42} {:<8} {} [{}]\n", rule["rule"].get<std::string>(), rule["severity"].get<std::string>(),
               rule["required"].get<std::string>(), rule["enforced_by"].get<std::string>());
  }
  fmt::print("{} rules\n", list.size());
}

void LintAll(const Arguments& line, int* exit_code) {
  Json models = Json::array();
  for (const std::string& path : line.models) {
    const std::vector<Finding> findings = LintFile(path);
    const Json counts = Counts(findings);
    if (counts["error"] != 0 || (line.strict && counts["warning"] != 0)) *exit_code = 1;
    Json list = Json::array();
    for (const Finding& finding : findings) {
      if (line.json) {
        list.push_back(ToJson(finding));
      } else {
        Print(path, finding);
      }
    }
    models.push_back({{"path", path}, {"findings", std::move(list)}, {"counts", counts}});
    if (!line.json) {
      fmt::print("{}: errors: {}, warnings: {}, notes: {}\n", path, counts["error"].get<int>(),
                 counts["warning"].get<int>(), counts["note"].get<int>());
    }
  }
  // Names may be of any bytes.
  if (line.json) {
    const Json report = {{"schema_version", 1}, {"models", std::move(models)}};
    fmt::print("{}\n", report.dump(1, ' ', false, Json::error_handler_t::replace));
  }
}

}  // namespace

void AddLintCommand(CLI::App& app, int* exit_code) {
  const auto line = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "lint", "Check models against the int8 specification and the limits of runtimes; exit 1 on errors");
  verb->add_option("MODEL", line->models, "Models");
  verb->add_flag("--json", line->json, "Print JSON");
  verb->add_flag("--strict", line->strict, "Exit 1 on warnings too");
  verb->add_flag("--rules", line->rules, "List all rules: severity, what is required, who enforces it");
  verb->callback([line, exit_code] {
    if (line->rules) return PrintRules(line->json);
    if (line->models.empty()) throw CLI::RequiredError("MODEL");
    LintAll(*line, exit_code);
  });
}

}  // namespace lutra::conformance
