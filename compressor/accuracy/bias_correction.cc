// SPDX-License-Identifier: Apache-2.0
// Sums errors of weights times means of their inputs, for each output.

#include "compressor/accuracy/bias_correction.h"

#include <cmath>

#include "host/scores.h"

namespace lutra::compressor {

std::vector<BiasShift> BiasCorrection::ShiftsFor(TensorId filter, const TensorInfo& before,
                                                 const Bytes& after) const {
  std::vector<BiasShift> shifts;
  for (const FilterInputs& inputs : inputs_) {
    if (inputs.filter != filter || !inputs.bias || inputs.input_scale <= 0) continue;
    TensorInfo codes = before;
    codes.scales = {};
    std::vector<double> moved;
    for (size_t i = 0; i < inputs.means.size(); ++i) {
      const auto output = static_cast<size_t>(inputs.outputs[i]);
      if (output >= moved.size()) moved.resize(output + 1);
      const auto at = static_cast<int64_t>(i);
      const double error =
          host::RealValue(codes, after.data(), at) - host::RealValue(codes, before.data.data(), at);
      moved[output] += error * inputs.means[i] / inputs.input_scale;
    }
    BiasShift& shift = shifts.emplace_back(BiasShift{.bias = *inputs.bias, .add = {}});
    for (const double by : moved) shift.add.push_back(-std::llround(by));
  }
  return shifts;
}

}  // namespace lutra::compressor
