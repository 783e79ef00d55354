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
      data.bytes / static_cast<size_t>(samples) != sample_bytes) {
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

  double sum = 0;
  std::vector<double> scores;
  std::vector<bool> positive;
  host::Progress progress(file.path + ": evaluating");
  for (int64_t s = 0; s < samples; ++s) {
    const uint8_t* sample = data.data + static_cast<size_t>(s) * sample_bytes;
    std::memcpy(input.data, sample, sample_bytes);
    host::SwapToOrFromLittleEndian(input.info.type, static_cast<uint8_t*>(input.data), sample_bytes);
    prepared.Invoke();
    const auto* values = static_cast<const uint8_t*>(output.data);
    if (result.metric == "accuracy") {
      sum += static_cast<double>(ArgMax(output.info, values)) == labels.At(s) ? 1 : 0;
    } else if (result.metric == "rmse") {
      for (int64_t i = 0; i < outputs; ++i) {
        const double error = RealValue(output.info, values, i) - labels.At(s * outputs + i);
        sum += error * error;
      }
    } else {
      double score = 0;
      for (int64_t i = 0; i < outputs; ++i) {
        const double error = RealValue(output.info, values, i) - RealValue(input.info, sample, i);
        score += error * error;
      }
      scores.push_back(score / static_cast<double>(outputs));
      positive.push_back(labels.At(s) != 0);
    }
    if (s % 16 == 0) progress.Update(s, samples);
  }
  result.count = samples;
  if (result.metric == "accuracy") {
    result.value = sum / static_cast<double>(samples);
  } else if (result.metric == "rmse") {
    result.value = std::sqrt(sum / static_cast<double>(samples * outputs));
  } else {
    const auto positives = std::count(positive.begin(), positive.end(), true);
    if (positives == 0 || positives == samples) {
      throw host::BadInput(
          fmt::format("{}: labels: auc needs both classes, found {} of {} samples positive; check the labels",
                      options.labels_file, positives, samples));
    }
    result.value = AreaUnderCurve(scores, positive);
  }
  return result;
}

}  // namespace lutra::bench
