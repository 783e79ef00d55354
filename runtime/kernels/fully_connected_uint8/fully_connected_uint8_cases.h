// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of fully_connected_uint8. Needs no C++ library.

#pragma once

#include "lutra/kernels/fully_connected_uint8/fully_connected_uint8.h"
#include "runtime/kernels/fully_connected/fully_connected_cases.h"

namespace lutra {

Problem<FullyConnectedUint8Args> FullyConnectedUint8ProblemOf(const FullyConnectedCase& c, int32_t first_row,
                                                              auto& memory) {
  return {.args = {c.depth,
                   c.channels,
                   {-3, -121, 7, 0, 255},
                   Filled<uint8_t>(memory, 2, c.channels * c.depth),
                   nullptr,
                   0.003},
          .first = first_row,
          .count = c.rows - first_row,
          .input = RowsOf(Filled<uint8_t>(memory, 1, c.rows * c.depth), c.depth),
          .output = RowsOf(Output<uint8_t>(memory, c.rows * c.channels), c.channels)};
}

inline constexpr auto kFullyConnectedUint8Problems = [](auto& memory, auto& problems) {
  for (int32_t i = 1; i <= kMaxCount; i += 3) {
    problems.Add(FullyConnectedUint8ProblemOf({"", 2, i, 5}, i % 2, memory));
  }
};

}  // namespace lutra
