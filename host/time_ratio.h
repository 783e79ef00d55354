// SPDX-License-Identifier: Apache-2.0
// Tells whether one program is slower than another, by times that were measured in turns.
//
//   const TimeRatio ratio = RatioOf(old_ns, new_ns);
//   if (Judge(ratio, 2) == Pace::kSlower) ...   // By more than 2 %.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lutra::host {

// With fewer times of each no difference is significant: even if all of seven are longer, p is not below
// kLeastChance.
inline constexpr size_t kLeastTurns = 8;
// At most one of a thousand comparisons of equal programs calls one of them slower.
inline constexpr double kLeastChance = 0.001;
// By default a time may grow by so much: two builds of the same sources differ by as much.
inline constexpr double kUsualIncreasePercent = 2;

// For medians of two measurements that were not made in turns: those of equal programs differ by at most this
// part, and at most this many median deviations (DifferenceOfEqualRuns).
inline constexpr double kUsualDifference = 0.05;
inline constexpr double kUsualDeviations = 3;
inline constexpr int64_t kLeastRunsOfDeviation = 5;

// The new time over the old.
struct TimeRatio {
  int64_t turns = 0;  // Times of each.
  int64_t old_median_ns = 0;
  int64_t new_median_ns = 0;
  double ratio = 1;          // The median of the ratios of all pairs.
  double low = 1, high = 1;  // Its interval of 95 %.
  double p = 1;              // Of the Mann-Whitney test, two-sided, with ties.
  friend bool operator==(const TimeRatio&, const TimeRatio&) = default;
};

// Compares times above 0, as many of each; at least one.
TimeRatio RatioOf(const std::vector<int64_t>& old_ns, const std::vector<int64_t>& new_ns);

enum class Pace {
  kWithin,     // The whole interval is within what is allowed.
  kSlower,     // p is below kLeastChance and the whole interval above what is allowed.
  kUndecided,  // The times do not tell.
};
Pace Judge(const TimeRatio& ratio, double max_increase_percent);

// "+4.1 % (95 %: +3.2 to +5.0 %), p = 1.5e-06, 20 turns"
std::string ToString(const TimeRatio& ratio);

}  // namespace lutra::host
