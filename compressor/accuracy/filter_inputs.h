// SPDX-License-Identifier: Apache-2.0
// What the weights of a network are multiplied by on data.
//
//   const std::vector<FilterInputs> inputs = MeasureFilterInputs(file, evaluator);
//   inputs[0].filter, inputs[0].means[5]        // of the filter's element 5

#pragma once

#include <optional>
#include <vector>

#include "compressor/accuracy/evaluate.h"
#include "compressor/tensor_selector.h"

namespace lutra::compressor {

// What meets only zeros in some samples need not do so in others: of the mean square of all inputs, what each
// counts for at least.
inline constexpr double kLeastShare = 1e-3;

// What outputs that read the same inputs meet: one group, or as many as the operator has.
struct InputProducts {
  // Of the inputs of one output, in the order of its elements; of some thousand of the places.
  std::vector<double> means;
  std::vector<double> products;  // Their means, of each two inputs: a symmetric matrix.
};

struct FilterInputs {
  TensorId filter;
  // Of int32, which no other operator reads and no other tensor shares, beside a filter and an input of 8
  // bits: a mean can be moved into it.
  std::optional<TensorId> bias;
  double input_scale = 0;
  std::vector<int32_t> outputs;  // Of each element of the filter the output channel that it adds to.
  // Of each element: of what it is multiplied by, in real units, over all places where the operator puts the
  // filter, the mean and the mean square. What lies outside the image is zero.
  std::vector<double> means;
  std::vector<double> squares;
  // Of groups of as many outputs each, in their order. None: not of 8 bits, or more inputs of an output than
  // are worth it.
  std::vector<InputProducts> products;
};

// Of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED in subgraph 0 whose inputs are activations, in their
// order. From some 256 samples of the data.
std::vector<FilterInputs> MeasureFilterInputs(const host::ModelFile& file, const Evaluator& evaluator);

}  // namespace lutra::compressor
