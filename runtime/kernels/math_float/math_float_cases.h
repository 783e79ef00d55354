// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of math_float. Needs no C++ library.

#pragma once

#include "lutra/kernels/math_float/math_float.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct MathFloatCase {
  const char* name;
  MathFunction function;
  int32_t count;
  int32_t first = 0;
};

inline constexpr MathFunction kMathFunctions[] = {Ceil, Cos,         Exp, Floor, Log, Negate, RoundHalfToEven,
                                                  Sqrt, InverseSqrt, Sin, Square};

inline constexpr MathFloatCase kMathFloatBenchmarks[] = {
    {"sin", Sin, 16384},
    {"square", Square, 16384},
};

// Inputs are numbers of 0 to 9.
Problem<MathFloatArgs> MathFloatProblemOf(const MathFloatCase& c, auto& memory) {
  const int32_t end = c.first + c.count;
  auto* const input = Filled<float>(memory, static_cast<uint32_t>(c.count), end);
  for (int32_t i = 0; i < end; ++i) input[i] = (input[i] < 0.0f ? -input[i] : input[i]) * 9.0f;
  return {.args = {c.function, input, Output<float>(memory, end)}, .first = c.first, .count = c.count};
}

inline constexpr auto kMathFloatProblems = [](auto& memory, auto& problems) {
  for (const MathFunction function : kMathFunctions) {
    for (const int32_t count : kFewCounts) {
      problems.Add(MathFloatProblemOf({"", function, count, FirstElement(count)}, memory));
    }
  }
};

}  // namespace lutra
