// SPDX-License-Identifier: Apache-2.0
// Draws a row for each tensor, and a square for each width.

#include "reports/sensitivity_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/markup.h"
#include "host/printable.h"
#include "reports/views.h"

namespace lutra::reports {
namespace {

constexpr int kLeft = 200, kTop = 40, kRow = 20, kColumn = 52, kMostBits = 8;

// Returns from 0, for an error of at most 1e-6 of the margin's square, to 1, where answers change.
double Darkness(double error) {
  constexpr double kPowers = 6;
  return error <= 0 ? 0 : std::clamp(1 + std::log10(error) / kPowers, 0.0, 1.0);
}

// Returns the option of so many bits with the least error; null if there is none.
const host::WidthSensitivity* WidthOf(const host::TensorSensitivity& tensor, int bits) {
  const host::WidthSensitivity* best = nullptr;
  for (const host::WidthSensitivity& width : tensor.widths) {
    if (width.codec == "plain" || width.bits != bits) continue;
    if (best == nullptr || width.error < best->error) best = &width;
  }
  return best;
}

std::string Square(const host::WidthSensitivity& width, int x, int y) {
  const std::string changed =
      width.answers_changed ? fmt::format(", {} answers change", Grouped(*width.answers_changed)) : "";
  return fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" stroke=\"var(--link)\" fill=\"var(--link)\" "
      "fill-opacity=\"{:.2f}\"><title>{} bits, {}: error {:.3g}{}, {} bytes</title></rect>",
      x, y, kColumn - 4, kRow - 4, Darkness(width.error), width.bits, host::Markup(width.codec), width.error,
      changed, Grouped(width.bytes));
}

}  // namespace

std::string SensitivitySvg(const std::vector<host::TensorSensitivity>& tensors) {
  const int width = kLeft + kMostBits * kColumn, height = kTop + static_cast<int>(tensors.size()) * kRow;
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" font-size=\"12\" "
      "fill=\"currentColor\"><text x=\"{2}\" y=\"14\">bits of an index; the darker, the nearer answers are "
      "to change</text>",
      width, height, kLeft);
  for (int column = 0; column < kMostBits; ++column) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", kLeft + column * kColumn + kColumn / 2 - 6,
                       kTop - 8, kMostBits - column);
  }
  int y = kTop;
  for (const host::TensorSensitivity& tensor : tensors) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", kLeft - 8, y + kRow - 8,
                       host::Markup(host::ShortName(tensor.name, 28)));
    for (int column = 0; column < kMostBits; ++column) {
      const host::WidthSensitivity* of = WidthOf(tensor, kMostBits - column);
      if (of != nullptr) svg += Square(*of, kLeft + column * kColumn, y);
    }
    y += kRow;
  }
  return svg + "</svg>";
}

}  // namespace lutra::reports
