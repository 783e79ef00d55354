// SPDX-License-Identifier: Apache-2.0
// Computes the Mann-Whitney test, and the interval of Hodges and Lehmann that belongs to it.

#include "host/time_ratio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "host/statistics.h"

namespace lutra::host {
namespace {

// A normal variable lies within so many deviations of its mean with a probability of 95 %.
constexpr double kDeviationsOf95Percent = 1.959964;

// The number of pairs in which the new time is the longer one, ties counted half; and the mean and deviation
// of that number for equal programs.
struct PairCount {
  double longer = 0, mean = 0, deviation = 0;
};

PairCount CountPairs(const std::vector<int64_t>& old_ns, const std::vector<int64_t>& new_ns) {
  PairCount count;
  std::map<int64_t, int> ties;
  for (const int64_t time : old_ns) ++ties[time];
  for (const int64_t time : new_ns) ++ties[time];
  for (const int64_t before : old_ns) {
    for (const int64_t after : new_ns) count.longer += after > before ? 1 : after == before ? 0.5 : 0;
  }
  const auto n = static_cast<double>(old_ns.size()), m = static_cast<double>(new_ns.size());
  double tied = 0;
  for (const auto& [time, times] : ties) tied += std::pow(times, 3) - times;
  count.mean = n * m / 2;
  count.deviation = std::sqrt(n * m / 12 * (n + m + 1 - tied / ((n + m) * (n + m - 1))));
  return count;
}

// Returns the chance by the normal distribution, which in the tail, where it matters, exceeds the exact one.
double ChanceOf(const PairCount& count) {
  const double distance = std::max(0.0, std::abs(count.longer - count.mean) - 0.5);
  if (count.deviation <= 0) return 1;  // All times are equal.
  return std::erfc(distance / count.deviation / std::sqrt(2.0));
}

}  // namespace

TimeRatio RatioOf(const std::vector<int64_t>& old_ns, const std::vector<int64_t>& new_ns) {
  std::vector<double> ratios;
  for (const int64_t before : old_ns) {
    for (const int64_t after : new_ns) {
      ratios.push_back(static_cast<double>(after) / static_cast<double>(before));
    }
  }
  std::sort(ratios.begin(), ratios.end());
  const size_t count = ratios.size();
  const auto n = static_cast<double>(old_ns.size()), m = static_cast<double>(new_ns.size());
  const double outside = n * m / 2 - kDeviationsOf95Percent * std::sqrt(n * m * (n + m + 1) / 12);
  const auto first = static_cast<size_t>(std::max(0.0, std::floor(outside)));
  return {.turns = static_cast<int64_t>(old_ns.size()),
          .old_median_ns = Quantile(old_ns, 0.5),
          .new_median_ns = Quantile(new_ns, 0.5),
          .ratio = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2,
          .low = ratios[first],
          .high = ratios[count - 1 - first],
          .p = ChanceOf(CountPairs(old_ns, new_ns))};
}

Pace Judge(const TimeRatio& ratio, double max_increase_percent) {
  const double allowed = 1 + max_increase_percent / 100;
  if (ratio.turns < static_cast<int64_t>(kLeastTurns)) return Pace::kUndecided;
  if (ratio.p < kLeastChance && ratio.low > allowed) return Pace::kSlower;
  return ratio.high <= allowed ? Pace::kWithin : Pace::kUndecided;
}

std::string ToString(const TimeRatio& ratio) {
  const auto percent = [](double part) { return (part - 1) * 100; };
  return fmt::format("{:+.1f} % (95 %: {:+.1f} to {:+.1f} %), p = {:.2g}, {} turns", percent(ratio.ratio),
                     percent(ratio.low), percent(ratio.high), ratio.p, ratio.turns);
}

}  // namespace lutra::host
