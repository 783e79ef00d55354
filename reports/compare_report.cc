// SPDX-License-Identifier: Apache-2.0
// Writes a comparison as a report: first failures, then what was lost, got worse, got better or changed
// otherwise.

#include <fmt/format.h>

#include <cmath>

#include "reports/gate.h"
#include "reports/report.h"
#include "reports/views.h"

namespace lutra::reports {
namespace {

// Returns whole numbers in the usual form, and fractions with four digits.
std::string NumberText(std::optional<double> value) {
  if (!value) return "-";
  return *value == std::floor(*value) ? Grouped(static_cast<int64_t>(*value)) : fmt::format("{:.4f}", *value);
}

void AddSection(const char* id, const char* title, const char* text, Table table, Report* report) {
  if (table.rows.empty()) return;
  table.title = title;
  if (table.columns.empty()) table.columns = {"Where", "What", "Old", "New", "Change"};
  for (auto& row : table.rows) row.resize(table.columns.size());
  report->sections.push_back({.id = id, .title = title, .text = text, .tables = {std::move(table)}});
}

std::vector<Cell> RowOf(const Change& change, Tone tone) {
  return {TextCell(change.where), TextCell(change.what), TextCell(change.before),
          TextCell(change.after, tone)};
}

std::vector<Cell> RowOf(const ComparedFigure& figure, Tone tone) {
  std::string change = "-";
  if (figure.before && figure.after && *figure.before != 0) {
    change = fmt::format("{:+.1f} %", (*figure.after - *figure.before) * 100 / *figure.before);
  }
  return {TextCell(figure.where), TextCell(figure.what), TextCell(NumberText(figure.before)),
          TextCell(NumberText(figure.after), tone), TextCell(change)};
}

Table TableOf(const std::vector<Change>& changes, Tone tone) {
  Table table;
  for (const Change& change : changes) table.rows.push_back(RowOf(change, tone));
  return table;
}

// Lists the figures with this judgement, and their limits.
Table TableOf(const Verdicts& verdicts, Judgement judgement, Tone tone) {
  Table table = {.title = "", .columns = {"Where", "What", "Old", "New", "Change", "Budget"}, .rows = {}};
  for (const JudgedFigure& judged : verdicts.figures) {
    if (judged.judgement != judgement) continue;
    table.rows.push_back(RowOf(judged.figure, tone));
    table.rows.back().push_back(TextCell(judged.why));
  }
  return table;
}

}  // namespace

Report ComparisonReport(const Comparison& comparison, const Verdicts& verdicts) {
  Table worse, better = TableOf(comparison.better, Tone::kGood);
  int worse_count = 0;
  for (const JudgedFigure& judged : verdicts.figures) {
    const Trend trend = TrendOf(judged.figure);
    if (!judged.figure.is_listed || trend == Trend::kNone) continue;
    worse_count += trend == Trend::kWorse;
    if (trend == Trend::kBetter) {
      better.rows.push_back(RowOf(judged.figure, Tone::kGood));
    } else if (judged.judgement != Judgement::kOver && judged.judgement != Judgement::kUndecided) {
      worse.rows.push_back(RowOf(judged.figure, Tone::kWarning));
    }
  }
  Report report = {.title = "Lutra: what changed", .comparison = true};
  report.summary = fmt::format("{} lost, {} worse, {} better, {} otherwise changed", comparison.lost.size(),
                               worse_count, better.rows.size(), comparison.other.size());
  if (verdicts.over > 0) report.summary += fmt::format("; {} over budget", verdicts.over);
  if (verdicts.undecided > 0) report.summary += fmt::format("; {} undecided", verdicts.undecided);
  AddSection("lost", "Lost", "What was there or right, and is not now.", TableOf(comparison.lost, Tone::kBad),
             &report);
  AddSection("over", "Over budget", "What fails.", TableOf(verdicts, Judgement::kOver, Tone::kBad), &report);
  AddSection("undecided", "Undecided", "Over budget perhaps; the times do not tell, and do not fail.",
             TableOf(verdicts, Judgement::kUndecided, Tone::kWarning), &report);
  AddSection("worse", "Worse", "More bytes, instructions or time, or less accuracy.", worse, &report);
  AddSection("better", "Better", "Less of them, and what passes or runs now.", better, &report);
  AddSection("other", "Other changes", "Neither better nor worse, and figures that are gone.",
             TableOf(comparison.other, Tone::kPlain), &report);
  HidePaths(&report);
  return report;
}

}  // namespace lutra::reports
