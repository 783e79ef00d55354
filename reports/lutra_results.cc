// SPDX-License-Identifier: Apache-2.0
// lutra-results: keeps result files of many commits and machines in a database, and shows the changes of
// their figures.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/command_line.h"
#include "host/csv.h"
#include "host/environment.h"
#include "host/glob.h"
#include "host/model_file.h"
#include "host/printable.h"
#include "host/result_json.h"
#include "host/run_main.h"
#include "reports/compare.h"
#include "reports/gate.h"
#include "reports/read_results.h"
#include "reports/results_db.h"
#include "reports/writers.h"

namespace lutra::reports {
namespace {

constexpr char kProgram[] = "lutra-results";
// So many files are stored, and reported, at a time.
constexpr size_t kBatch = 200;

struct CommandLine {
  std::string db = "results.db", format = "table";
  std::vector<std::string> files, compare;
  std::string model, figure, platform = "*";
};

int Import(const CommandLine& line) {
  const std::vector<std::filesystem::path> paths = ExpandFolders({line.files.begin(), line.files.end()});
  ResultsDb db(line.db, ResultsDb::Access::kWrite);
  std::vector<std::string> refusals;
  int64_t added = 0;
  for (size_t first = 0; first < paths.size(); first += kBatch) {
    std::vector<FileText> batch;
    for (size_t i = first; i < std::min(paths.size(), first + kBatch); ++i) {
      try {
        batch.push_back({paths[i].string(), host::ReadInputText(paths[i])});
      } catch (const host::BadInput& error) {
        refusals.emplace_back(error.what());
      }
    }
    added += db.Import(batch, &refusals);
    if (paths.size() > kBatch)
      fmt::print(stderr, "stored {} of {} files\n", std::min(paths.size(), first + kBatch), paths.size());
  }
  for (const std::string& refusal : refusals) fmt::print(stderr, "{}\n", refusal);
  const auto refused = static_cast<int64_t>(refusals.size());
  fmt::print("{}: {} new, {} known, {} refused\n", line.db, added,
             static_cast<int64_t>(paths.size()) - added - refused, refused);
  return refused > 0 ? host::kExitBadInput : host::kExitOk;
}

// Prints rows in the given format; the first row has the names.
void PrintRows(const std::string& format, const std::vector<std::vector<std::string>>& rows) {
  if (format == "csv") {
    for (const auto& row : rows) {
      std::string text;
      for (const std::string& cell : row)
        text += (text.empty() && &cell == &row[0] ? "" : ",") + host::CsvField(cell);
      fmt::print("{}\n", text);
    }
    return;
  }
  if (format == "json") {
    auto all = nlohmann::ordered_json::array();
    for (size_t i = 1; i < rows.size(); ++i) {
      nlohmann::ordered_json one;
      for (size_t k = 0; k < rows[0].size(); ++k) {
        const std::string &name = rows[0][k], &cell = rows[i][k];
        const bool is_number = name == "number" || name == "bytes" || name == "value";
        one[name] = is_number ? nlohmann::ordered_json::parse(cell) : nlohmann::ordered_json(cell);
      }
      all.push_back(one);
    }
    fmt::print("{}", host::JsonText({{"schema_version", 1}, {"rows", all}}));
    return;
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], host::Printable(row[k]).size());
  }
  for (const auto& row : rows) {
    std::string text;
    for (size_t k = 0; k < row.size(); ++k)
      text += fmt::format("{:<{}}", host::Printable(row[k]), widths[k] + 2);
    fmt::print("{}\n", text.substr(0, text.find_last_not_of(' ') + 1));
  }
}

int List(const CommandLine& line) {
  std::vector<std::vector<std::string>> rows = {{"number", "date", "commit", "platform", "file", "bytes"}};
  for (const StoredFile& file : ResultsDb(line.db, ResultsDb::Access::kRead).Files()) {
    rows.push_back({std::to_string(file.id), file.date, file.commit, file.platform, file.name,
                    std::to_string(file.bytes)});
  }
  PrintRows(line.format, rows);
  return host::kExitOk;
}

