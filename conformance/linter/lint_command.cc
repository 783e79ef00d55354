// SPDX-License-Identifier: Apache-2.0
// conformance lint: reports the rules that a model breaks, and where runtimes disagree about it.

#include "conformance/linter/lint_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "conformance/linter/lint.h"
#include "host/model_file.h"
#include "host/printable.h"
#include "host/sarif.h"

namespace lutra::conformance {
namespace {

using linter::Finding;
using linter::LintRule;
using linter::Severity;
using Json = nlohmann::ordered_json;

// Limits of the printed text; JSON has all text in full.
constexpr size_t kLongestName = 60;
constexpr size_t kMostPlaces = 3;

constexpr char kNever[] = "never";
constexpr char kTable[] = "table", kJson[] = "json", kSarif[] = "sarif";

struct LintArguments {
  std::vector<std::string> models;
  std::string fail_on = linter::NameOf(Severity::kError);
  std::string format = kTable;
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

// Counts errors, warnings and notes.
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

// Returns the finding's place. `names_operator`: true for the first place of a line.
std::string PlaceOf(const Finding& finding, bool names_operator) {
  if (finding.node < 0) return "the model";
  std::string place = finding.subgraph == 0 ? "" : fmt::format("subgraph {}, ", finding.subgraph);
  place += fmt::format("node {}", finding.node);
  if (names_operator) place += fmt::format(" ({})", host::Printable(finding.op));
  if (finding.tensor >= 0) {
    place +=
        fmt::format(", tensor {} \"{}\"", finding.tensor, host::ShortName(finding.tensor_name, kLongestName));
  }
  return place;
}

// Groups equal findings of several places, in the order of their first.
std::vector<std::vector<const Finding*>> Grouped(const std::vector<Finding>& findings) {
  const auto key = [](const Finding& f) {
    return std::tie(f.rule, f.op, f.found, f.required, f.explanation);
  };
  std::vector<std::vector<const Finding*>> groups;
  for (const Finding& finding : findings) {
    const auto place = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return key(*group[0]) == key(finding); });
    (place == groups.end() ? groups.emplace_back() : *place).push_back(&finding);
  }
  return groups;
}

void Print(const std::string& path, const std::vector<const Finding*>& group) {
  const Finding& finding = *group[0];
  std::string places = PlaceOf(finding, true);
  for (size_t i = 1; i < std::min(group.size(), kMostPlaces); ++i) places += "; " + PlaceOf(*group[i], false);
  if (group.size() > kMostPlaces) places += fmt::format("; and {} more", group.size() - kMostPlaces);
  fmt::print("{}: {}: {}: {}: found {}, required: {}; {}\n", host::Printable(path), places,
             linter::NameOf(finding.severity), host::Printable(finding.rule), host::Printable(finding.found),
             host::Printable(finding.required), finding.explanation);
}

void AddToSarif(const std::string& path, const std::vector<Finding>& findings, host::SarifLog* log) {
  for (const Finding& finding : findings) {
    log->rules.try_emplace(finding.rule, finding.required);
    log->findings.push_back({finding.rule, linter::NameOf(finding.severity),
                             fmt::format("found {}, required: {}; {}", host::Printable(finding.found),
                                         host::Printable(finding.required), finding.explanation),
                             path, PlaceOf(finding, true)});
  }
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

bool HasFailed(const std::string& fail_on, const Json& counts) {
  if (fail_on == kNever) return false;
  return counts["error"] != 0 || (fail_on == linter::NameOf(Severity::kWarning) && counts["warning"] != 0);
}

// Returns every finding, and the counts of each model, as JSON; names may contain any bytes.
std::string ReportInJson(const std::vector<std::pair<std::string, std::vector<Finding>>>& models) {
  Json list = Json::array();
  for (const auto& [path, findings] : models) {
    Json of_model = Json::array();
    for (const Finding& finding : findings) of_model.push_back(ToJson(finding));
    list.push_back({{"path", path}, {"findings", std::move(of_model)}, {"counts", Counts(findings)}});
  }
  const Json report = {{"schema_version", 1}, {"models", std::move(list)}};
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void PrintTable(const std::string& path, const std::vector<Finding>& findings, const Json& counts) {
  for (const auto& group : Grouped(findings)) Print(path, group);
  fmt::print("{}: errors: {}, warnings: {}, notes: {}\n", host::Printable(path), counts["error"].get<int>(),
             counts["warning"].get<int>(), counts["note"].get<int>());
}

void LintAll(const LintArguments& line, const std::vector<LintExtension>& extensions, int* exit_code) {
  const std::string fail_on = line.strict ? linter::NameOf(Severity::kWarning) : line.fail_on;
  const std::string format = line.json ? kJson : line.format;
  std::vector<std::pair<std::string, std::vector<Finding>>> models;
  host::SarifLog log = {.program = "conformance"};
  for (const std::string& path : line.models) {
    std::vector<Finding> findings = LintFile(path);
    for (const LintExtension& extension : extensions) {
      for (Finding& finding : extension.findings(path)) findings.push_back(std::move(finding));
    }
    const Json counts = Counts(findings);
    if (HasFailed(fail_on, counts)) *exit_code = 1;
    if (format == kTable) PrintTable(path, findings, counts);
    if (format == kSarif) AddToSarif(path, findings, &log);
    models.emplace_back(path, std::move(findings));
  }
  if (format == kJson) fmt::print("{}", ReportInJson(models));
  if (format == kSarif) fmt::print("{}", host::SarifText(log));
}

}  // namespace

void AddLintCommand(CLI::App& app, int* exit_code, const std::vector<LintExtension>& extensions) {
  const auto line = std::make_shared<LintArguments>();
  CLI::App* verb = app.add_subcommand(
      "lint",
      "Check models against the int8 specification and the limits of runtimes; exit 1 on errors (--fail-on)");
  verb->add_option("MODEL", line->models, "Models");
  CLI::Option* const format = verb->add_option("--format", line->format, "What to print")
                                  ->capture_default_str()
                                  ->check(CLI::IsMember({kTable, kJson, kSarif}));
  verb->add_flag("--json", line->json, "As --format json")->excludes(format);
  CLI::Option* const fail_on =
      verb->add_option("--fail-on", line->fail_on, "The least severe finding that makes the exit code 1")
          ->capture_default_str()
          ->check(
              CLI::IsMember({linter::NameOf(Severity::kError), linter::NameOf(Severity::kWarning), kNever}));
  verb->add_flag("--strict", line->strict, "As --fail-on warning")->excludes(fail_on);
  verb->add_flag("--rules", line->rules, "List all rules: severity, what is required, who enforces it");
  for (const LintExtension& extension : extensions) {
    if (extension.declare) extension.declare(*verb);
  }
  verb->callback([line, extensions, exit_code] {
    if (line->rules && !line->models.empty())
      throw host::BadUsage("--rules: found a model as well, required: one of them");
    if (line->rules) return PrintRules(line->json || line->format == kJson);
    if (line->models.empty()) throw CLI::RequiredError("MODEL");
    LintAll(*line, extensions, exit_code);
  });
}

}  // namespace lutra::conformance
