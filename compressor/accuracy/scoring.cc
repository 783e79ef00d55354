// SPDX-License-Identifier: Apache-2.0
// Chooses the metric, checks that labels fit, and measures errors of samples.

#include "compressor/accuracy/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/scores.h"

namespace lutra::compressor {
namespace {

// Returns the place of the largest value, and by how much it exceeds the second.
InputResult AnswerOf(const TensorInfo& info, const uint8_t* values) {
  InputResult result;
  result.answer = host::ArgMax(info, values);
  result.margin = MarginOf(info, values, result.answer);
  return result;
}

}  // namespace

double MarginOf(const TensorInfo& info, const uint8_t* values, int64_t label) {
  double other = -std::numeric_limits<double>::infinity();
  for (int64_t k = 0; k < info.shape.Count(); ++k) {
    if (k != label) other = std::max(other, host::RealValue(info, values, k));
  }
  return host::RealValue(info, values, label) - other;
}

Scoring::Scoring(const Dataset& data, const host::ModelFile& file, const Bytes& reference,
                 const std::string& metric)
    : data_(data),
      path_(file.path),
      input_(file.model.tensor(0, file.model.inputs(0)[0])),
      output_(file.model.tensor(0, file.model.outputs(0)[0])),
      reference_(reference),
      metric_(FindMetric(metric.empty() ? DefaultMetric() : metric)) {
  has_labels_ = !data_.labels.empty() && (!metric_->is_of_change || reference_.empty());
  if (!has_labels_ && metric_->kind == MetricFacts::kAuc) {
    Refuse("labels: found none, required: 0 or 1 for each sample; give --labels");
  }
  if (metric_->kind == MetricFacts::kAuc && output_.shape.Count() != input_.shape.Count()) {
    Refuse(
        fmt::format("metric: auc compares output with input, found {} and {} values; give another --metric",
                    output_.shape.Count(), input_.shape.Count()));
  }
  if (metric_->is_of_answers() && output_.shape.Count() < 2) {
    Refuse(fmt::format("metric: found one output, required for {}: one for each class; give another --metric",
                       metric_->name));
  }
  if (has_labels_) CheckLabels();
}

std::string Scoring::DefaultMetric() const {
  if (!data_.labels.empty()) return host::DefaultMetric(data_.label_type, input_, output_);
  return output_.shape.Count() > 1 && output_.shape != input_.shape ? "accuracy" : "rmse";
}

// Throws BadInput if the labels do not fit the model.
void Scoring::CheckLabels() const {
  const auto values = static_cast<size_t>(output_.shape.Count());
  const auto count = static_cast<size_t>(data_.count());
  const bool is_of_values = !metric_->is_of_answers() && metric_->kind != MetricFacts::kAuc;
  const size_t required = is_of_values ? count * values : count;
  if (data_.labels.size() != required) {
    Refuse(fmt::format("labels: found {}, required: {} for {} of {} samples; check the labels",
                       data_.labels.size(), required, metric_->name, count));
  }
  if (metric_->is_of_answers() && data_.label_type == TensorType::kBool && values > 2) {
    Refuse(fmt::format(
        "labels: found bool, which tells two classes apart, required: a whole number from 0 to {} for each "
        "sample, or one-hot rows; check the labels",
        values - 1));
  }
  const double most = metric_->kind == MetricFacts::kAuc ? 1 : static_cast<double>(values) - 1;
  for (size_t i = 0; i < required; ++i) {
    if (!is_of_values) CheckLabel(i, most);
    if (std::isfinite(data_.labels[i])) continue;
    Refuse(fmt::format("labels: found {} at {}, required: finite numbers; check the labels", data_.labels[i],
                       i));
  }
  if (metric_->kind != MetricFacts::kAuc) return;
  const auto positives = count - static_cast<size_t>(std::count(data_.labels.begin(), data_.labels.end(), 0));
  if (positives > 0 && positives < count) return;
  Refuse(fmt::format("labels: auc needs both classes, found {} of {} samples positive; check the labels",
                     positives, count));
}

void Scoring::CheckLabel(size_t index, double most) const {
  const double label = data_.labels[index];
  if (label == std::floor(label) && label >= 0 && label <= most) return;
  Refuse(
      fmt::format("labels: found {} for sample {}, required: a whole number from 0 to {}; check the labels",
                  label, index, most));
}

int64_t Scoring::LabelOf(int64_t sample) const {
  return has_labels_ ? static_cast<int64_t>(data_.labels[static_cast<size_t>(sample)])
                     : host::ArgMax(output_, ReferenceOf(sample));
}

double Scoring::Difference(int64_t sample, const uint8_t* output, int64_t i) const {
  const double wanted = has_labels_ ? data_.labels[static_cast<size_t>(sample * output_.shape.Count() + i)]
                                    : host::RealValue(output_, ReferenceOf(sample), i);
  return host::RealValue(output_, output, i) - wanted;
}

double Scoring::ErrorOf(int64_t sample, const uint8_t* output) const {
  const double error = UncheckedErrorOf(sample, output);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;  // NaN has no order.
}

double Scoring::UncheckedErrorOf(int64_t sample, const uint8_t* output) const {
  if (metric_->is_of_answers()) return host::ArgMax(output_, output) == LabelOf(sample) ? 0 : 1;
  if (metric_->kind == MetricFacts::kAuc) {
    return host::MeanSquaredDifference(output_, output, input_, data_.sample(sample));
  }
  const int64_t count = output_.shape.Count();
  double sum = 0, largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double size = std::fabs(Difference(sample, output, i));
    largest = std::isnan(size) ? size : std::max(largest, size);
    sum += metric_->kind == MetricFacts::kRmse ? size * size : size;
  }
  return metric_->kind == MetricFacts::kLargest ? largest : sum / static_cast<double>(count);
}

InputResult Scoring::ResultOf(int64_t sample, const uint8_t* output) const {
  InputResult result;
  if (metric_->is_of_answers()) {
    result = AnswerOf(output_, output);
    result.label = LabelOf(sample);
    return result;
  }
  result.error = ErrorOf(sample, output);
  if (metric_->kind == MetricFacts::kRmse) result.error = std::sqrt(result.error);
  if (metric_->kind == MetricFacts::kAuc) result.label = LabelOf(sample);
  return result;
}

std::vector<bool> Scoring::Positive() const {
  std::vector<bool> positive;
  if (metric_->kind != MetricFacts::kAuc) return positive;
  for (const double label : data_.labels) positive.push_back(label != 0);
  return positive;
}

void Scoring::Refuse(const std::string& what) const {
  throw host::BadInput(fmt::format("{}: {}", path_, what));
}

const uint8_t* Scoring::ReferenceOf(int64_t sample) const {
  const auto bytes = static_cast<size_t>(output_.bytes);
  if (reference_.size() != bytes * static_cast<size_t>(data_.count())) {
    Refuse(
        "output: found another size than the reference's, required: the same model before compression; "
        "check --reference");
  }
  return reference_.data() + static_cast<size_t>(sample) * bytes;
}

}  // namespace lutra::compressor
