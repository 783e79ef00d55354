// SPDX-License-Identifier: Apache-2.0
// A report as plain data: sections of text, tables and charts. The writers turn it into HTML or Markdown, and
// need not know what models or cases are.

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
  // The unrounded figure, as in the result file.
  std::string exact;
  std::string unit;  // The unit of `exact`.
  // Lines that are shown on a click.
  std::vector<std::string> details;
  bool code = false;
};

struct Table {
  std::string title;
  std::vector<std::string> columns;
  // The first cell names the row.
  std::vector<std::vector<Cell>> rows;
  bool folded = false;  // Only the title is shown until it is clicked.
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
  bool folded = false;  // Shown after a click on a line that opens all of the section's folded charts.
};

// A drawing that needs no script.
struct Picture {
  std::string title;
  std::string svg;
  bool folded = false;
};

struct Section {
  std::string id, title, text;
  Cell verdict;  // A line of its own, if it has text.
  std::vector<Table> tables;
  std::vector<Chart> charts;
  std::vector<Picture> pictures;
};

struct Report {
  std::string title;
  std::string summary;  // One line.
  std::vector<Section> sections;
  bool comparison = false;  // Whether it compares two sets of results.
};

// Returns a report of all these results.
Report BuildReport(const std::vector<ResultFile>& files);

// Returns a report of the changes.
Report ComparisonReport(const Comparison& comparison, const Verdicts& verdicts);

// Shortens absolute paths in all texts to their last name, or to their place in models/: a report for others
// should not tell where files lie.
void HidePaths(Report* report);

// The sections of a report. A section without tables has nothing to show.
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
