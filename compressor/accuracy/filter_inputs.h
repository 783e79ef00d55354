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

// Each input counts for at least this share of the mean square of all inputs: a weight that is only
// multiplied by zeros in these samples may meet other inputs later.
inline constexpr double kLeastShare = 1e-3;

// The inputs of a group of outputs that read the same ones; an operator has one such group, or several.
struct InputProducts {
  // The means of the inputs of one output, in the order of its elements, from some thousand of the places.
  std::vector<double> means;
  std::vector<double> products;  // The means of the products of each two inputs: a symmetric matrix.
};

struct FilterInputs {
  TensorId filter;
  // A bias of int32 that no other operator reads and no other tensor shares, beside a filter and an input of
  // 8 bits: a mean can be moved into it.
  std::optional<TensorId> bias;
  double input_scale = 0;
  std::vector<int32_t> outputs;  // The output channel that each element of the filter adds to.
  // The mean and the mean square of the input that each element is multiplied by, in real units, over all
  // positions of the filter. Pixels outside the image are zero.
  std::vector<double> means;
  std::vector<double> squares;
  // Groups of equally many outputs, in their order. Empty: the filter is not of 8 bits, or an output has so
  // many inputs that the products would take too long.
  std::vector<InputProducts> products;
};

// Measures CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED in subgraph 0 whose inputs are activations, in
// their order, on some 256 samples of the data.
std::vector<FilterInputs> MeasureFilterInputs(const host::ModelFile& file, const Evaluator& evaluator);

}  // namespace lutra::compressor
