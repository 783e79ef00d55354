// SPDX-License-Identifier: Apache-2.0
// make_report RESULTS... -o report.html: one page of result files; --compare OLD NEW: what changed.
//
// Parses the command line, reads, builds, writes. Exit codes: 0 success, 1 something was lost (--compare), 2
// bad usage, 3 bad input.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "host/command_line.h"
#include "host/environment.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/run_main.h"
#include "reports/compare.h"
#include "reports/gate.h"
#include "reports/read_results.h"
#include "reports/results_db.h"
#include "reports/views.h"
#include "reports/writers.h"

namespace lutra::reports {
namespace {

constexpr char kProgram[] = "make_report";

struct CommandLine {
  std::vector<std::string> results, compare;
  std::string output, format, fail_on, budget, history;
};

void Declare(CLI::App& app, CommandLine& line) {
  app.footer(
      "Example:\n  make_report build/results/*.json -o report.html\n"
      "  make_report --compare old/ build/results/\n\n"
      "  make_report --compare old/ new/ --fail-on worse --budget budgets.yaml\n\n"
      "Exit codes: 0 success; 1 --compare found something lost: a case or test that passed, a model,\n"
      "a platform, equal outputs; or, with --fail-on worse, a figure over its budget; 2 bad usage, a\n"
      "budget that matches nothing; 3 bad input: a file was left out, which is named.");
  app.set_version_flag("--version", host::VersionText(kProgram));
  app.add_option("RESULTS", line.results,
                 "JSON of generic_benchmark and of conformance run --results; or folders of them");
  app.add_option("-o,--output", line.output, "File to write (default: print it)");
  app.add_option(
         "--format", line.format,
         "Default: by the ending of --output: .html, .md, .xml; else html, and md with --compare; json "
         "with --compare")
      ->check(CLI::IsMember({"html", "md", "junit", "json"}));
  app.add_option("--compare", line.compare, "OLD NEW: what changed between two files or folders")
      ->expected(2)
      ->type_name("OLD NEW");
  app.add_option(
         "--fail-on", line.fail_on,
         "What --compare fails on. lost (the default): what was there or right, and is not now; worse: "
         "that, and figures over their budgets, or without --budget bytes and instructions that grew")
      ->check(CLI::IsMember({"lost", "worse"}));
  app.add_option(
      "--history", line.history,
      "A database of lutra-results, or a folder of result files of many commits: a section on each "
      "figure over commits, and where it changes");
  app.add_option("--budget", line.budget,
                 "YAML or JSON: what figures may be and grow by at most; means --fail-on worse");
}

std::string FormatOf(const CommandLine& line) {
  if (!line.format.empty()) return line.format;
  if (line.output.ends_with(".md")) return "md";
  if (line.output.ends_with(".xml")) return "junit";
  if (line.output.ends_with(".html")) return "html";
  if (line.output.ends_with(".json") && !line.compare.empty()) return "json";
  return line.compare.empty() ? "html" : "md";
}

// Checks the command line for errors that CLI11 does not find; returns an empty text if there is none.
std::string CheckUsage(const CommandLine& line) {
  if (line.compare.empty() && line.results.empty() && line.history.empty()) return "no result files";
  if (!line.history.empty() && !line.compare.empty()) return "--history takes no --compare";
  if (!line.history.empty() && FormatOf(line) == "junit")
    return "--history is a section of a page: html or md, and no form of junit";
  if (!line.compare.empty() && !line.results.empty())
    return "--compare takes two sets of results and no others";
  if (line.compare.empty() && FormatOf(line) == "json") return "json is a form of --compare alone";
  if (line.compare.empty() && !line.fail_on.empty()) return "--fail-on needs --compare";
  if (line.compare.empty() && !line.budget.empty()) return "--budget needs --compare";
  if (!line.budget.empty() && line.fail_on == "lost") return "--budget judges what --fail-on lost leaves out";
  return "";
}

// Names files that were left out, on stderr and in the report.
void TellRefusals(const std::vector<std::string>& refusals, Report* report) {
  for (const std::string& refusal : refusals) fmt::print(stderr, "{}\n", refusal);
  if (refusals.empty()) return;
  report->summary += fmt::format("; {} left out", Counted(static_cast<int64_t>(refusals.size()), "file"));
}

Gate GateOf(const CommandLine& line) {
  Gate gate;
  if (line.fail_on == "worse" || !line.budget.empty()) gate.fail_on = FailOn::kWorse;
  if (line.budget.empty()) return gate;
  gate.budget_file = line.budget;
  gate.budgets = ParseBudgets(host::ReadInputText(line.budget), line.budget);
  return gate;
}

int RunComparison(const CommandLine& line, const std::string& format) {
  const host::OutputFile output(line.output);
  std::vector<std::string> refusals;
  const Gate gate = GateOf(line);
  const auto before = ReadResultFiles({line.compare[0]}, &refusals);
  const auto after = ReadResultFiles({line.compare[1]}, &refusals);
  if (!HasResults(before)) {
    throw host::BadInput(line.compare[0], "files without any result, to which nothing can be compared",
                         "results, cases, tests or reports");
  }
  const Comparison comparison = Compare(before, after);
  const Verdicts verdicts = Judge(comparison, gate);
  Report report = ComparisonReport(comparison, verdicts);
  TellRefusals(refusals, &report);
  output.WriteOrPrint(format == "junit"  ? WriteComparisonJunit(comparison, verdicts)
                      : format == "json" ? WriteComparisonJson(comparison, verdicts)
                      : format == "html" ? WriteHtml(report)
                                         : WriteMarkdown(report));
  if (output.wanted()) fmt::print("{}\n", report.summary);
  if (!refusals.empty()) return host::kExitBadInput;
  return verdicts.failed ? host::kExitWrong : host::kExitOk;
}

// Reads a database, or each file of a folder by itself, as many of them have the same model.
std::vector<Figures> FiguresOfHistory(const std::string& path, std::vector<std::string>* refusals) {
  std::vector<Figures> figures;
  const bool is_database = IsResultsDb(path);
  if (is_database) figures = ResultsDb(path, ResultsDb::Access::kRead).AllFigures();
  for (const std::filesystem::path& file :
       is_database ? std::vector<std::filesystem::path>() : ExpandFolders({path})) {
    try {
      figures.push_back(FiguresOf(ParseResultFile(host::ReadInputText(file), file.string())));
    } catch (const host::BadInput& error) {
      refusals->emplace_back(error.what());
    }
  }
  if (std::all_of(figures.begin(), figures.end(), [](const Figures& file) { return file.figures.empty(); })) {
    for (const std::string& refusal : *refusals) fmt::print(stderr, "{}\n", refusal);
    throw host::BadInput(
        path + ": found no results, required: a database of lutra-results, or a folder of result files");
  }
  return figures;
}

int Run(const CommandLine& line) {
  const std::string format = FormatOf(line);
  if (!line.compare.empty()) return RunComparison(line, format);
  const host::OutputFile output(line.output);
  std::vector<std::string> refusals;
  std::vector<ResultFile> files;
  if (!line.results.empty()) files = ReadResultFiles({line.results.begin(), line.results.end()}, &refusals);
  Report report = BuildReport(files);
  if (!line.history.empty()) {
    const std::vector<History> histories = HistoriesOf(FiguresOfHistory(line.history, &refusals));
    report.sections.push_back(HistorySection(histories));
    report.summary +=
        fmt::format("; history of {}", Counted(static_cast<int64_t>(histories.size()), "figure"));
    HidePaths(&report);
  }
  TellRefusals(refusals, &report);
  output.WriteOrPrint(format == "junit" ? WriteJunit(files)
                      : format == "md"  ? WriteMarkdown(report)
                                        : WriteHtml(report));
  if (output.wanted()) fmt::print("{}: {}\n", line.output, report.summary);
  return refusals.empty() ? host::kExitOk : host::kExitBadInput;
}

int Main(int argc, char** argv) {
  CLI::App app("One page of the results of every platform; or what changed between two sets of them.",
               kProgram);
  CommandLine line;
  Declare(app, line);
  return host::ParseAndRun(app, argc, argv, [&] {
    if (const std::string problem = CheckUsage(line); !problem.empty()) throw host::BadUsage(problem);
    return Run(line);
  });
}

}  // namespace
}  // namespace lutra::reports

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::reports::kProgram, lutra::reports::Main, argc, argv);
}
