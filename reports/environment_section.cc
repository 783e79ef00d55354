// SPDX-License-Identifier: Apache-2.0
// Shows what was measured with which tools, and how to repeat it.

#include <fmt/format.h>

#include <algorithm>

#include "reports/views.h"

namespace lutra::reports {
namespace {

// Returns the command lines of generic_benchmark, as far as its results have them.
std::vector<std::string> BenchmarkCommands(const ResultFile& file) {
  std::vector<std::pair<std::string, std::string>> by_options;
  for (const host::ModelResult& run : file.models()) {
    std::string options = run.refused() ? ""
                                        : fmt::format(" --kernels {} --memory {} --runs {}", run.kernels,
                                                      run.memory, run.inference.runs);
    if (run.decompression) options += " --decompression " + run.decompression->policy;
    if (run.decompression && run.decompression->outside_bytes > 0) {
      options += fmt::format(" --decompression-memory {}", run.decompression->outside_bytes);
    }
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
    if (!file.HasPlatform()) continue;
    const host::Environment& c = file.results.environment;
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
      if (!file.models().empty() && c.program == "generic_benchmark") lines = BenchmarkCommands(file);
      if (file.results.conformance) lines.push_back(file.results.conformance->command);
    }
    if (lines.empty()) {
      commands.rows.push_back({TextCell(file.platform), TextCell("not told", Tone::kQuiet)});
    }
    for (const std::string& line : lines) {
      commands.rows.push_back({TextCell(file.platform), {.text = line, .code = true}});
    }
  }
  if (!table.rows.empty()) section.tables = {table, commands};
  return section;
}

}  // namespace lutra::reports
