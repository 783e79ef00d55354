// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of prelu. Needs no C++ library.

#pragma once

#include "lutra/kernels/prelu/prelu.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct PreluCase {
  int32_t count;
  Steps steps = {1, 1};
  int32_t first = 0;
};

template <typename Value = int8_t>
Problem<PreluCodesArgs<Value>> PreluProblemOf(const PreluCase& c, auto& memory) {
  const int32_t end = c.first + c.count;
  return {
      .args = {Filled<Value>(memory, 10, end), Filled<int8_t>(memory, 11, end), Output<Value>(memory, end),
               c.steps.a, c.steps.b, 3, -4, 5, QuantizeMultiplier(0.9), QuantizeMultiplier(0.02)},
      .first = c.first,
      .count = c.count};
}

Problem<PreluFloatArgs> PreluFloatProblemOf(const PreluCase& c, auto& memory) {
  const int32_t end = c.first + c.count;
  return {.args = {Filled<float>(memory, 10, end), Filled<float>(memory, 11, end), Output<float>(memory, end),
                   c.steps.a, c.steps.b},
          .first = c.first,
          .count = c.count};
}

// Adds problem_of(case, memory) for all counts and steps.
void AddPreluProblems(const auto& problem_of, auto& memory, auto& problems) {
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    for (const Steps& steps : kSteps) {
      problems.Add(problem_of(PreluCase{count, steps, FirstElement(count)}, memory));
    }
  }
}

inline constexpr auto kPreluProblems = [](auto& memory, auto& problems) {
  AddPreluProblems([](const PreluCase& c, auto& m) { return PreluProblemOf(c, m); }, memory, problems);
};
inline constexpr auto kPreluInt16Problems = [](auto& memory, auto& problems) {
  AddPreluProblems([](const PreluCase& c, auto& m) { return PreluProblemOf<int16_t>(c, m); }, memory,
                   problems);
};
inline constexpr auto kPreluFloatProblems = [](auto& memory, auto& problems) {
  AddPreluProblems([](const PreluCase& c, auto& m) { return PreluFloatProblemOf(c, m); }, memory, problems);
};

}  // namespace lutra
