// SPDX-License-Identifier: Apache-2.0
// Order statistics of measured times.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lutra::host {

// Returns a value at or below which `fraction` of the values lie. `values` must not be empty.
inline int64_t Quantile(std::vector<int64_t> values, double fraction) {
  const auto at = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<size_t>(at)];
}

}  // namespace lutra::host
