// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of softmax_int16. Needs no C++ library.

#pragma once

#include "lutra/kernels/softmax_int16/softmax_int16.h"
#include "runtime/kernels/problem.h"

namespace lutra {

// With the smallest scale all elements of a row count, with the largest only the largest elements.
inline constexpr double kSoftmaxInt16Scales[] = {0.00002, 0.0001, 0.001, 0.03, 0.25, 4.9};

inline SoftmaxInt16Args SoftmaxInt16ArgsOf(int32_t depth, double scale) {
  return {depth, QuantizeMultiplier(scale / (10.0 / 65535.0))};
}

Problem<SoftmaxInt16Args> SoftmaxInt16ProblemOf(const SoftmaxInt16Args& args, int32_t rows, int32_t first,
                                                auto& memory) {
  return {.args = args,
          .first = first,
          .count = rows - first,
          .input = RowsOf(Filled<int16_t>(memory, 1, rows * args.depth), args.depth),
          .output = RowsOf(Output<int16_t>(memory, rows * args.depth), args.depth)};
}

inline constexpr auto kSoftmaxInt16Problems = [](auto& memory, auto& problems) {
  for (const int32_t depth : kFewCounts) {
    for (const double scale : kSoftmaxInt16Scales) {
      problems.Add(SoftmaxInt16ProblemOf(SoftmaxInt16ArgsOf(depth, scale), 3, problems.count() % 2, memory));
    }
  }
};

}  // namespace lutra
