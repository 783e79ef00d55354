// SPDX-License-Identifier: Apache-2.0
// Draws a curve of bytes and a metric.

#pragma once

#include <string>
#include <vector>

#include "reports/results.h"

namespace lutra::reports {

// Returns an SVG element in the page's colours: a line for the samples that were fitted, a broken line for
// held-out ones if they are known, and a dot for the result. Needs at least two points, the fewest bytes
// first.
std::string ParetoSvg(const std::vector<host::ParetoPoint>& points, const std::string& metric);

// Returns a value as the metric shows it: a share in percent, or a number.
std::string MetricText(const std::string& metric, double value);

// A model as a dot: its costs, and the share of right answers.
struct TradeOff {
  double cost = 0, value = 0;
  std::string label;
  bool is_front = false;  // No other model costs as little and has more right answers: the dot is full.
};

// Marks the models of the front.
void MarkFront(std::vector<TradeOff>* points);

// Draws costs, in `unit`, from left to right, and shares from bottom to top. Needs at least one point.
std::string TradeOffSvg(const std::vector<TradeOff>& points, const std::string& unit);

}  // namespace lutra::reports
