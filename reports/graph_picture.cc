// SPDX-License-Identifier: Apache-2.0
// Draws boxes and lines of a graph.

#include "reports/graph_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "host/live_bytes.h"
#include "host/markup.h"
#include "host/printable.h"
#include "reports/views.h"

namespace lutra::reports {
namespace {

constexpr double kBoxWidth = 170, kBoxHeight = 22, kColumn = 186, kLine = 40, kMargin = 8;
// A drawing of more operators could not be read; the table has all of them.
constexpr size_t kMostOperators = 400;

struct Place {
  size_t line = 0, column = 0;
  double X() const { return kMargin + static_cast<double>(column) * kColumn; }
  double Y() const { return kMargin + static_cast<double>(line) * kLine; }
};

// Places each operator one line below the last of its inputs, in the first free column.
std::vector<Place> PlacesOf(const std::vector<host::OperatorResult>& operators) {
  std::vector<Place> places;
  std::vector<size_t> used;  // Used columns of each line.
  for (size_t i = 0; i < operators.size(); ++i) {
    Place place;
    for (const int64_t read : *operators[i].reads) {
      // Files of other programs may hold any number.
      if (read >= 0 && read < static_cast<int64_t>(i))
        place.line = std::max(place.line, places[static_cast<size_t>(read)].line + 1);
    }
    used.resize(std::max(used.size(), place.line + 1));
    place.column = used[place.line]++;
    places.push_back(place);
  }
  return places;
}

// A label can be read on this colour, also on paper, where links are black.
constexpr double kDarkest = 0.45;

std::string Half(double x, double y, double share) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"var(--link)\" "
      "opacity=\"{:.2f}\"/>",
      x, y, kBoxWidth / 2, kBoxHeight, kDarkest * std::clamp(share, 0.0, 1.0));
}

std::string RowOf(const host::OperatorResult& op, const std::vector<int64_t>& arena, size_t i) {
  std::string text =
      fmt::format("{} {} {}", op.index, op.type, host::ShortName(op.name, kLongestOperatorName));
  if (!op.kernel.empty()) text += ", kernel " + op.kernel;
  if (op.median_ns) text += fmt::format(", {} ({})", Duration(*op.median_ns), Percent(op.share.value_or(0)));
  if (op.macs > 0) text += ", " + Counted(op.macs, "MAC");
  if (i < arena.size()) text += fmt::format(", {} bytes of the arena in use", Grouped(arena[i]));
  return text;
}

}  // namespace

std::string GraphSvg(const host::ModelResult& run) {
  const std::vector<host::OperatorResult>& operators = run.op_results;
  const bool tells = std::all_of(operators.begin(), operators.end(),
                                 [](const host::OperatorResult& op) { return op.reads.has_value(); });
  if (operators.empty() || operators.size() > kMostOperators || !tells) return "";
  const std::vector<Place> places = PlacesOf(operators);
  const std::vector<int64_t> arena = host::LiveBytes(run);
  double most_share = 1e-9, most_bytes = 1, width = 0, height = 0;
  for (size_t i = 0; i < operators.size(); ++i) {
    most_share = std::max(most_share, operators[i].share.value_or(0));
    if (i < arena.size()) most_bytes = std::max(most_bytes, static_cast<double>(arena[i]));
    width = std::max(width, places[i].X() + kBoxWidth + kMargin);
    height = std::max(height, places[i].Y() + kBoxHeight + kMargin);
  }
  std::string lines, boxes;
  for (size_t i = 0; i < operators.size(); ++i) {
    const host::OperatorResult& op = operators[i];
    const double x = places[i].X(), y = places[i].Y();
    for (const int64_t read : *op.reads) {
      if (read < 0 || read >= static_cast<int64_t>(i)) continue;
      const Place& from = places[static_cast<size_t>(read)];
      lines += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", from.X() + kBoxWidth / 2,
                           from.Y() + kBoxHeight, x + kBoxWidth / 2, y);
    }
    const double bytes = i < arena.size() ? static_cast<double>(arena[i]) : 0;
    boxes += fmt::format(
        "<g><title>{}</title>{}{}<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"3\" "
        "fill=\"none\" stroke=\"currentColor\" pointer-events=\"all\"/><text x=\"{:.1f}\" "
        "y=\"{:.1f}\">{}</text></g>",
        host::Markup(RowOf(op, arena, i)), Half(x, y, op.share.value_or(0) / most_share),
        Half(x + kBoxWidth / 2, y, bytes / most_bytes), x, y, kBoxWidth, kBoxHeight, x + 6, y + 15,
        host::Markup(host::ShortName(fmt::format("{} {}", op.index, op.type), 24)));
  }
  return fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" "
      "font-size=\"11\" "
      "fill=\"currentColor\"><g stroke=\"currentColor\" opacity=\".5\">{2}</g>{3}</svg>",
      width, height, lines, boxes);
}

}  // namespace lutra::reports
