// SPDX-License-Identifier: Apache-2.0
// Means of runs are finer than the clock's steps.

#include "bench/times.h"

#include <gtest/gtest.h>

#include "host/statistics.h"

namespace lutra::bench {
namespace {

constexpr int64_t kStepNs = 10;

// The readings of a clock with steps of 10 ns, for runs that take the same time and begin at any time.
std::vector<int64_t> RunsOf(int64_t picoseconds, size_t count) {
  constexpr int64_t kStepPs = kStepNs * 1000, kWhilePs = 41'233;
  std::vector<int64_t> times;
  int64_t now_ps = 0;
  for (size_t i = 0; i < count; ++i) {
    const int64_t begin = now_ps / kStepPs, end = (now_ps + picoseconds) / kStepPs;
    times.push_back((end - begin) * kStepNs);
    now_ps += picoseconds + kWhilePs;
  }
  return times;
}

int64_t Median(const std::vector<int64_t>& times) { return host::Quantile(times, 0.5); }

TEST(Times, OfACoarseClockAreMeans) {
  for (const int64_t ns : {23, 97, 168, 172, 455, 871}) {
    const std::vector<int64_t> runs = RunsOf(ns * 1000, 200'000);
    const Times times = Resolve(runs, kStepNs);
    EXPECT_EQ(Median(runs) % kStepNs, 0);
    EXPECT_GT(times.runs_each, 1) << ns;
    EXPECT_NEAR(static_cast<double>(Median(times.ns)), static_cast<double>(ns),
                std::max(1.0, 0.01 * static_cast<double>(ns)));
  }
}

// A difference of 4 ns, 2 % of 170 ns, is one step of the clock in some single times and none in others.
TEST(Times, TellEqualFromDifferent) {
  const int64_t first = Median(Resolve(RunsOf(170'000, 100'000), kStepNs).ns);
  const int64_t second = Median(Resolve(RunsOf(174'000, 100'000), kStepNs).ns);
  EXPECT_NEAR(static_cast<double>(second - first), 4, 1);
}

TEST(Times, OfAFineClockStayAsTheyAre) {
  const std::vector<int64_t> runs = {5000, 5010, 4990, 5000, 5100, 5000, 5000, 5000, 5000,
                                     5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000,
                                     5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000};
  EXPECT_EQ(Resolve(runs, kStepNs).ns, runs);
  EXPECT_EQ(Resolve(runs, kStepNs).runs_each, 1);
  EXPECT_GT(Resolve(runs, 100).runs_each, 1);
}

TEST(Times, AreTenOrMore) {
  for (const size_t count : {1, 5, 19}) {
    const std::vector<int64_t> runs = RunsOf(30'000, count);
    EXPECT_EQ(Resolve(runs, kStepNs).ns, runs) << count;
  }
  for (const size_t count : {20, 25, 1000}) {
    EXPECT_GE(Resolve(RunsOf(30'000, count), kStepNs).ns.size(), 10u) << count;
  }
  EXPECT_EQ(Resolve(std::vector<int64_t>(100, 0), kStepNs).ns, std::vector<int64_t>(10, 0))
      << "no step was seen";
}

}  // namespace
}  // namespace lutra::bench
