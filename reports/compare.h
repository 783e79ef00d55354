// SPDX-License-Identifier: Apache-2.0
// Compares two sets of results.
//
//   const Comparison comparison = Compare(ReadResultFiles({"old"}, &refusals), ReadResultFiles({"new"},
//   ...)); if (!comparison.lost.empty()) ...

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/time_ratio.h"
#include "reports/results.h"

namespace lutra::reports {

// A difference in words.
struct Change {
  std::string where, what, before, after;
};

// A figure that at least one of the sets has.
struct ComparedFigure {
  std::string where;  // "x86_64, kws, best, small"
  std::string platform, model, setting;
  std::string figure;  // The name in budgets: "arena_bytes".
  std::string what;    // The name for people: "arena bytes".
  std::optional<double> before, after;
  bool more_is_better = false;
  bool is_listed = true;  // Whether it is listed as worse or better: sums, whose parts are listed, are not.
  bool is_time = false;
  double deviation = 0;                     // For times: equal runs differ by no more.
  bool few_runs = false;                    // For times: too few runs to tell their deviation.
  std::optional<host::TimeRatio> in_turns;  // Turns of the new program with an old one.
};

struct Comparison {
  // Lists what was there, or right, and no longer is: cases that passed, tests of which fewer pass or more
  // fail, models that are now refused, outputs that changed for the same inputs; platforms, models, cases,
  // tests, kernels, evaluations and reports that are missing.
  std::vector<Change> lost;
  std::vector<Change> better, other;
  std::vector<ComparedFigure> figures;
};

Comparison Compare(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after);

// Returns whether there is anything to compare: files may have an empty list of results.
bool HasResults(const std::vector<ResultFile>& files);

enum class Trend { kNone, kWorse, kBetter };
// Returns the trend. Times that differ as little as equal runs do have none.
Trend TrendOf(const ComparedFigure& figure);

}  // namespace lutra::reports
