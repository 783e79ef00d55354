// SPDX-License-Identifier: Apache-2.0
// A metric measures a model by one number, which it makes of an error for each sample.
//
//   const MetricFacts& metric = *FindMetric("auc");
//   const double value = ValueOf(metric, scores);
//   const std::optional<host::Interval> interval = IntervalOf(metric, scores);

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/scores.h"

namespace lutra::compressor {

struct MetricFacts {
  enum Kind : uint8_t { kAnswers, kAuc, kRmse, kLargest, kMean };
  const char* name;
  Kind kind;
  bool more_is_better;
  // It compares with the outputs of the uncompressed model, even if there are labels.
  bool is_of_change;

  bool is_of_answers() const { return kind == kAnswers; }
  // Turns a value into a loss: the less, the better, for all metrics.
  double Loss(double value) const { return more_is_better ? -value : value; }
};

const std::vector<MetricFacts>& AllMetrics();
// Null for a name that none has.
const MetricFacts* FindMetric(const std::string& name);
std::vector<std::string> MetricNames();

// Errors of samples. kAnswers: 0 for the right answer, 1 for another. kAuc: the score. kRmse: the mean of the
// squares over the output's values. kLargest and kMean: of the differences over the output's values, the
// largest and the mean.
struct SampleErrors {
  std::vector<double> errors;
  std::vector<bool> positive;  // kAuc: which samples should score high.
};

// There must be a sample, and for kAuc one of each kind.
double ValueOf(const MetricFacts& metric, const SampleErrors& samples);

// Returns the interval in which the value lies for all data of this kind, with a confidence of 95 %: Wilson's
// for answers, Newcombe's for the area under a curve (2006, method 5), the mean's for rmse and
// mean-difference. Empty for the largest difference, which samples do not bound.
std::optional<host::Interval> IntervalOf(const MetricFacts& metric, const SampleErrors& samples);

// The standard error of the value's change from `before` to `after`, which are of the same samples. It is
// that of the samples' own changes (for auc DeLong's), far less than that of either value. Empty as above.
std::optional<double> ErrorOfChange(const MetricFacts& metric, const SampleErrors& before,
                                    const SampleErrors& after);
// The change with a confidence of 95 %, by that error.
std::optional<host::Interval> IntervalOfChange(const MetricFacts& metric, const SampleErrors& before,
                                               const SampleErrors& after);

// "0.7225 to 1.0000"; "not known" if it is empty.
std::string IntervalText(const std::optional<host::Interval>& interval);

}  // namespace lutra::compressor
