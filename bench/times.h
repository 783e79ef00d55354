// SPDX-License-Identifier: Apache-2.0
// Times of many runs, told finer than the clock's steps.
//
//   const Times times = Resolve(run_ns, host::ClockResolutionNs());
//   host::Quantile(times.ns, 0.5);

#pragma once

#include <cstdint>
#include <vector>

namespace lutra::bench {

// Returns whether the clock's steps are so coarse that they may be more than one in a hundred of such a time.
bool IsCoarse(int64_t step_ns, int64_t time_ns);

struct Times {
  std::vector<int64_t> ns;
  int64_t runs_each = 1;  // Each is the mean of so many runs in a row.
};

// Against a coarse clock, means of as many runs as leave half a percent of the error of its steps, as long as
// there are ten means: each run begins somewhere else between two steps, so that the mean has no steps. Else
// the times as they are. `run_ns` is not empty.
Times Resolve(const std::vector<int64_t>& run_ns, int64_t step_ns);

}  // namespace lutra::bench
