// SPDX-License-Identifier: Apache-2.0
// Tests the test and the interval on values that were computed elsewhere, and the decision on recorded
// series.

#include "host/time_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace lutra::host {
namespace {

using Times = std::vector<int64_t>;

// The ratios of pairs and p are those of scipy (mannwhitneyu, method="asymptotic"), with ties.
TEST(TimeRatio, IsThatOfMannWhitneyAndHodgesLehmann) {
  const TimeRatio ratio =
      RatioOf({100, 101, 102, 103, 104, 105, 106, 107}, {102, 104, 106, 108, 109, 110, 111, 106});
  EXPECT_EQ(ratio.turns, 8);
  EXPECT_NEAR(ratio.p, 0.03968576885714997, 1e-12);
  EXPECT_NEAR(ratio.ratio, 1.0375595133133486, 1e-12);
  EXPECT_NEAR(ratio.low, 1.0, 1e-12);
  EXPECT_NEAR(ratio.high, 1.0673076923076923, 1e-12);
  EXPECT_EQ(ratio.old_median_ns, 104);
  EXPECT_EQ(ratio.new_median_ns, 108);
  EXPECT_EQ(ToString(ratio), "+3.8 % (95 %: +0.0 to +6.7 %), p = 0.04, 8 turns");
}

TEST(TimeRatio, OfEqualTimesIsOne) {
  const TimeRatio ratio = RatioOf(Times(20, 77), Times(20, 77));
  EXPECT_EQ(ratio.ratio, 1);
  EXPECT_EQ(ratio.low, 1);
  EXPECT_EQ(ratio.high, 1);
  EXPECT_EQ(ratio.p, 1);
  EXPECT_EQ(Judge(ratio, 0), Pace::kWithin);
}

TEST(TimeRatio, NeedsTheChanceAndTheWholeInterval) {
  const auto judge = [](double low, double high, double p, int64_t turns) {
    return Judge({.turns = turns, .low = low, .high = high, .p = p}, 2);
  };
  EXPECT_EQ(judge(1.0201, 1.05, 0.00099, 8), Pace::kSlower);
  EXPECT_EQ(judge(1.0199, 1.05, 0.00099, 8), Pace::kUndecided);
  EXPECT_EQ(judge(1.0201, 1.05, 0.00101, 8), Pace::kUndecided);
  EXPECT_EQ(judge(1.0201, 1.05, 0.00099, 7), Pace::kUndecided);
  EXPECT_EQ(judge(0.90, 1.0199, 1e-9, 8), Pace::kWithin) << "faster";
  EXPECT_EQ(judge(0.90, 1.0201, 0.5, 8), Pace::kUndecided);
}

// With the fewest turns a difference can be decided, and with one fewer it cannot.
TEST(TimeRatio, OfEightTurnsTellsWhatIsSeparate) {
  EXPECT_EQ(Judge(RatioOf({10, 11, 12, 13, 14, 15, 16, 17}, {20, 21, 22, 23, 24, 25, 26, 27}), 2),
            Pace::kSlower);
  EXPECT_EQ(Judge(RatioOf({10, 11, 12, 13, 14, 15, 16}, {20, 21, 22, 23, 24, 25, 26}), 2), Pace::kUndecided);
}

// The series were recorded on two processors with a load of 14 to 30, for kws.tflite, as medians of 3,000
// inferences: twenty times for two equal programs, and twenty times for one whose inference took 640 ns more,
// which is 4 %.
TEST(TimeRatio, JudgesRecordedSeries) {
  std::ifstream file(LUTRA_SOURCE_DIR "/host/testing/turns.txt");
  std::map<std::string, std::map<Pace, int>> paces;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name, word;
    Times times[2];
    int which = 0;
    words >> name;
    while (words >> word) {
      if (word == "|") {
        ++which;
      } else {
        times[which].push_back(std::stoll(word));
      }
    }
    ASSERT_EQ(times[0].size(), 20u);
    ASSERT_EQ(times[1].size(), 20u);
    const TimeRatio ratio = RatioOf(times[0], times[1]);
    ++paces[name][Judge(ratio, kUsualIncreasePercent)];
    // With the programs exchanged, the new one is faster.
    EXPECT_NE(Judge(RatioOf(times[1], times[0]), kUsualIncreasePercent), Pace::kSlower) << ToString(ratio);
    // If a program takes twice the time, the decision is clear.
    for (int64_t& time : times[1]) time *= 2;
    EXPECT_EQ(Judge(RatioOf(times[0], times[1]), kUsualIncreasePercent), Pace::kSlower);
  }
  using Counts = std::map<Pace, int>;
  EXPECT_EQ(paces["equal"], (Counts{{Pace::kWithin, 11}, {Pace::kUndecided, 9}}));
  EXPECT_EQ(paces["slower"], (Counts{{Pace::kSlower, 9}, {Pace::kUndecided, 11}}));
}

}  // namespace
}  // namespace lutra::host
