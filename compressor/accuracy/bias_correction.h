// SPDX-License-Identifier: Apache-2.0
// Corrects biases, so that binned weights do not change the mean of any output.
//
//   const BiasCorrection correction(MeasureFilterInputs(file, evaluator));
//   for (const BiasShift& shift : correction.ShiftsFor(filter, before, after)) ...   // add shift.add to
//   shift.bias
//
// An output is the bias plus the sum of weights times inputs, and a weight's error moves the output's mean by
// the error times the mean of its input, which is far from zero behind a RELU. A bias has the unit of the
// products, so that the sum of these moves, as a whole number, can be subtracted from it, which takes no byte
// (Nagel et al. 2019, "Data-Free Quantization Through Weight Equalization and Bias Correction", section 4.2;
// here means are measured).

#pragma once

#include <vector>

#include "compressor/accuracy/filter_inputs.h"

namespace lutra::compressor {

struct BiasShift {
  TensorId bias;
  std::vector<int64_t> add;  // One for each output channel.
};

class BiasCorrection {
 public:
  // Without inputs, corrects nothing.
  BiasCorrection() = default;
  explicit BiasCorrection(std::vector<FilterInputs> inputs) : inputs_(std::move(inputs)) {}

  // Returns a shift for each operator with a bias that reads the filter, which changes from `before` to
  // `after`.
  std::vector<BiasShift> ShiftsFor(TensorId filter, const TensorInfo& before, const Bytes& after) const;

 private:
  std::vector<FilterInputs> inputs_;
};

}  // namespace lutra::compressor
