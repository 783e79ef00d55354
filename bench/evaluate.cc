// SPDX-License-Identifier: Apache-2.0
// Metrics over labelled data: accuracy, area under the ROC curve, root mean square error.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bench/measure.h"
#include "host/core/byte_order.h"
#include "host/npy.h"
#include "host/prepared_model.h"
#include "host/progress.h"
#include "host/scores.h"

namespace lutra::bench {
namespace {

// Throws BadInput for a label that is invalid for the metric: not one of `classes` classes, not 0 or 1 for
// auc, not a number for rmse.
void RequireLabels(const std::string& metric, int64_t classes, const host::NpyArray& labels,
                   const std::string& file) {
  const int64_t most = metric == "auc" ? 1 : classes - 1;
  for (int64_t i = 0; i < labels.count(); ++i) {
    const double label = labels.At(i);
    const bool is_class = label == std::floor(label) && label >= 0 && label <= static_cast<double>(most);
    if (metric == "rmse" ? std::isfinite(label) : is_class) continue;
    throw host::BadInput(
        fmt::format("{}: labels: found {} at {}, required: {}; check the array", file, label, i,
                    metric == "rmse" ? "a number" : fmt::format("a whole number from 0 to {}", most)));
  }
}

// Adds up over the samples the numbers that a metric needs.
class Scores {
 public:
  // The tensors, the labels and the metric must outlive it.
  Scores(const std::string& metric, const Tensor& input, const Tensor& output, const host::NpyArray& labels)
      : metric_(metric), input_(input), output_(output), labels_(labels) {}

  // `sample`: the input's little-endian bytes; the model has computed its output.
  void Add(int64_t index, const uint8_t* sample) {
    const auto* values = static_cast<const uint8_t*>(output_.data);
    const int64_t outputs = output_.info.shape.Count();
    if (metric_ == "accuracy") {
      sum_ += static_cast<double>(host::ArgMax(output_.info, values)) == labels_.At(index) ? 1 : 0;
      return;
    }
    if (metric_ == "auc") {
      scores_.push_back(host::MeanSquaredDifference(output_.info, values, input_.info, sample));
      positive_.push_back(labels_.At(index) != 0);
      return;
    }
    for (int64_t i = 0; i < outputs; ++i) {
      const double error = host::RealValue(output_.info, values, i) - labels_.At(index * outputs + i);
      sum_ += error * error;
    }
  }

  // Throws BadInput, naming `labels_file`, if auc lacks a class.
  double Value(int64_t samples, const std::string& labels_file) const {
    if (metric_ == "accuracy") return sum_ / static_cast<double>(samples);
    if (metric_ == "rmse") return std::sqrt(sum_ / static_cast<double>(samples * output_.info.shape.Count()));
    const auto positives = std::count(positive_.begin(), positive_.end(), true);
    if (positives == 0 || positives == samples) {
      throw host::BadInput(
          fmt::format("{}: labels: auc needs both classes, found {} of {} samples positive; check the labels",
                      labels_file, positives, samples));
    }
    return host::AreaUnderCurve(scores_, positive_);
  }

 private:
  const std::string& metric_;
  const Tensor& input_;
  const Tensor& output_;
  const host::NpyArray& labels_;
  double sum_ = 0;
  std::vector<double> scores_;
  std::vector<bool> positive_;
};

}  // namespace

host::EvaluationResult Evaluate(const host::ModelFile& file, const MeasureOptions& options,
                                size_t arena_bytes) {
  const host::NpyArray data = host::ReadNpy(options.data_file);
  const host::NpyArray labels = host::ReadNpy(options.labels_file);
  host::PreparedModel prepared(file, options.interpreter, arena_bytes, {}, nullptr, options.regions,
                               options.delegates);
  if (prepared->input_count() != 1 || prepared->output_count() != 1) {
    throw host::BadInput(
        fmt::format("{}: input-count: --data needs a model with one input and one output, this has {} and "
                    "{}; run it without --data",
                    file.path, prepared->input_count(), prepared->output_count()));
  }
  const Tensor input = prepared->input(0);
  const Tensor output = prepared->output(0);
  const auto sample_bytes = static_cast<size_t>(input.info.bytes);
  const int64_t samples = data.shape.empty() ? 0 : data.shape[0];
  if (samples == 0 || data.type != input.info.type ||
      data.bytes != static_cast<size_t>(samples) * sample_bytes) {
    throw host::BadInput(fmt::format(
        "{}: data: found {} samples in {} bytes of {}, required samples of {} bytes of {}; check the array",
        options.data_file, samples, data.bytes, ToString(data.type), sample_bytes,
        ToString(input.info.type)));
  }
  const int64_t outputs = output.info.shape.Count();
  host::EvaluationResult result;
  result.metric =
      options.metric.empty() ? host::DefaultMetric(labels.type, input.info, output.info) : options.metric;
  const int64_t labels_per_sample = result.metric == "rmse" ? outputs : 1;
  if (labels.count() != samples * labels_per_sample) {
    throw host::BadInput(fmt::format("{}: labels: found {}, required {} for {} samples; check the array",
                                     options.labels_file, labels.count(), samples * labels_per_sample,
                                     samples));
  }
  if (result.metric == "auc" && outputs != input.info.shape.Count()) {
    throw host::BadInput(
        fmt::format("{}: metric: auc compares output with input, which have {} and {} values; choose "
                    "--metric accuracy or rmse",
                    file.path, outputs, input.info.shape.Count()));
  }

  RequireLabels(result.metric, outputs, labels, options.labels_file);
  Scores scores(result.metric, input, output, labels);
  host::Progress progress(file.path + ": evaluating");
  for (int64_t s = 0; s < samples; ++s) {
    const uint8_t* sample = data.data + static_cast<size_t>(s) * sample_bytes;
    std::memcpy(input.data, sample, sample_bytes);
    host::SwapToOrFromLittleEndian(input.info.type, static_cast<uint8_t*>(input.data), sample_bytes);
    prepared.Invoke();
    scores.Add(s, sample);
    if (s % 16 == 0) progress.Update(s, samples);
  }
  result.count = samples;
  const double value = scores.Value(samples, options.labels_file);
  if (std::isfinite(value)) result.value = value;
  if (result.metric == "accuracy") {
    result.confidence_interval = host::ConfidenceInterval(value, samples);
  }
  return result;
}

}  // namespace lutra::bench
