// SPDX-License-Identifier: Apache-2.0
// A curve of bytes against a metric as a drawing.

#pragma once

#include <string>
#include <vector>

#include "reports/results.h"

namespace lutra::reports {

// An SVG element in the page's colours: the samples that were fitted on, those held out as a broken line
// where they are known, and the result as a dot. At least two points, the fewest bytes first.
std::string ParetoSvg(const std::vector<host::ParetoPoint>& points, const std::string& metric);

// A value as the metric has it: a share in percent, or a number.
std::string MetricText(const std::string& metric, double value);

// A model as a dot: what it takes, and how right it is.
struct TradeOff {
  double cost = 0, value = 0;
  std::string label;
  bool is_front = false;  // Nothing else takes less or as much and is more right: the dot is full.
};

// Marks those of the front.
void MarkFront(std::vector<TradeOff>* points);

// Costs, which `unit` names, from left to right, shares from below. At least one point.
std::string TradeOffSvg(const std::vector<TradeOff>& points, const std::string& unit);

}  // namespace lutra::reports
