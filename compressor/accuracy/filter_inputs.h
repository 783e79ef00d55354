// SPDX-License-Identifier: Apache-2.0
// Measures the values that the weights of a network are multiplied by on data.
//
//   const std::vector<FilterInputs> inputs = MeasureFilterInputs(file, evaluator);
//   inputs[0].filter, inputs[0].means[5]        // of the filter's element 5

#pragma once

#include <optional>
#include <vector>

#include "compressor/accuracy/evaluate.h"
#include "compressor/tensor_selector.h"

namespace lutra::compressor {

// Each input counts for at least this share of the mean square of all inputs: a weight that meets only zeros
// in some samples need not do so in others.
inline constexpr double kLeastShare = 1e-3;

// The inputs that outputs share: the operator has one such group, or several.
struct InputProducts {
  // The means of the inputs of one output, in the order of its elements, from some thousand of the places.
  std::vector<double> means;
  std::vector<double> products;  // Their means, of each two inputs: a symmetric matrix.
};

struct FilterInputs {
  TensorId filter;
  // A bias of int32 that no other operator reads and no other tensor shares, beside a filter and an input of
  // 8 bits: a mean can be moved into it.
  std::optional<TensorId> bias;
  double input_scale = 0;
  std::vector<int32_t> outputs;  // The output channel that each element of the filter adds to.
  // The mean and the mean square of what each element is multiplied by, in real units, over all places where
  // the operator puts the filter. Pixels outside the image are zero.
  std::vector<double> means;
  std::vector<double> squares;
  // Groups of as many outputs each, in their order. Empty: not of 8 bits, or more inputs of an output than
  // are worth it.
  std::vector<InputProducts> products;
};

// Measures CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED in subgraph 0 whose inputs are activations, in
// their order, on some 256 samples of the data.
std::vector<FilterInputs> MeasureFilterInputs(const host::ModelFile& file, const Evaluator& evaluator);

}  // namespace lutra::compressor
