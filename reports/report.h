// SPDX-License-Identifier: Apache-2.0
// A report as plain data: sections of text, tables and charts. The writers turn it into HTML or Markdown, and
// know nothing of models or cases.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/gate.h"
#include "reports/results.h"

namespace lutra::reports {

enum class Tone { kPlain, kGood, kWarning, kBad, kQuiet };

struct Cell {
  std::string text;
  Tone tone = Tone::kPlain;
  // The figure as the result file has it, beside the rounded text.
  std::string exact;
  std::string unit;  // That figure's.
  // Shown on a click, one line each.
  std::vector<std::string> details;
  bool code = false;
};

struct Table {
  std::string title;
  std::vector<std::string> columns;
  // The first cell names the row.
  std::vector<std::vector<Cell>> rows;
  bool folded = false;  // Only the title until it is clicked.
};

struct Series {
  std::string name;
  std::vector<std::optional<double>> values;  // One for each label.
};

struct Chart {
  std::string title, unit;
  std::vector<std::string> labels;
  std::vector<Series> series;
  bool stacked = false;
  bool logarithmic = false;
  bool folded = false;  // Behind a line that opens all of the section's folded charts.
};

// A drawing that needs no script.
struct Picture {
  std::string title;
  std::string svg;
  bool folded = false;
};

struct Section {
  std::string id, title, text;
  Cell verdict;  // A line of its own, where it has text.
  std::vector<Table> tables;
  std::vector<Chart> charts;
  std::vector<Picture> pictures;
};

struct Report {
  std::string title;
  std::string summary;  // One line.
  std::vector<Section> sections;
  bool comparison = false;  // It compares two sets of results.
};

// One page for all these results.
Report BuildReport(const std::vector<ResultFile>& files);

// Reports what changed.
Report ComparisonReport(const Comparison& comparison, const Verdicts& verdicts);

// Where a path of the machine's root stands in a text of the report, its last name is left, or its place
// among models/: what is shown to others does not tell where files lie.
void HidePaths(Report* report);

// Its sections. A section without tables has nothing to show.
Section PlatformSection(const std::vector<ResultFile>& files);
Section ConformanceSection(const std::vector<ResultFile>& files);
Section SpeedSection(const std::vector<ResultFile>& files);
Section OperatorSection(const std::vector<ResultFile>& files);
Section GraphSection(const std::vector<ResultFile>& files);
Section TradeOffSection(const std::vector<ResultFile>& files);
Section KernelSection(const std::vector<ResultFile>& files);
Section SizeSection(const std::vector<ResultFile>& files);
Section CompressionSection(const std::vector<ResultFile>& files);
Section TrafficSection(const std::vector<ResultFile>& files);
Section AcceleratorSection(const std::vector<ResultFile>& files);
Section OutputSection(const std::vector<ResultFile>& files);
Section EnvironmentSection(const std::vector<ResultFile>& files);

}  // namespace lutra::reports
