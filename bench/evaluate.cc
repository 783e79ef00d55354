// SPDX-License-Identifier: Apache-2.0
// Metrics over labelled data: accuracy, area under the ROC curve, root mean square error.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "bench/measure.h"
#include "host/core/byte_order.h"
#include "host/npy.h"
#include "host/prepared_model.h"
#include "host/progress.h"

namespace lutra::bench {
namespace {

// Element i of a tensor as a real number.
double RealValue(const TensorInfo& info, const uint8_t* data, int64_t i) {
  double code = 0;
  switch (info.type) {
    case TensorType::kFloat32: {
      float value = 0;
      std::memcpy(&value, data + i * 4, sizeof value);
      return value;
    }
    case TensorType::kInt8:
      code = static_cast<int8_t>(data[i]);
      break;
    case TensorType::kUInt8:
      code = data[i];
      break;
    case TensorType::kInt16: {
      int16_t value = 0;
      std::memcpy(&value, data + i * 2, sizeof value);
      code = value;
      break;
    }
    case TensorType::kInt32: {
      int32_t value = 0;
      std::memcpy(&value, data + i * 4, sizeof value);
      code = value;
      break;
    }
    default:
      break;
  }
  return info.is_quantized() ? info.scale * (code - info.zero_point) : code;
}

int64_t ArgMax(const TensorInfo& info, const uint8_t* data) {
  int64_t best = 0;
  for (int64_t i = 1; i < info.shape.Count(); ++i) {
    if (RealValue(info, data, i) > RealValue(info, data, best)) best = i;
  }
  return best;
}

// The chance that a positive sample scores above a negative one; ties count half.
double AreaUnderCurve(const std::vector<double>& scores, const std::vector<bool>& positive) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] < scores[b]; });
  double wins = 0;
  double negatives = 0;
  double positives = 0;
  for (size_t i = 0; i < order.size();) {
    double tied_negatives = 0;
    double tied_positives = 0;
    const double score = scores[order[i]];
    for (; i < order.size() && scores[order[i]] == score; ++i) {
      (positive[order[i]] ? tied_positives : tied_negatives) += 1;
    }
    wins += tied_positives * (negatives + 0.5 * tied_negatives);
    negatives += tied_negatives;
    positives += tied_positives;
  }
  return wins / (positives * negatives);
}

std::string DefaultMetric(const host::NpyArray& labels, const TensorInfo& input, const TensorInfo& output) {
  if (labels.type == TensorType::kFloat32 || labels.type == TensorType::kFloat64) return "rmse";
  return output.shape == input.shape ? "auc" : "accuracy";
}

// Throws BadInput for a label that is none of the metric's: a class of `classes`, 0 or 1 for auc, a number
// for rmse.
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

// Sums over the samples what a metric asks for.
class Scores {
 public:
  // The tensors, the labels and the metric outlive it.
  Scores(const std::string& metric, const Tensor& input, const Tensor& output, const host::NpyArray& labels)
      : metric_(metric), input_(input), output_(output), labels_(labels) {}

  // `sample`: the input's little-endian bytes; the model has computed its output.
  void Add(int64_t index, const uint8_t* sample) {
    const auto* values = static_cast<const uint8_t*>(output_.data);
    const int64_t outputs = output_.info.shape.Count();
    if (metric_ == "accuracy") {
      sum_ += static_cast<double>(ArgMax(output_.info, values)) == labels_.At(index) ? 1 : 0;
      return;
    }
    double score = 0;
    double& squares = metric_ == "rmse" ? sum_ : score;
    for (int64_t i = 0; i < outputs; ++i) {
      const double wanted =
          metric_ == "rmse" ? labels_.At(index * outputs + i) : RealValue(input_.info, sample, i);
      const double error = RealValue(output_.info, values, i) - wanted;
      squares += error * error;
    }
    if (metric_ == "rmse") return;
    scores_.push_back(score / static_cast<double>(outputs));
    positive_.push_back(labels_.At(index) != 0);
  }

  // Throws BadInput, naming `labels_file`, where auc lacks a class.
  double Value(int64_t samples, const std::string& labels_file) const {
    if (metric_ == "accuracy") return sum_ / static_cast<double>(samples);
    if (metric_ == "rmse") return std::sqrt(sum_ / static_cast<double>(samples * output_.info.shape.Count()));
    const auto positives = std::count(positive_.begin(), positive_.end(), true);
    if (positives == 0 || positives == samples) {
      throw host::BadInput(
          fmt::format("{}: labels: auc needs both classes, found {} of {} samples positive; check the labels",
                      labels_file, positives, samples));
    }
    return AreaUnderCurve(scores_, positive_);
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
  host::PreparedModel prepared(file, options.interpreter, arena_bytes);
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
  result.metric = options.metric.empty() ? DefaultMetric(labels, input.info, output.info) : options.metric;
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
  return result;
}

}  // namespace lutra::bench
