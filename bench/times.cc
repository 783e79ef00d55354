// SPDX-License-Identifier: Apache-2.0
// Means of runs that are too short for the clock.

#include "bench/times.h"

#include <algorithm>
#include <cmath>

#include "host/statistics.h"

namespace lutra::bench {
namespace {

constexpr int64_t kStepsOfAFineTime = 100;
constexpr size_t kLeastMeans = 10;

// The clock's step makes an error of at most half a step in one run, and of that over the root of n in a mean
// of n runs.
size_t WantedRuns(int64_t step_ns, int64_t time_ns, size_t most) {
  const double steps = static_cast<double>(time_ns) / static_cast<double>(step_ns);
  if (steps * std::sqrt(static_cast<double>(most)) < kStepsOfAFineTime) return most;
  const double root = static_cast<double>(kStepsOfAFineTime) / steps;
  return static_cast<size_t>(std::ceil(root * root));
}

}  // namespace

bool IsCoarse(int64_t step_ns, int64_t time_ns) { return time_ns < kStepsOfAFineTime * step_ns; }

Times Resolve(const std::vector<int64_t>& run_ns, int64_t step_ns) {
  const int64_t median_ns = host::Quantile(run_ns, 0.5);
  const size_t most = run_ns.size() / kLeastMeans;
  if (!IsCoarse(step_ns, median_ns) || most < 2) return {run_ns};
  const size_t runs = WantedRuns(step_ns, median_ns, most);
  Times times = {{}, static_cast<int64_t>(runs)};
  for (size_t first = 0; first + runs <= run_ns.size(); first += runs) {
    int64_t sum_ns = 0;
    for (size_t i = first; i < first + runs; ++i) sum_ns += run_ns[i];
    times.ns.push_back((sum_ns + times.runs_each / 2) / times.runs_each);
  }
  return times;
}

}  // namespace lutra::bench
