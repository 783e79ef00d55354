// SPDX-License-Identifier: Apache-2.0
// Collects figures over commits, and finds where they change.
//
//   std::vector<Figures> files;                      // FiguresOf each result file, or of a database
//   (results_db.h) for (const Series& series : SeriesOf(files)) ... // points in the order of their dates,
//   changes marked
//
// A point is a commit, with the median of its files' figures. Bytes, instructions and counts change if they
// differ from the commit before. A time changes if the medians of up to five commits before, and of as many
// from there on (at least two each), differ by more than 5 % and by more than three median absolute
// deviations. If several neighbours meet this, the one that differs most from its commit before is the
// change.

#pragma once

#include <string>
#include <vector>

#include "reports/report.h"
#include "reports/results.h"

namespace lutra::reports {

struct OneFigure {
  std::string platform, model, setting;
  std::string figure;  // As budgets have it: "arena_bytes"; of conformance "cases_passed" and "cases_failed".
  double value = 0;
  bool is_time = false;
};

// The figures of a file.
struct Figures {
  std::string commit, date;
  std::vector<OneFigure> figures;
};

Figures FiguresOf(const ResultFile& file);

struct HistoryPoint {
  std::string commit, date;  // The date of the commit's first file.
  double value = 0;
  bool is_change = false;
};

struct History {
  std::string platform, model, setting, figure;
  bool is_time = false;
  std::vector<HistoryPoint> points;
};

// Returns histories in the order of platforms, models, settings and figures.
std::vector<History> HistoriesOf(const std::vector<Figures>& files);

// Sets is_change of each point, by the rule above.
void MarkChanges(History* history);

// Returns "12,720"; for a time "1.2 ms"; for a share "87.5 %".
std::string ValueText(const History& history, double value);

// Returns a table and a drawing of each history.
Section HistorySection(const std::vector<History>& histories);

}  // namespace lutra::reports
