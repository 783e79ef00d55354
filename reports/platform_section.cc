// SPDX-License-Identifier: Apache-2.0
// Shows a line for each platform, and main figures: rows are platforms with their settings, columns are
// models.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "reports/agreement.h"
#include "reports/models.h"

namespace lutra::reports {
namespace {

Cell TestsCell(const std::vector<ResultFile>& files, const std::string& platform) {
  const host::TestsResult* tests = nullptr;
  for (const ResultFile& file : files) {
    if (file.platform == platform && file.results.tests) tests = &*file.results.tests;
  }
  if (tests == nullptr) return TextCell("not told", Tone::kQuiet);
  Cell cell = TextCell(fmt::format("{} of {} pass", Grouped(tests->passed), Grouped(tests->run)),
                       tests->failed > 0 ? Tone::kBad : Tone::kGood);
  if (tests->failed > 0) cell.text += fmt::format(", {} failed", Grouped(tests->failed));
  if (tests->skipped > 0) cell.text += fmt::format("; {} skipped", Grouped(tests->skipped));
  cell.details = tests->why_skipped;
  return cell;
}

Cell ConformanceCell(const std::vector<Backend>& backends, const std::string& platform) {
  Cell cell = TextCell("not run", Tone::kQuiet);
  for (const Backend& b : backends) {
    if (b.platform != platform) continue;
    const bool bad =
        b.Count(host::Verdict::kFail) + b.Count(host::Verdict::kCrash) + b.Count(host::Verdict::kTimeout) > 0;
    if (cell.tone == Tone::kQuiet) cell = TextCell("", Tone::kGood);
    if (bad) cell.tone = Tone::kBad;
    if (!cell.text.empty()) cell.text += "\n";
    cell.text += fmt::format("{} of {} pass", Grouped(b.Count(host::Verdict::kPass)), Grouped(b.cases()));
    for (const host::Verdict verdict :
         {host::Verdict::kCrash, host::Verdict::kTimeout, host::Verdict::kFail, host::Verdict::kWaived,
          host::Verdict::kUnsupported, host::Verdict::kSkip}) {
      if (const int count = b.Count(verdict); count > 0) {
        cell.text += fmt::format(", {} {}", Grouped(count), host::ToString(verdict));
      }
    }
    cell.details.push_back(fmt::format("profile {}, backend {}", b.profile, b.name));
  }
  return cell;
}

Cell ModelsCell(const std::vector<ResultFile>& files, const std::string& platform) {
  std::set<std::string> names;
  std::vector<std::string> refused;
  for (const ResultFile& file : files) {
    if (file.platform != platform) continue;
    for (const host::ModelResult& run : file.models()) {
      if (run.refused()) {
        refused.push_back(NameOf(run) + ": " + run.error);
      } else {
        names.insert(NameOf(run));
      }
    }
  }
  if (names.empty() && refused.empty()) return TextCell("not run", Tone::kQuiet);
  Cell cell = TextCell(Grouped(static_cast<int64_t>(names.size())) + " ran");
  if (!refused.empty()) {
    cell.text += fmt::format(", {} refused", refused.size());
    cell.tone = Tone::kWarning;
    cell.details = refused;
  }
  return cell;
}

// Shows "best: mve, ref": the wanted kernels, and those that operators used.
Cell KernelsCell(const std::vector<ResultFile>& files, const std::string& platform) {
  std::map<std::string, std::set<std::string>> taken;
  for (const auto& [file, run] : AllRuns(files)) {
    if (file->platform != platform) continue;
    std::set<std::string>& names = taken[run->kernels];
    for (const host::OperatorResult& op : run->op_results) {
      if (!op.kernel.empty()) names.insert(op.kernel);
    }
  }
  std::string text;
  for (const auto& [kernels, names] : taken) {
    text += (text.empty() ? "" : "\n") + kernels;
    const char* between = ": ";
    for (const std::string& name : names) {
      text += between + name;
      between = ", ";
    }
  }
  return text.empty() ? TextCell("-", Tone::kQuiet) : TextCell(text);
}

Cell CompilerCell(const std::vector<ResultFile>& files, const std::string& platform) {
  for (const ResultFile& file : files) {
    const host::Environment& c = file.results.environment;
    if (file.platform != platform || c.compiler.empty()) continue;
    return TextCell(c.compiler + (c.build_type.empty() ? "" : ", " + c.build_type));
  }
  return TextCell("-", Tone::kQuiet);
}

Cell VerdictCell(const Cell& tests, const Cell& conformance, const Cell& models, const Cell& outputs) {
  for (const Cell* cell : {&tests, &conformance, &outputs}) {
    if (cell->tone == Tone::kBad) return TextCell("FAIL", Tone::kBad);
  }
  if (models.tone == Tone::kWarning) return TextCell("refuses", Tone::kWarning);
  if (tests.tone == Tone::kQuiet) {
    return TextCell(conformance.tone == Tone::kQuiet ? "measured" : "cases pass, tests not told");
  }
  return TextCell("pass", Tone::kGood);
}

Cell InferenceCostCell(const host::ModelResult& run) {
  const Figure instructions = Instructions(run);
  if (!instructions) return DurationCell(run.inference.median_ns);
  Cell cell = ShortCell(instructions, "instructions");
  if (run.inference.counts.vector_instructions && *instructions > 0) {
    cell.text +=
        fmt::format("\n{} vector", Percent(static_cast<double>(*run.inference.counts.vector_instructions) /
                                           static_cast<double>(*instructions)));
  }
  return cell;
}

Cell ProgramCell(const host::ModelResult& run) {
  return NumberCell(run.flash ? Figure(run.flash->text_bytes + run.flash->rodata_bytes) : Figure());
}

// Returns platforms in their order, and for each its settings in the order of the models' runs.
std::vector<std::string> RowsOf(const std::vector<std::string>& platforms, const std::vector<Model>& models) {
  std::vector<std::string> rows;
  for (const std::string& platform : platforms) {
    for (const Model& model : models) {
      for (const RunOfModel& run : model.runs) {
        if (run.platform == platform && std::find(rows.begin(), rows.end(), run.row) == rows.end()) {
          rows.push_back(run.row);
        }
      }
    }
  }
  return rows;
}

// Returns a table with a row for each platform and setting.
Table Matrix(const std::string& title, const std::vector<std::string>& platforms,
             const std::vector<Model>& models, const std::function<Cell(const host::ModelResult&)>& cell_of) {
  Table table = {.title = title, .columns = {"Platform"}};
  for (const Model& model : models) table.columns.push_back(model.name);
  for (const std::string& row : RowsOf(platforms, models)) {
    std::vector<Cell> cells = {TextCell(row)};
    bool any = false;
    for (const Model& model : models) {
      const auto run = std::find_if(model.runs.begin(), model.runs.end(),
                                    [&](const RunOfModel& r) { return r.row == row; });
      cells.push_back(run == model.runs.end() ? TextCell("-", Tone::kQuiet) : cell_of(*run->run));
      any = any || !cells.back().exact.empty();
    }
    if (any) table.rows.push_back(cells);
  }
  return table;
}

}  // namespace

Section PlatformSection(const std::vector<ResultFile>& files) {
  const std::vector<std::string> platforms = Platforms(files);
  const std::vector<Backend> backends = Backends(files);
  const std::vector<Agreement> agreements = Agreements(files);
  const std::vector<Model> models = Models(files);
  Section section = {.id = "platforms", .title = "Platforms"};
  if (platforms.empty()) return section;
  if (!models.empty()) section.verdict = AgreementLine(agreements);
  Table table = {.title = "Verdicts",
                 .columns = {"Platform", "Verdict", "Tests", "Conformance", "Models", "Outputs", "Kernels",
                             "Built with"}};
  for (const std::string& platform : platforms) {
    const Cell tests = TestsCell(files, platform), conformance = ConformanceCell(backends, platform),
               ran = ModelsCell(files, platform), outputs = AgreementCell(agreements, platform);
    table.rows.push_back({TextCell(platform), VerdictCell(tests, conformance, ran, outputs), tests,
                          conformance, ran, outputs, KernelsCell(files, platform),
                          CompilerCell(files, platform)});
  }
  section.tables = {table};
  const std::pair<const char*, std::function<Cell(const host::ModelResult&)>> figures[] = {
      {"One inference: instructions (M: millions), or the time where there "
       "is a clock",
       InferenceCostCell},
      {"Smallest program that runs the model: .text + .rodata in bytes, "
       "the model left out",
       ProgramCell},
      {"Stack used, in bytes",
       [](const host::ModelResult& run) {
         return NumberCell(run.stack ? Figure(run.stack->used_bytes) : Figure());
       }},
      {"Arena used, in bytes",
       [](const host::ModelResult& run) {
         return NumberCell(run.arena ? Figure(run.arena->used_bytes) : Figure());
       }},
  };
  for (const auto& [title, cell_of] : figures) {
    Table matrix = Matrix(title, platforms, models, cell_of);
    if (!matrix.rows.empty()) section.tables.push_back(std::move(matrix));
  }
  return section;
}

}  // namespace lutra::reports
