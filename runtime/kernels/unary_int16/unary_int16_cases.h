// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of unary_int16. Needs no C++ library.

#pragma once

#include "lutra/kernels/unary_int16/unary_int16.h"
#include "runtime/kernels/problem.h"

namespace lutra {

// `args` has no input and output.
template <typename Args, typename Memory>
Problem<Args> UnaryInt16ProblemOf(Args args, int32_t count, Memory& memory) {
  const int32_t first = FirstElement(count);
  args.input = Filled<int16_t>(memory, 5, first + count);
  args.output = Output<int16_t>(memory, first + count);
  return {.args = args, .first = first, .count = count};
}

inline const PiecewiseInt16Args kPiecewiseInt16Cases[] = {
    {nullptr, nullptr, QuantizeMultiplier(1.0), QuantizeMultiplier(1.0), true, 0, 0, INT16_MIN, -INT16_MIN},
    {nullptr, nullptr, QuantizeMultiplier(0.7), QuantizeMultiplier(0.07), false, 5, -9, INT16_MIN, INT16_MAX},
    {nullptr, nullptr, QuantizeMultiplier(1.4), QuantizeMultiplier(0.5), true, INT16_MIN, INT16_MAX, -300,
     INT16_MAX},
    {nullptr, nullptr, QuantizeMultiplier(3.1), {0, 0}, false, 0, 0, 0, 6000},
};

// A direct shift by 0 and by 1, multipliers, and one that does not shift.
inline constexpr SigmoidInt16Args kSigmoidInt16Cases[] = {
    {nullptr, nullptr, false, 0, 0},     {nullptr, nullptr, true, 0, 1},
    {nullptr, nullptr, true, 25165, 11}, {nullptr, nullptr, false, 25165, 11},
    {nullptr, nullptr, false, 65535, 0}, {nullptr, nullptr, true, 16384, 31},
};

template <const auto& kCases>
inline constexpr auto kUnaryInt16Problems = [](auto& memory, auto& problems) {
  for (const auto& args : kCases) {
    for (const int32_t count : kFewCounts) problems.Add(UnaryInt16ProblemOf(args, count, memory));
  }
};

}  // namespace lutra
