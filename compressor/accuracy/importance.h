// SPDX-License-Identifier: Apache-2.0
// The cost of an error of each weight, which grows with the values that the weight is multiplied by.
//
//   const auto importance = Importance(file, MeasureFilterInputs(file, evaluator), false);
//   const TensorBinner binner(weights, settings, importance.at({0, 3}));
//
// The error of an output is the sum of each weight's error times its input. If errors do not correlate, its
// power is the sum of the squared errors, each times the mean square of its inputs on the data and the square
// of its scale. If biases are corrected (bias_correction.h), the variance replaces the mean square.

#pragma once

#include <map>
#include <vector>

#include "compressor/accuracy/filter_inputs.h"

namespace lutra::compressor {

// Returns the importance of each element of each filter.
std::map<TensorId, std::vector<double>> Importance(const host::ModelFile& file,
                                                   const std::vector<FilterInputs>& inputs,
                                                   bool biases_are_corrected);

}  // namespace lutra::compressor
