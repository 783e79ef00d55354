// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of fully_connected_int16. Needs no C++ library.

#pragma once

#include "lutra/kernels/fully_connected_int16/fully_connected_int16.h"
#include "runtime/kernels/conv_2d_int16/conv_2d_int16_cases.h"
#include "runtime/kernels/fully_connected/fully_connected_cases.h"

namespace lutra {

Problem<FullyConnectedInt16Args> FullyConnectedInt16ProblemOf(const FullyConnectedCase& c, Int16ConvBias bias,
                                                              int32_t first_row, auto& memory) {
  auto* const multipliers = Data<Multiplier>(memory, c.channels);
  FillMultipliers(4, c.depth, c.channels, multipliers);
  return {.args = {c.depth, c.channels, -c.input_zero_point * 200, c.output_zero_point * 100,
                   static_cast<int16_t>(c.activation_min * 256),
                   static_cast<int16_t>(c.activation_max * 256 + 255), IsWide(bias), c.one_multiplier,
                   Filled<int8_t>(memory, 2, c.channels * c.depth), Int16BiasOf(bias, c.channels, memory),
                   multipliers},
          .first = first_row,
          .count = c.rows - first_row,
          .input = RowsOf(Filled<int16_t>(memory, 1, c.rows * c.depth), c.depth),
          .output = RowsOf(Output<int16_t>(memory, c.rows * c.channels), c.channels)};
}

inline constexpr auto kFullyConnectedInt16Problems = [](auto& memory, auto& problems) {
  for (int32_t i = 1; i <= kMaxCount; i += 3) {
    problems.Add(FullyConnectedInt16ProblemOf({"", 2, i, 5}, kInt16ConvBiases[i % 5], i % 2, memory));
  }
};

}  // namespace lutra
