// SPDX-License-Identifier: Apache-2.0
// Figures over commits, and where they change.
//
//   std::vector<Figures> files;                      // FiguresOf each result file, or of a database
//   (results_db.h) for (const Series& series : SeriesOf(files)) ... // points in the order of their dates,
//   changes marked
//
// A point is a commit: the median, where several files of it have the figure. Bytes, instructions and counts
// change where they differ from the commit before. A time changes where it differs by more than 5 % and by
// more than three median absolute deviations: the medians of up to five commits before and from there on, of
// at least two each; where several neighbours do, at the one that differs most from its commit before.

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

// Holds the figures of a file.
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

// Returns them in the order of platforms, models, settings and figures.
std::vector<History> HistoriesOf(const std::vector<Figures>& files);

// Sets is_change of each point, by the rule above.
void MarkChanges(History* history);

// "12,720"; a time "1.2 ms"; a share "87.5 %".
std::string ValueText(const History& history, double value);

// A table and a drawing of each.
Section HistorySection(const std::vector<History>& histories);

}  // namespace lutra::reports
