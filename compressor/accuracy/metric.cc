// SPDX-License-Identifier: Apache-2.0
// Computes values of metrics, their intervals, and the standard errors of changes.

#include "compressor/accuracy/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lutra::compressor {
namespace {

constexpr double kQuantile = 1.959963984540054;  // The normal distribution's: 97.5 % lie below.

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Returns the square of the mean's standard error; 0 for a single value.
double VarianceOfMean(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = Mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto count = static_cast<double>(values.size());
  return squares / (count - 1) / count;
}

// Returns, for each sample of one kind, the share of the other kind that it is on the right side of; ties
// count half.
std::vector<double> Placements(const SampleErrors& samples, bool of_positive) {
  std::vector<double> others, placements;
  for (size_t i = 0; i < samples.errors.size(); ++i) {
    if (samples.positive[i] != of_positive) others.push_back(samples.errors[i]);
  }
  std::sort(others.begin(), others.end());
  const auto count = static_cast<double>(others.size());
  for (size_t i = 0; i < samples.errors.size(); ++i) {
    if (samples.positive[i] != of_positive) continue;
    const auto [low, high] = std::equal_range(others.begin(), others.end(), samples.errors[i]);
    const double below = static_cast<double>(low - others.begin()) + 0.5 * static_cast<double>(high - low);
    placements.push_back((of_positive ? below : count - below) / count);
  }
  return placements;
}

std::vector<double> Differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> differences(a.size());
  std::transform(a.begin(), a.end(), b.begin(), differences.begin(), std::minus<>());
  return differences;
}

// Returns the part that each sample adds to the root of the mean, to the first order.
std::vector<double> RootParts(const std::vector<double>& squares) {
  const double root = std::sqrt(Mean(squares));
  std::vector<double> parts(squares.size());
  if (root == 0) return parts;
  for (size_t i = 0; i < squares.size(); ++i) parts[i] = squares[i] / (2 * root);
  return parts;
}

// Newcombe's variance of an area under a curve that is truly `area`.
double VarianceOfArea(double area, double positives, double negatives) {
  const double others = (positives + negatives) / 2 - 1;
  return area * (1 - area) * (1 + others * ((1 - area) / (2 - area) + area / (1 + area))) /
         (positives * negatives);
}

// Returns the area between `found` and `end` that is farthest from `found` and still agrees with it.
double FarthestArea(double found, double end, double positives, double negatives) {
  constexpr int kHalvings = 60;
  double agrees = found, differs = end;
  for (int i = 0; i < kHalvings; ++i) {
    const double area = (agrees + differs) / 2;
    const double reach = kQuantile * std::sqrt(VarianceOfArea(area, positives, negatives));
    (std::fabs(area - found) <= reach ? agrees : differs) = area;
  }
  return agrees;
}

host::Interval IntervalOfArea(double area, const SampleErrors& samples) {
  const auto positives =
      static_cast<double>(std::count(samples.positive.begin(), samples.positive.end(), true));
  const double negatives = static_cast<double>(samples.positive.size()) - positives;
  return {area == 0 ? 0 : FarthestArea(area, 0, positives, negatives),
          area == 1 ? 1 : FarthestArea(area, 1, positives, negatives)};
}

}  // namespace

const std::vector<MetricFacts>& AllMetrics() {
  static const std::vector<MetricFacts> kAll = {
      {"accuracy", MetricFacts::kAnswers, true, false},
      {"auc", MetricFacts::kAuc, true, false},
      {"rmse", MetricFacts::kRmse, false, false},
      {"agreement", MetricFacts::kAnswers, true, true},
      {"difference", MetricFacts::kLargest, false, true},
      {"mean-difference", MetricFacts::kMean, false, true},
  };
  return kAll;
}

const MetricFacts* FindMetric(const std::string& name) {
  const auto found = std::find_if(AllMetrics().begin(), AllMetrics().end(),
                                  [&](const MetricFacts& metric) { return metric.name == name; });
  return found == AllMetrics().end() ? nullptr : &*found;
}

std::vector<std::string> MetricNames() {
  std::vector<std::string> names;
  for (const MetricFacts& metric : AllMetrics()) names.emplace_back(metric.name);
  return names;
}

double ValueOf(const MetricFacts& metric, const SampleErrors& samples) {
  switch (metric.kind) {
    case MetricFacts::kAnswers: {
      // A count is divided once, as 1 - mean would differ from it in the last bits.
      const auto count = static_cast<double>(samples.errors.size());
      return (count - std::accumulate(samples.errors.begin(), samples.errors.end(), 0.0)) / count;
    }
    case MetricFacts::kAuc:
      return host::AreaUnderCurve(samples.errors, samples.positive);
    case MetricFacts::kRmse:
      return std::sqrt(Mean(samples.errors));
    case MetricFacts::kLargest:
      return *std::max_element(samples.errors.begin(), samples.errors.end());
    case MetricFacts::kMean:
      break;
  }
  return Mean(samples.errors);
}

std::optional<host::Interval> IntervalOf(const MetricFacts& metric, const SampleErrors& samples) {
  const double value = ValueOf(metric, samples);
  switch (metric.kind) {
    case MetricFacts::kAnswers:
      return host::ConfidenceInterval(value, static_cast<int64_t>(samples.errors.size()));
    case MetricFacts::kAuc:
      return IntervalOfArea(value, samples);
    case MetricFacts::kLargest:
      return std::nullopt;
    case MetricFacts::kRmse:
    case MetricFacts::kMean:
      break;
  }
  const double mean = Mean(samples.errors);
  const double reach = kQuantile * std::sqrt(VarianceOfMean(samples.errors));
  const host::Interval of_mean = {std::max(0.0, mean - reach), mean + reach};
  if (metric.kind == MetricFacts::kMean) return of_mean;
  return host::Interval{std::sqrt(of_mean.low), std::sqrt(of_mean.high)};
}

std::optional<double> ErrorOfChange(const MetricFacts& metric, const SampleErrors& before,
                                    const SampleErrors& after) {
  const auto of_differences = [](const std::vector<double>& a, const std::vector<double>& b) {
    return VarianceOfMean(Differences(a, b));
  };
  switch (metric.kind) {
    case MetricFacts::kLargest:
      return std::nullopt;
    case MetricFacts::kAuc:
      return std::sqrt(of_differences(Placements(after, true), Placements(before, true)) +
                       of_differences(Placements(after, false), Placements(before, false)));
    case MetricFacts::kRmse:
      return std::sqrt(of_differences(RootParts(after.errors), RootParts(before.errors)));
    case MetricFacts::kAnswers:
    case MetricFacts::kMean:
      break;
  }
  return std::sqrt(of_differences(after.errors, before.errors));
}

std::optional<host::Interval> IntervalOfChange(const MetricFacts& metric, const SampleErrors& before,
                                               const SampleErrors& after) {
  const std::optional<double> error = ErrorOfChange(metric, before, after);
  if (!error) return std::nullopt;
  const double change = ValueOf(metric, after) - ValueOf(metric, before);
  return host::Interval{change - kQuantile * *error, change + kQuantile * *error};
}

std::string IntervalText(const std::optional<host::Interval>& interval) {
  return interval ? fmt::format("{:.4f} to {:.4f}", interval->low, interval->high) : "not known";
}

}  // namespace lutra::compressor
