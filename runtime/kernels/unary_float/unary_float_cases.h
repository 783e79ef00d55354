// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of unary_float. Needs no C++ library.

#pragma once

#include "lutra/kernels/unary_float/unary_float.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct UnaryFloatCase {
  const char* name;
  UnaryFunction function;
  int32_t count;
  int32_t first = 0;
};

inline constexpr UnaryFloatCase kUnaryFloatBenchmarks[] = {
    {"logistic", UnaryFunction::kLogistic, 16384},
    {"relu6", UnaryFunction::kRelu6, 16384},
};

Problem<UnaryFloatArgs> UnaryFloatProblemOf(const UnaryFloatCase& c, auto& memory) {
  const int32_t end = c.first + c.count;
  auto* const input = Filled<float>(memory, static_cast<uint32_t>(c.count), end);
  for (int32_t i = 0; i < end; ++i) input[i] *= 9.0f;
  return {.args = {c.function, 0.25f, input, Output<float>(memory, end)}, .first = c.first, .count = c.count};
}

inline constexpr auto kUnaryFloatProblems = [](auto& memory, auto& problems) {
  for (int32_t function = 0; function <= static_cast<int32_t>(UnaryFunction::kAbs); ++function) {
    for (const int32_t count : kFewCounts) {
      problems.Add(UnaryFloatProblemOf({"", static_cast<UnaryFunction>(function), count, FirstElement(count)},
                                       memory));
    }
  }
};

}  // namespace lutra
