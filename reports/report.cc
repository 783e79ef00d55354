// SPDX-License-Identifier: Apache-2.0
// Builds the report from sections of result files.

#include "reports/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "reports/views.h"

namespace lutra::reports {

namespace {

// Shortens each word that is an absolute path to its last name.
std::string WithoutPaths(const std::string& text) {
  static constexpr char kBefore[] = " \n\t'\"=,(", kBehind[] = " \n\t'\",()";
  std::string cut;
  size_t begin = 0;
  for (size_t at = text.find('/'); at != std::string::npos; at = text.find('/', at)) {
    const bool is_start = at == 0 || std::string_view(kBefore).find(text[at - 1]) != std::string_view::npos;
    const size_t end = std::min(text.find_first_of(kBehind, at), text.size());
    // A folder's name may end with a slash.
    const size_t slash = text.find_last_of('/', std::max(end, size_t{2}) - 2);
    if (is_start && slash != std::string::npos && slash > at) {
      const std::string name = text.substr(slash + 1, end - slash - 1);
      const std::string model = name.substr(0, name.find(".tflite"));
      cut += text.substr(begin, at - begin) + (IsBundled(model) && model != name ? "models/" : "") + name;
      begin = end;
    }
    at = end;
  }
  return cut + text.substr(begin);
}

}  // namespace

void HidePaths(Report* report) {
  for (Section& section : report->sections) {
    section.verdict.text = WithoutPaths(section.verdict.text);
    for (Table& table : section.tables) {
      for (auto& row : table.rows) {
        for (Cell& cell : row) {
          cell.text = WithoutPaths(cell.text);
          for (std::string& line : cell.details) line = WithoutPaths(line);
        }
      }
    }
  }
}

Report BuildReport(const std::vector<ResultFile>& files) {
  Report report = {.title = "Lutra: results"};
  for (Section (*build)(const std::vector<ResultFile>&) :
       {PlatformSection, ConformanceSection, SpeedSection, OperatorSection, GraphSection, KernelSection,
        SizeSection, TradeOffSection, CompressionSection, TrafficSection, AcceleratorSection, OutputSection,
        EnvironmentSection}) {
    Section section = build(files);
    if (!section.tables.empty()) report.sections.push_back(std::move(section));
  }
  int failing = 0;
  if (!Platforms(files).empty()) {
    for (const auto& row : report.sections.front().tables.front().rows) {
      failing += row[1].tone == Tone::kBad ? 1 : 0;
    }
  }
  report.summary =
      fmt::format("{}, {} failing; {}", Counted(static_cast<int64_t>(Platforms(files).size()), "platform"),
                  failing, Counted(static_cast<int64_t>(files.size()), "result file"));
  HidePaths(&report);
  return report;
}

}  // namespace lutra::reports
