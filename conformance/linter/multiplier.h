// SPDX-License-Identifier: Apache-2.0
// Real multipliers of operators, from the scales of a model.

#pragma once

#include <cmath>
#include <vector>

#include "conformance/linter/site.h"
#include "conformance/oracle/arithmetic.h"

namespace lutra::conformance::linter {

// Returns the shift of QuantizeMultiplier; 60 for multipliers from 2^60 on, and for NaN.
inline int ShiftOf(double multiplier) {
  if (!(multiplier < std::ldexp(1.0, 60))) return 60;
  return oracle::QuantizeMultiplier(multiplier).shift;
}

// Output channels of an operator with weights.
inline int64_t ChannelsOf(const Site& site) {
  const Operand weights = site.FirstInput(kWeights);
  if (site.name() == "DEPTHWISE_CONV_2D") return weights.dim(3);
  if (site.name() != "SVDF") return weights.dim(0);
  const auto* options = site.op().builtin_options.AsSVDFOptions();
  return options == nullptr || options->rank <= 0 ? 0 : weights.dim(0) / options->rank;
}

// Returns s_in * s_w for each channel or, if the weights have one scale, once.
inline std::vector<double> SumScales(const Site& site) {
  std::vector<double> scales;
  for (const float scale : site.FirstInput(kWeights).scales()) {
    scales.push_back(double{site.FirstInput(kActivation).scale()} * double{scale});
  }
  return scales;
}

}  // namespace lutra::conformance::linter
