// SPDX-License-Identifier: Apache-2.0
// Draws axes, two lines and a dot.

#include "reports/pareto_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/markup.h"
#include "reports/views.h"

namespace lutra::reports {
namespace {

constexpr double kWidth = 640, kHeight = 320, kLeft = 64, kRight = 24, kTop = 28, kBottom = 44;

// Maps figures to coordinates of the drawing.
struct Frame {
  double least_bytes, most_bytes, least_value, most_value;

  double X(double bytes) const {
    return kLeft + (bytes - least_bytes) / (most_bytes - least_bytes) * (kWidth - kLeft - kRight);
  }
  double Y(double value) const {
    return kHeight - kBottom -
           (value - least_value) / (most_value - least_value) * (kHeight - kTop - kBottom);
  }
};

// Returns a frame with room for all points of bytes and value.
Frame FrameOf(const std::vector<std::pair<double, double>>& points) {
  Frame frame = {1e18, 0, 1e18, -1e18};
  for (const auto& [bytes, value] : points) {
    frame.least_bytes = std::min(frame.least_bytes, bytes);
    frame.most_bytes = std::max(frame.most_bytes, bytes);
    frame.least_value = std::min(frame.least_value, value);
    frame.most_value = std::max(frame.most_value, value);
  }
  frame.most_bytes = std::max(frame.most_bytes, frame.least_bytes + 1);
  frame.most_value = std::max(frame.most_value, frame.least_value + 1e-3);
  return frame;
}

std::string Opening() {
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" font-size=\"12\" "
      "fill=\"currentColor\">",
      kWidth, kHeight);
}

// `unit`: the unit of the costs; the values are in the metric's.
std::string Axes(const Frame& frame, const std::string& unit, const std::string& metric) {
  std::string svg =
      fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" stroke=\"currentColor\" opacity=\".5\"/>",
                  kLeft, kTop, kHeight - kBottom, kWidth - kRight);
  constexpr int kTicks = 4;
  for (int i = 0; i <= kTicks; ++i) {
    const double share = static_cast<double>(i) / kTicks;
    const double bytes = frame.least_bytes + share * (frame.most_bytes - frame.least_bytes);
    const double value = frame.least_value + share * (frame.most_value - frame.least_value);
    svg += fmt::format(
        "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text><text x=\"{}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">{}</text>",
        frame.X(bytes), kHeight - kBottom + 18, Grouped(static_cast<int64_t>(bytes)), kLeft - 6,
        frame.Y(value) + 4, MetricText(metric, value));
  }
  return svg + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", kWidth - kRight,
                           kHeight - 8, unit);
}

}  // namespace

std::string MetricText(const std::string& metric, double value) {
  const bool is_share = metric == "accuracy" || metric == "agreement";
  return is_share ? Percent(value) : fmt::format("{:.4g}", value);
}

std::string ParetoSvg(const std::vector<host::ParetoPoint>& points, const std::string& metric) {
  std::vector<std::pair<double, double>> places;
  for (const host::ParetoPoint& point : points) {
    places.emplace_back(static_cast<double>(point.bytes), point.value);
    places.emplace_back(static_cast<double>(point.bytes), point.held_out.value_or(point.value));
  }
  const Frame frame = FrameOf(places);
  std::string fitted, held_out, dots;
  for (const host::ParetoPoint& point : points) {
    const double x = frame.X(static_cast<double>(point.bytes)), y = frame.Y(point.value);
    fitted += fmt::format("{:.1f},{:.1f} ", x, y);
    if (point.held_out) held_out += fmt::format("{:.1f},{:.1f} ", x, frame.Y(*point.held_out));
    dots += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"var(--link)\"><title>{} bytes, "
        "{}{}</title></circle>",
        x, y, point.is_result ? 6 : 3, point.is_result ? "var(--link)" : "var(--page)", Grouped(point.bytes),
        MetricText(metric, point.value),
        point.held_out ? ", held out " + MetricText(metric, *point.held_out) : "");
  }
  std::string svg =
      Opening() + fmt::format(
                      "<text x=\"{}\" y=\"14\">{}: on the samples that were fitted on{}; the dot: the "
                      "result</text>",
                      kLeft, host::Markup(metric), held_out.empty() ? "" : ", and held out (broken line)");
  svg += Axes(frame, "bytes", metric);
  svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"var(--link)\" stroke-width=\"2\"/>",
                     fitted);
  if (!held_out.empty()) {
    svg += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" "
        "stroke-dasharray=\"5 "
        "4\"/>",
        held_out);
  }
  return svg + dots + "</svg>";
}

void MarkFront(std::vector<TradeOff>* points) {
  for (TradeOff& point : *points) {
    point.is_front = std::none_of(points->begin(), points->end(), [&](const TradeOff& other) {
      return other.cost <= point.cost && other.value >= point.value &&
             (other.cost < point.cost || other.value > point.value);
    });
  }
}

std::string TradeOffSvg(const std::vector<TradeOff>& points, const std::string& unit) {
  std::vector<std::pair<double, double>> places;
  for (const TradeOff& point : points) places.emplace_back(point.cost, point.value);
  const Frame frame = FrameOf(places);
  std::string svg = Opening() + Axes(frame, host::Markup(unit), "accuracy");
  for (const TradeOff& point : points) {
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\" stroke=\"var(--link)\"><title>{}: {} {}, "
        "{}</title></circle>",
        frame.X(point.cost), frame.Y(point.value), point.is_front ? "var(--link)" : "var(--page)",
        host::Markup(point.label), Grouped(static_cast<int64_t>(point.cost)), host::Markup(unit),
        Percent(point.value));
  }
  return svg + "</svg>";
}

}  // namespace lutra::reports
