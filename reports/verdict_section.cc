// SPDX-License-Identifier: Apache-2.0
// A line for each platform; outputs across platforms; what was measured with what; the report as a whole.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "reports/views.h"

namespace lutra::reports {
namespace {

// Runs that must agree in every output byte.
using AgreementKey = std::tuple<std::string, std::string, std::string, std::string>;

struct Agreement {
  std::string model;
  std::map<std::string, std::vector<PlacedRun>> by_outputs;
  // What most runs say; the first of equals.
  const std::string& majority() const {
    return std::max_element(by_outputs.begin(), by_outputs.end(),
                            [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); })
        ->first;
  }
};

std::map<AgreementKey, Agreement> Agreements(const std::vector<ResultFile>& files) {
  std::map<AgreementKey, Agreement> agreements;
  for (const PlacedRun& placed : AllRuns(files)) {
    const ModelRun& run = *placed.run;
    Agreement& agreement = agreements[{run.name, run.sha256, run.inputs, placed.file->context.rounding}];
    agreement.model = run.name;
    agreement.by_outputs[run.outputs].push_back(placed);
  }
  return agreements;
}

Cell ConformanceCell(const std::vector<Backend>& backends, const std::string& platform) {
  std::string text;
  bool bad = false, any = false;
  for (const Backend& b : backends) {
    if (b.platform != platform) continue;
    any = true;
    text += fmt::format("{}{} of {} pass", text.empty() ? "" : "\n", Grouped(b.Count("pass")),
                        Counted(b.cases(), "case"));
    for (const char* verdict : {"crash", "timeout", "fail", "waived", "unsupported", "skip"}) {
      if (b.Count(verdict) > 0) text += fmt::format(", {} {}", Grouped(b.Count(verdict)), verdict);
    }
    text += fmt::format(" ({}, {})", b.profile, b.name);
    bad = bad || b.Count("fail") + b.Count("crash") + b.Count("timeout") > 0;
  }
  if (!any) return TextCell("not run", Tone::kQuiet);
  return TextCell(text, bad ? Tone::kBad : Tone::kGood);
}

Cell ModelsCell(const std::vector<ResultFile>& files, const std::string& platform) {
  std::set<std::string> names;
  std::vector<std::string> refused;
  for (const ResultFile& file : files) {
    if (file.platform != platform) continue;
    for (const ModelRun& run : file.models) {
      if (run.refused()) {
        refused.push_back(run.error);
      } else {
        names.insert(run.name);
      }
    }
  }
  if (names.empty() && refused.empty()) return TextCell("not run", Tone::kQuiet);
  Cell cell = TextCell(fmt::format("{} ran", Counted(static_cast<int64_t>(names.size()), "model")));
  if (!refused.empty()) {
    cell.text += fmt::format(", {} refused", refused.size());
    cell.tone = Tone::kWarning;
    cell.details = refused;
  }
  return cell;
}

Cell OutputsCell(const std::map<AgreementKey, Agreement>& agreements, const std::string& platform) {
  int shared = 0;
  std::vector<std::string> different;
  for (const auto& [key, agreement] : agreements) {
    std::set<std::string> platforms;
    bool here = false, differs = false;
    for (const auto& [outputs, runs] : agreement.by_outputs) {
      for (const auto& [file, run] : runs) {
        platforms.insert(file->platform);
        if (file->platform != platform) continue;
        here = true;
        differs = differs || outputs != agreement.majority();
      }
    }
    if (differs) {
      different.push_back(agreement.model);
    } else if (here && platforms.size() > 1) {
      ++shared;
    }
  }
  if (!different.empty()) return {.text = "differ", .tone = Tone::kBad, .details = different};
  if (shared == 0) return TextCell("nothing to compare with", Tone::kQuiet);
  return TextCell(fmt::format("equal to other platforms' for {}", Counted(shared, "model")), Tone::kGood);
}

// What generic_benchmark was told, as far as its results say.
std::vector<std::string> BenchmarkCommands(const ResultFile& file) {
  std::vector<std::pair<std::string, std::string>> by_options;
  for (const ModelRun& run : file.models) {
    std::string options =
        run.refused() ? ""
                      : fmt::format(" --kernels {} --memory {} --runs {}", run.kernels, run.memory, run.runs);
    if (run.decompression) options += " --decompression " + run.decompression->policy;
    const auto place = std::find_if(by_options.begin(), by_options.end(),
                                    [&](const auto& entry) { return entry.first == options; });
    if (place == by_options.end()) {
      by_options.emplace_back(options, " " + run.path);
    } else if (place->second.find(" " + run.path) == std::string::npos) {
      place->second += " " + run.path;
    }
  }
  std::vector<std::string> commands;
  for (const auto& [options, models] : by_options) {
    commands.push_back("generic_benchmark" + models + options + " --format json");
  }
  return commands;
}

}  // namespace

