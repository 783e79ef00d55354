// SPDX-License-Identifier: Apache-2.0
// Compares values with hand-computed ones, intervals with formulas of the literature, and errors of changes
// with resampling.

#include "compressor/accuracy/metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace lutra::compressor {
namespace {

const MetricFacts& Named(const std::string& name) { return *FindMetric(name); }

TEST(Metric, HasTheValueOfItsSamples) {
  EXPECT_DOUBLE_EQ(ValueOf(Named("accuracy"), {{0, 1, 0, 0}, {}}), 0.75);
  EXPECT_DOUBLE_EQ(ValueOf(Named("agreement"), {{0, 1}, {}}), 0.5);
  EXPECT_DOUBLE_EQ(ValueOf(Named("rmse"), {{1, 7}, {}}), 2);
  EXPECT_DOUBLE_EQ(ValueOf(Named("difference"), {{1, 7, 2}, {}}), 7);
  EXPECT_DOUBLE_EQ(ValueOf(Named("mean-difference"), {{1, 7, 4}, {}}), 4);
  // Of four pairs, one has the wrong order and one is a tie.
  EXPECT_DOUBLE_EQ(ValueOf(Named("auc"), {{1, 3, 2, 3}, {false, false, true, true}}), 2.5 / 4);
  EXPECT_EQ(FindMetric("loss"), nullptr);
  EXPECT_EQ(Named("auc").Loss(0.9), -0.9);
  EXPECT_EQ(Named("rmse").Loss(0.9), 0.9);
}

TEST(Metric, HasAnInterval) {
  const host::Interval accuracy = *IntervalOf(Named("accuracy"), {std::vector<double>(10), {}});
  EXPECT_EQ(accuracy, host::ConfidenceInterval(1, 10));
  // The interval is 1.96 standard errors of the mean of 2, 4, 6: sqrt(4 / 3).
  const host::Interval mean = *IntervalOf(Named("mean-difference"), {{2, 4, 6}, {}});
  EXPECT_NEAR(mean.low, 4 - 1.96 * std::sqrt(4.0 / 3), 1e-4);
  EXPECT_NEAR(mean.high, 4 + 1.96 * std::sqrt(4.0 / 3), 1e-4);
  const host::Interval root = *IntervalOf(Named("rmse"), {{2, 4, 6}, {}});
  EXPECT_NEAR(root.low, std::sqrt(mean.low), 1e-12);
  EXPECT_NEAR(root.high, std::sqrt(mean.high), 1e-12);
  EXPECT_FALSE(IntervalOf(Named("difference"), {{2, 4, 6}, {}}));
  EXPECT_EQ(IntervalText(IntervalOf(Named("difference"), {{2}, {}})), "not known");
  EXPECT_EQ(IntervalText(host::Interval{0.25, 1}), "0.2500 to 1.0000");
}

// If an end of the interval were the true area, the found area would be 1.96 of its standard deviations away.
TEST(Metric, AreasHaveNewcombesInterval) {
  SampleErrors samples;
  for (int i = 0; i < 60; ++i) {
    samples.positive.push_back(i % 3 == 0);
    samples.errors.push_back((i * 37) % 60 + (i % 3 == 0 ? 25 : 0));
  }
  const double area = ValueOf(Named("auc"), samples);
  const host::Interval interval = *IntervalOf(Named("auc"), samples);
  ASSERT_GT(area, 0.6);
  ASSERT_LT(area, 0.99);
  for (const double bound : {interval.low, interval.high}) {
    const double q1 = bound / (2 - bound), q2 = 2 * bound * bound / (1 + bound);
    // This is Hanley and McNeil's variance with the mean of 20 and 40 for both counts less one.
    const double variance =
        (bound * (1 - bound) + 29 * (q1 - bound * bound) + 29 * (q2 - bound * bound)) / (20 * 40);
    EXPECT_NEAR(std::fabs(bound - area), 1.959964 * std::sqrt(variance), 1e-6);
  }
  // If all pairs are in order, the standard error is 0, and there is still an interval.
  const host::Interval whole = *IntervalOf(Named("auc"), {{1, 2, 3, 4}, {false, false, true, true}});
  EXPECT_EQ(whole.high, 1);
  EXPECT_GT(whole.low, 0.3);
  EXPECT_LT(whole.low, 0.8);
}

// Compares with the spread of the change when samples are drawn again and again.
TEST(Metric, KnowsHowSureAChangeIs) {
  std::mt19937 random(1);
  const auto normal = [&] { return std::normal_distribution<double>()(random); };
  for (const MetricFacts& metric : AllMetrics()) {
    if (metric.kind == MetricFacts::kLargest) continue;
    double sum = 0, squares = 0, error_sum = 0;
    constexpr int kDraws = 400, kSamples = 200;
    for (int draw = 0; draw < kDraws; ++draw) {
      SampleErrors before, after;
      for (int i = 0; i < kSamples; ++i) {
        const bool is_positive = i % 4 == 0;
        const double at = normal() + (is_positive ? 1 : 0), changed = at + 0.3 * normal();
        const bool is_of_answers = metric.is_of_answers();
        before.errors.push_back(is_of_answers ? (at > 1) : metric.kind == MetricFacts::kAuc ? at : at * at);
        after.errors.push_back(is_of_answers                      ? (changed > 1)
                               : metric.kind == MetricFacts::kAuc ? changed
                                                                  : changed * changed);
        before.positive.push_back(is_positive);
        after.positive.push_back(is_positive);
      }
      const double change = ValueOf(metric, after) - ValueOf(metric, before);
      sum += change;
      squares += change * change;
      error_sum += *ErrorOfChange(metric, before, after);
      const host::Interval interval = *IntervalOfChange(metric, before, after);
      EXPECT_NEAR((interval.low + interval.high) / 2, change, 1e-12);
      EXPECT_EQ(*ErrorOfChange(metric, before, before), 0) << metric.name;
    }
    const double spread = std::sqrt(squares / kDraws - sum / kDraws * sum / kDraws);
    EXPECT_NEAR(error_sum / kDraws / spread, 1, 0.15) << metric.name;
  }
  EXPECT_FALSE(ErrorOfChange(Named("difference"), {{1}, {}}, {{2}, {}}));
}

}  // namespace
}  // namespace lutra::compressor
