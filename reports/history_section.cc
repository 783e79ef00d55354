// SPDX-License-Identifier: Apache-2.0
// Writes the section of a report on figures over commits.

#include <fmt/format.h>

#include <algorithm>

#include "host/markup.h"
#include "reports/history.h"
#include "reports/views.h"

namespace lutra::reports {
namespace {

constexpr double kWidth = 640, kHeight = 160, kLeft = 90, kRight = 24, kTop = 16, kBottom = 28;
// With more pictures a page would be megabytes, and nobody could read it.
constexpr size_t kMostPictures = 200;

std::string TitleOf(const History& history) {
  std::string title;
  for (const std::string* word : {&history.platform, &history.model, &history.setting, &history.figure}) {
    if (!word->empty()) title += (title.empty() ? "" : ", ") + *word;
  }
  return title;
}

// Draws a line through all points, and a dot at each change. There must be at least two points.
std::string Svg(const History& history) {
  double least = history.points[0].value, most = least;
  for (const HistoryPoint& point : history.points) {
    least = std::min(least, point.value);
    most = std::max(most, point.value);
  }
  const double range = most > least ? most - least : 1;
  const auto x = [&](size_t i) {
    return kLeft + static_cast<double>(i) / static_cast<double>(history.points.size() - 1) *
                       (kWidth - kLeft - kRight);
  };
  const auto y = [&](double value) {
    return kHeight - kBottom - (value - least) / range * (kHeight - kTop - kBottom);
  };
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" font-size=\"12\" "
      "fill=\"currentColor\">",
      kWidth, kHeight);
  svg += fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" stroke=\"currentColor\" opacity=\".5\"/>",
                     kLeft, kTop, kHeight - kBottom, kWidth - kRight);
  std::string line, dots;
  for (size_t i = 0; i < history.points.size(); ++i) {
    const HistoryPoint& point = history.points[i];
    line += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", x(i), y(point.value));
    if (!point.is_change) continue;
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}: {}</title></circle>", x(i),
                        y(point.value), host::Markup(point.commit),
                        host::Markup(ValueText(history, point.value)));
  }
  svg += "<path d=\"" + line + "\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/>" + dots;
  const auto text = [&](double at_x, double at_y, const char* anchor, const std::string& words) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", at_x, at_y, anchor,
                       host::Markup(words));
  };
  text(kLeft - 6, kTop + 8, "end", ValueText(history, most));
  if (most > least) text(kLeft - 6, kHeight - kBottom, "end", ValueText(history, least));
  text(kLeft, kHeight - 8, "start", history.points.front().commit);
  text(kWidth - kRight, kHeight - 8, "end", history.points.back().commit);
  return svg + "</svg>";
}

}  // namespace

Section HistorySection(const std::vector<History>& histories) {
  Section section = {.id = "history",
                     .title = "History",
                     .text = "",
                     .verdict = {},
                     .tables = {},
                     .charts = {},
                     .pictures = {}};
  Table table = {
      .title = "",
      .columns = {"Platform", "Model", "Setting", "Figure", "Commits", "First", "Last", "Changed at"},
      .rows = {}};
  size_t drawn = 0, left_out = 0;
  for (const History& history : histories) {
    if (history.points.size() < 2) continue;
    std::string changes;
    for (const HistoryPoint& point : history.points) {
      if (point.is_change) changes += (changes.empty() ? "" : ", ") + point.commit;
    }
    table.rows.push_back({TextCell(history.platform), TextCell(history.model), TextCell(history.setting),
                          TextCell(history.figure), TextCell(std::to_string(history.points.size())),
                          TextCell(ValueText(history, history.points.front().value)),
                          TextCell(ValueText(history, history.points.back().value)),
                          TextCell(changes.empty() ? "-" : changes)});
    if (changes.empty()) continue;
    if (drawn == kMostPictures) {
      ++left_out;
      continue;
    }
    ++drawn;
    section.pictures.push_back({.title = TitleOf(history), .svg = Svg(history), .folded = drawn > 4});
  }
  section.text =
      "Each figure over commits, in the order of their first results. A dot is a change: of bytes, "
      "instructions and cases any; "
      "of times, where the medians of up to five commits before and from there on differ by more than 5 % "
      "and by more than "
      "three median absolute deviations. Figures that changed nowhere are in the table alone.";
  if (left_out > 0) section.text += fmt::format(" {} more that changed are not drawn.", left_out);
  if (table.rows.empty()) {
    section.text = "No figure has results of two commits.";
  } else {
    section.tables.push_back(WithoutEmptyColumns(table));
  }
  return section;
}

}  // namespace lutra::reports
