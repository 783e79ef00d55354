// SPDX-License-Identifier: Apache-2.0
// Says how well a model's outputs fit the labels of its inputs.
//
//   const int64_t answer = ArgMax(output.info, bytes);
//   if (RealValue(output.info, bytes, answer) > 0.5) ...

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lutra/tensor_info.h"

namespace lutra::host {

// Element i of a tensor in real units: (code - zero point) * scale with the tensor's first scale; floats and
// integers without a scale as they are. `data`: in the machine's byte order. Other types: 0.
double RealValue(const TensorInfo& info, const uint8_t* data, int64_t i);

// The index of the largest value, the first of several.
int64_t ArgMax(const TensorInfo& info, const uint8_t* data);

// Returns the probability that a positive sample scores above a negative one; ties count half. There must be
// a sample of each kind.
double AreaUnderCurve(const std::vector<double>& scores, const std::vector<bool>& positive);

// The mean over elements of (output - input)^2 in real units: an auto-encoder's score. Both have as many
// elements.
double MeanSquaredDifference(const TensorInfo& a_info, const uint8_t* a, const TensorInfo& b_info,
                             const uint8_t* b);

// The default metric: "rmse" if labels are floats, "auc" if the output has the input's shape, else
// "accuracy".
std::string DefaultMetric(TensorType labels, const TensorInfo& input, const TensorInfo& output);

// Returns whether more is better for a figure or metric of this name.
bool MoreIsBetter(const std::string& name);

// An interval in which a value for all data of this kind lies, with a confidence of 95 %.
struct Interval {
  double low = 0;
  double high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Wilson's score interval of `accuracy`, a share of `count` samples; count > 0.
Interval ConfidenceInterval(double accuracy, int64_t count);

// ConfidenceInterval with four decimals: "0.7225 to 1.0000".
std::string ConfidenceText(double accuracy, int64_t count);

// Returns a warning, one line for stderr, that an accuracy of so few samples is not precise; empty for 200
// and more. `what` names them: "models/kws.npy: data".
std::string FewSamplesWarning(const std::string& what, int64_t count);

}  // namespace lutra::host
