// SPDX-License-Identifier: Apache-2.0
// Draws rectangles of buffers over bands of row groups.

#include "host/plan_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/markup.h"
#include "host/printable.h"

namespace lutra::host {
namespace {

constexpr double kWidth = 640, kHeight = 240, kLeft = 70, kTop = 10, kBottom = 24;
constexpr size_t kLongestName = 60;

// Maps steps and bytes to coordinates of the drawing.
struct Scale {
  double across;
  double up;
  double X(int64_t step) const { return kLeft + static_cast<double>(step) * across; }
  double Width(int64_t first, int64_t last) const { return static_cast<double>(last - first + 1) * across; }
  double Y(double bytes) const { return kHeight - kBottom - bytes * up; }
};

std::string Band(const RowGroupResult& group, const Scale& scale) {
  return fmt::format(
      "<rect class=\"group\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill=\"currentColor\" fill-opacity=\".12\"><title>steps {} to {} run together, row by row, when step "
      "{} is due</title></rect>",
      scale.X(group.first_step), kTop, scale.Width(group.first_step, group.last_step),
      kHeight - kTop - kBottom, group.first_step, group.last_step, group.last_step);
}

std::string Rectangle(const BufferResult& buffer, const Scale& scale, const char* colour) {
  const auto bytes = static_cast<double>(buffer.bytes);
  const std::string name = buffer.tensor ? "tensor " + ShortName(buffer.name, kLongestName) : "scratch";
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" fill-opacity=\".3\" "
      "stroke=\"currentColor\"><title>{}: {} bytes from {}, steps {} to {}</title></rect>",
      scale.X(buffer.first_step), scale.Y(static_cast<double>(buffer.offset_bytes) + bytes),
      scale.Width(buffer.first_step, buffer.last_step), bytes * scale.up,
      buffer.tensor ? colour : "currentColor", Markup(name), Grouped(buffer.bytes),
      Grouped(buffer.offset_bytes), buffer.first_step, buffer.last_step);
}

}  // namespace

std::string PlanSvg(const ArenaResult& arena, PictureFor use) {
  if (arena.buffers.empty()) return "";
  double most_bytes = 1;
  int64_t steps = 1;
  for (const BufferResult& buffer : arena.buffers) {
    most_bytes = std::max(most_bytes, static_cast<double>(buffer.offset_bytes + buffer.bytes));
    steps = std::max(steps, buffer.last_step + 1);
  }
  const Scale scale = {(kWidth - kLeft - kTop) / static_cast<double>(steps),
                       (kHeight - kTop - kBottom) / most_bytes};
  const bool is_file = use == PictureFor::kFile;
  std::string shapes;
  for (const RowGroupResult& group : arena.row_groups) shapes += Band(group, scale);
  for (const BufferResult& buffer : arena.buffers) {
    if (buffer.bytes > 0) shapes += Rectangle(buffer, scale, is_file ? "steelblue" : "var(--link)");
  }
  return fmt::format(
      "<svg{} viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" font-size=\"12\" "
      "fill=\"currentColor\">{}"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">0</text>"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">step {}</text>{}</svg>{}",
      is_file ? " xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\"" : "", kWidth, kHeight,
      kWidth, kHeight, is_file ? "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>" : "", kLeft - 6,
      kTop + 10, Grouped(static_cast<int64_t>(most_bytes)), kLeft - 6, kHeight - kBottom, kWidth - kTop,
      kHeight - 8, steps - 1, shapes, is_file ? "\n" : "");
}

}  // namespace lutra::host
