// SPDX-License-Identifier: Apache-2.0
// Takes back by the bias what binned weights do to the mean of each output.
//
//   const BiasCorrection correction(MeasureFilterInputs(file, evaluator));
//   for (const BiasShift& shift : correction.ShiftsFor(filter, before, after)) ...   // add shift.add to
//   shift.bias
//
// An output is the bias plus the sum of weights times inputs, and a weight's error moves its mean by the
// error times the mean of its input: behind a RELU far from zero. A bias has the unit of the products, so
// that the sum of these, as a whole number, is taken from it, and costs no byte (Nagel et al. 2019,
// "Data-Free Quantization Through Weight Equalization and Bias Correction", section 4.2; here means are
// measured).

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
  // None: nothing is corrected.
  BiasCorrection() = default;
  explicit BiasCorrection(std::vector<FilterInputs> inputs) : inputs_(std::move(inputs)) {}

  // For each operator with a bias that reads the filter, whose elements were `before` and are `after`.
  std::vector<BiasShift> ShiftsFor(TensorId filter, const TensorInfo& before, const Bytes& after) const;

 private:
  std::vector<FilterInputs> inputs_;
};

}  // namespace lutra::compressor
