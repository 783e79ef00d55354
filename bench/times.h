// SPDX-License-Identifier: Apache-2.0
// Times of many runs, with a resolution finer than the clock's steps.
//
//   const Times times = Resolve(run_ns, host::ClockResolutionNs());
//   host::Quantile(times.ns, 0.5);

#pragma once

#include <cstdint>
#include <vector>

namespace lutra::bench {

// Returns whether a step of the clock may be more than a hundredth of such a time.
bool IsCoarse(int64_t step_ns, int64_t time_ns);

struct Times {
  std::vector<int64_t> ns;
  int64_t runs_each = 1;  // Each is the mean of so many runs in a row.
};

// If the clock is coarse, returns means of so many runs that the error of its steps falls to half a percent,
// as long as ten means are left: runs begin at random places between two steps, so that means are finer than
// these. Else returns the times themselves. `run_ns` is not empty.
Times Resolve(const std::vector<int64_t>& run_ns, int64_t step_ns);

}  // namespace lutra::bench