int CompareTwo(const CommandLine& line) {
  const ResultsDb db(line.db, ResultsDb::Access::kRead);
  const std::vector<ResultFile> before = db.Load(line.compare[0]), after = db.Load(line.compare[1]);
  if (!HasResults(before)) {
    throw host::BadInput(line.compare[0], "files without any result, to which nothing can be compared",
                         "results, cases, tests or reports");
  }
  const Comparison comparison = Compare(before, after);
  const Verdicts verdicts = Judge(comparison, {});
  fmt::print("{}", WriteMarkdown(ComparisonReport(comparison, verdicts)));
  return verdicts.failed ? host::kExitWrong : host::kExitOk;
}

int Trend(const CommandLine& line) {
  const ResultsDb db(line.db, ResultsDb::Access::kRead);
  std::vector<std::vector<std::string>> rows = {
      {"platform", "model", "setting", "figure", "date", "commit", "value", "change"}};
  for (const History& history : HistoriesOf(db.AllFigures(line.model, line.figure))) {
    if (!host::Matches(line.platform, history.platform)) continue;
    for (const HistoryPoint& point : history.points) {
      rows.push_back(
          {history.platform, history.model, history.setting, history.figure, point.date, point.commit,
           line.format == "table" ? ValueText(history, point.value) : fmt::format("{}", point.value),
           point.is_change ? "change" : ""});
    }
  }
  if (rows.size() == 1) {
    throw host::BadInput(fmt::format("{}: found no figure {} of {} on {}, required: one that was imported",
                                     line.db, host::Printable(line.figure), host::Printable(line.model),
                                     host::Printable(line.platform)));
  }
  PrintRows(line.format, rows);
  return host::kExitOk;
}

void Declare(CLI::App& app, CommandLine& line, int* exit_code) {
  app.set_version_flag("--version", host::VersionText(kProgram));
  app.footer(
      "Example:\n"
      "  lutra-results import build/results/\n"
      "  lutra-results trend kws arena_bytes --platform cortex-m4");
  app.require_subcommand(1);
  const auto verb = [&](const char* name, const char* what, int (*run)(const CommandLine&)) {
    CLI::App* added = app.add_subcommand(name, what);
    added->add_option("--db", line.db, "The database")->capture_default_str();
    added->callback([&line, exit_code, run] { *exit_code = run(line); });
    return added;
  };
  const auto format = [&line](CLI::App* of) {
    of->add_option("--format", line.format, "Default: table")->check(CLI::IsMember({"table", "csv", "json"}));
  };
  CLI::App* import = verb("import", "Store result files, each once", Import);
  import
      ->add_option("FILE", line.files,
                   "Files of generic_benchmark, conformance, compress; or folders of them")
      ->required();
  format(verb("list", "What is stored, the oldest first", List));
  CLI::App* compare =
      verb("compare", "What changed from one commit to another, as make_report --compare", CompareTwo);
  compare->add_option("A", line.compare, "Commits, or files, or numbers of list")
      ->required()
      ->expected(2)
      ->type_name("A B");
  CLI::App* trend = verb("trend", "A figure over commits, and where it changes", Trend);
  trend->add_option("MODEL", line.model, "Model, or a pattern")->required();
  trend->add_option("FIGURE", line.figure, "Figure, as budgets of make_report name it, or a pattern")
      ->required();
  trend->add_option("--platform", line.platform, "Platform, or a pattern")->capture_default_str();
  format(trend);
}

int Main(int argc, char** argv) {
  CLI::App app("Result files of many commits and machines, and what became of their figures.", kProgram);
  CommandLine line;
  int exit_code = host::kExitOk;
  Declare(app, line, &exit_code);
  return host::ParseAndRun(app, argc, argv, [&] { return exit_code; });
}

}  // namespace
}  // namespace lutra::reports

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::reports::kProgram, lutra::reports::Main, argc, argv);
}
