// SPDX-License-Identifier: Apache-2.0
// Computes scores of outputs in real units.

#include "host/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace lutra::host {

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

double MeanSquaredDifference(const TensorInfo& a_info, const uint8_t* a, const TensorInfo& b_info,
                             const uint8_t* b) {
  const int64_t count = a_info.shape.Count();
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double difference = RealValue(a_info, a, i) - RealValue(b_info, b, i);
    sum += difference * difference;
  }
  return sum / static_cast<double>(count);
}

bool MoreIsBetter(const std::string& name) { return name == "accuracy" || name == "auc"; }

std::string DefaultMetric(TensorType labels, const TensorInfo& input, const TensorInfo& output) {
  if (labels == TensorType::kFloat32 || labels == TensorType::kFloat64) return "rmse";
  return output.shape == input.shape ? "auc" : "accuracy";
}

Interval ConfidenceInterval(double accuracy, int64_t count) {
  constexpr double kQuantile = 1.959963984540054;  // Of the normal distribution: 97.5 % lie below.
  const auto n = static_cast<double>(count);
  const double spread = kQuantile * kQuantile / n;
  const double middle = accuracy + spread / 2;
  const double half = kQuantile * std::sqrt((accuracy * (1 - accuracy) + spread / 4) / n);
  return {accuracy == 0 ? 0 : (middle - half) / (1 + spread),
          accuracy == 1 ? 1 : (middle + half) / (1 + spread)};
}

std::string ConfidenceText(double accuracy, int64_t count) {
  const Interval interval = ConfidenceInterval(accuracy, count);
  return fmt::format("{:.4f} to {:.4f}", interval.low, interval.high);
}

std::string FewSamplesWarning(const std::string& what, int64_t count) {
  constexpr int64_t kEnough = 200;
  if (count >= kEnough) return "";
  return fmt::format(
      "{}: found {} samples, required: {} for an accuracy that says much of other samples; give more, or "
      "mind "
      "its confidence interval\n",
      what, count, kEnough);
}

}  // namespace lutra::host