Section VerdictSection(const std::vector<ResultFile>& files) {
  Section section = {.id = "verdicts", .title = "Verdict"};
  const std::vector<Backend> backends = Backends(files);
  const auto agreements = Agreements(files);
  Table table = {.title = "Platforms",
                 .columns = {"Platform", "Verdict", "Conformance", "Models", "Outputs"}};
  for (const std::string& platform : Platforms(files)) {
    const Cell conformance = ConformanceCell(backends, platform), models = ModelsCell(files, platform),
               outputs = OutputsCell(agreements, platform);
    Cell verdict = TextCell("pass", Tone::kGood);
    if (conformance.tone == Tone::kQuiet) verdict = TextCell("measured", Tone::kPlain);
    if (models.tone == Tone::kWarning) verdict = TextCell("refuses", Tone::kWarning);
    if (conformance.tone == Tone::kBad || outputs.tone == Tone::kBad) verdict = TextCell("FAIL", Tone::kBad);
    table.rows.push_back({TextCell(platform), verdict, conformance, models, outputs});
  }
  if (!table.rows.empty()) section.tables.push_back(table);
  return section;
}

Section OutputSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "outputs",
      .title = "Outputs",
      .text = "CRC-32 of the outputs of each model: equal on all platforms for equal inputs and rounding."};
  Table table = {.title = "Models",
                 .columns = {"Model", "Inputs", "Rounding", "Outputs", "Agreement", "Evaluation"}};
  for (const auto& [key, agreement] : Agreements(files)) {
    for (const auto& [outputs, runs] : agreement.by_outputs) {
      std::set<std::string> platforms;
      std::string evaluation;
      for (const auto& [file, run] : runs) {
        platforms.insert(file->platform);
        if (run->evaluation) {
          evaluation = fmt::format("{} {:.6g} ({})", run->evaluation->metric, run->evaluation->value,
                                   Counted(run->evaluation->count, "sample"));
        }
      }
      std::string names;
      for (const std::string& platform : platforms) names += (names.empty() ? "" : ", ") + platform;
      const bool differs = outputs != agreement.majority();
      table.rows.push_back(
          {TextCell(agreement.model),
           {.text = std::get<2>(key), .code = true},
           TextCell(std::get<3>(key)),
           {.text = outputs, .code = true},
           TextCell((differs ? "DIFFERS: " : "equal: ") + names, differs ? Tone::kBad : Tone::kGood),
           evaluation.empty() ? TextCell("-", Tone::kQuiet) : TextCell(evaluation)});
    }
  }
  if (!table.rows.empty()) section.tables.push_back(table);
  return section;
}

Section EnvironmentSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "environment",
      .title = "Environment",
      .text = "Of each result file: what was measured, with what, and the command that does it again."};
  Table table = {.title = "Result files",
                 .columns = {"Platform", "Program", "Commit", "Date", "Processor", "Compiler", "Rounding",
                             "Clock", "Noise"}};
  Table commands = {.title = "Commands", .columns = {"Platform", "Command"}};
  for (const ResultFile& file : files) {
    const Context& c = file.context;
    std::string noise;
    for (const std::string& line : c.noise) noise += (noise.empty() ? "" : "; ") + line;
    std::vector<Cell> row = {TextCell(file.platform)};
    for (const std::string& text :
         {c.program + " " + c.version, c.commit, c.date, c.cpu,
          c.compiler + (c.build_type.empty() ? "" : ", " + c.build_type), c.rounding, c.clock, noise}) {
      row.push_back(text.empty() ? TextCell("-", Tone::kQuiet) : TextCell(text));
    }
    table.rows.push_back(row);
    std::vector<std::string> lines;
    if (!c.command.empty()) {
      lines = {c.command};
    } else {
      if (!file.models.empty()) lines = BenchmarkCommands(file);
      if (file.conformance) lines.push_back(file.conformance->command);
    }
    for (const std::string& line : lines) {
      commands.rows.push_back({TextCell(file.platform), {.text = line, .code = true}});
    }
  }
  section.tables = {table, commands};
  return section;
}

Report BuildReport(const std::vector<ResultFile>& files) {
  Report report = {.title = "Lutra: results"};
  for (Section (*build)(const std::vector<ResultFile>&) :
       {VerdictSection, ConformanceSection, SpeedSection, OperatorSection, SizeSection, CompressionSection,
        OutputSection, EnvironmentSection}) {
    Section section = build(files);
    if (!section.tables.empty()) report.sections.push_back(std::move(section));
  }
  int failing = 0;
  for (const auto& row : report.sections.front().tables.front().rows)
    failing += row[1].tone == Tone::kBad ? 1 : 0;
  report.summary =
      fmt::format("{}, {} failing; {}", Counted(static_cast<int64_t>(Platforms(files).size()), "platform"),
                  failing, Counted(static_cast<int64_t>(files.size()), "result file"));
  return report;
}

}  // namespace lutra::reports
