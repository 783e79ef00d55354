// SPDX-License-Identifier: Apache-2.0
// What an error of a weight costs: how large the values are that it is multiplied by.
//
//   const auto importance = Importance(file, evaluator);
//   const TensorBinner binner(weights, settings, importance.at({0, 3}));
//
// The error of an output is the sum of each weight's error times its input. Where errors do not correlate,
// its power is that of the weights' errors, each times the mean square of its inputs on the data, and the
// square of its scale.

#pragma once

#include <map>
#include <vector>

#include "compressor/accuracy/evaluate.h"
#include "compressor/tensor_selector.h"

namespace lutra::compressor {

// By element, of the filters of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED in subgraph 0 whose inputs are
// activations; other tensors are not in it. From the first samples of the data.
std::map<TensorId, std::vector<double>> Importance(const host::ModelFile& file, const Evaluator& evaluator);

}  // namespace lutra::compressor
