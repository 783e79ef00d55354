// SPDX-License-Identifier: Apache-2.0
// Collects figures by commit, and finds their changes.

#include "reports/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "host/scores.h"
#include "host/time_ratio.h"
#include "reports/compare.h"
#include "reports/views.h"

namespace lutra::reports {
namespace {

constexpr size_t kWindow = 5, kLeastWindow = 2;

// Returns the median; for an even number of values, the mean of the middle two.
double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double DeviationOf(const std::vector<double>& values, double median) {
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - median));
  return MedianOf(distances);
}

// Returns whether the times from point `at` on differ from those before.
bool IsStep(const History& history, size_t at) {
  const size_t count = history.points.size();
  std::vector<double> before, after;
  for (size_t i = at < kWindow ? 0 : at - kWindow; i < at; ++i) before.push_back(history.points[i].value);
  for (size_t i = at; i < std::min(count, at + kWindow); ++i) after.push_back(history.points[i].value);
  if (before.size() < kLeastWindow || after.size() < kLeastWindow) return false;
  const double was = MedianOf(before), is = MedianOf(after), step = std::abs(is - was);
  const double deviation = std::max(DeviationOf(before, was), DeviationOf(after, is));
  return step > host::kUsualDifference * was && step > host::kUsualDeviations * deviation;
}

double JumpAt(const History& history, size_t at) {
  return std::abs(history.points[at].value - history.points[at - 1].value);
}

void MarkTimes(History* history) {
  const size_t count = history->points.size();
  std::vector<bool> steps(count);
  for (size_t i = 1; i < count; ++i) steps[i] = IsStep(*history, i);
  for (size_t i = 1; i < count; ++i) {
    if (!steps[i]) continue;
    bool is_largest = true;
    for (size_t k = i < kWindow ? 1 : i - kWindow + 1; k < std::min(count, i + kWindow); ++k) {
      const bool is_larger =
          JumpAt(*history, k) > JumpAt(*history, i) || (JumpAt(*history, k) == JumpAt(*history, i) && k < i);
      is_largest = is_largest && (!steps[k] || !is_larger);
    }
    history->points[i].is_change = is_largest;
  }
}

void AddCases(const ResultFile& file, std::vector<OneFigure>* figures) {
  if (!file.results.conformance) return;
  int64_t passed = 0, failed = 0;
  for (const host::CaseResult& one : file.results.conformance->cases) {
    const bool is_failure = one.verdict == host::Verdict::kFail || one.verdict == host::Verdict::kCrash ||
                            one.verdict == host::Verdict::kTimeout;
    passed += one.verdict == host::Verdict::kPass ? 1 : 0;
    failed += is_failure ? 1 : 0;
  }
  const std::string name = "conformance, " + file.results.conformance->profile;
  figures->push_back({file.platform, name, "", "cases_passed", static_cast<double>(passed), false});
  figures->push_back({file.platform, name, "", "cases_failed", static_cast<double>(failed), false});
}

}  // namespace

Figures FiguresOf(const ResultFile& file) {
  Figures found = {
      .commit = file.results.environment.commit, .date = file.results.environment.date, .figures = {}};
  for (const ComparedFigure& figure : Compare({}, {file}).figures) {
    if (!figure.after) continue;
    found.figures.push_back(
        {figure.platform, figure.model, figure.setting, figure.figure, *figure.after, figure.is_time});
  }
  AddCases(file, &found.figures);
  return found;
}

void MarkChanges(History* history) {
  for (HistoryPoint& point : history->points) point.is_change = false;
  if (history->is_time) return MarkTimes(history);
  for (size_t i = 1; i < history->points.size(); ++i) {
    history->points[i].is_change = history->points[i].value != history->points[i - 1].value;
  }
}

std::vector<History> HistoriesOf(const std::vector<Figures>& files) {
  // A commit has the date of its first file.
  std::map<std::string, std::string> dates;
  for (const Figures& file : files) {
    std::string& date = dates[file.commit];
    if (date.empty() || file.date < date) date = file.date;
  }
  using Name = std::tuple<std::string, std::string, std::string, std::string>;
  struct Collected {
    bool is_time = false;
    std::map<std::pair<std::string, std::string>, std::vector<double>> by_commit;  // Key: date and commit.
  };
  std::map<Name, Collected> collected;
  for (const Figures& file : files) {
    for (const OneFigure& figure : file.figures) {
      Collected& one = collected[{figure.platform, figure.model, figure.setting, figure.figure}];
      one.is_time = figure.is_time;
      one.by_commit[{dates[file.commit], file.commit}].push_back(figure.value);
    }
  }
  std::vector<History> histories;
  for (const auto& [name, one] : collected) {
    const auto& [platform, model, setting, figure] = name;
    History history = {platform, model, setting, figure, one.is_time, {}};
    for (const auto& [commit, values] : one.by_commit) {
      history.points.push_back({commit.second, commit.first, MedianOf(values), false});
    }
    MarkChanges(&history);
    histories.push_back(std::move(history));
  }
  return histories;
}

std::string ValueText(const History& history, double value) {
  if (history.is_time) return Duration(std::llround(value));
  if (host::MoreIsBetter(history.figure)) return Percent(value);
  if (value == std::floor(value)) return Grouped(std::llround(value));
  return fmt::format("{:.4g}", value);
}

}  // namespace lutra::reports
