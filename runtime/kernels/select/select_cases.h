// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of select. Needs no C++ library.

#pragma once

#include "lutra/kernels/select/select.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct SelectCase {
  const char* name;
  int32_t element_bytes;
  int32_t count;
  int32_t condition_step = 1;
  Steps steps = {1, 1};
};

// Elements of one byte and of four.
inline constexpr SelectCase kSelectBenchmarks[] = {
    {"1_byte", 1, 16384},      {"4_bytes", 4, 16384},  {"3_of_1_byte", 1, 3},    {"17_of_1_byte", 1, 17},
    {"130_of_1_byte", 1, 130}, {"3_of_4_bytes", 4, 3}, {"17_of_4_bytes", 4, 17}, {"130_of_4_bytes", 4, 130},
};

Problem<SelectArgs> SelectProblemOf(const SelectCase& c, auto& memory) {
  auto* const condition = Filled<uint8_t>(memory, static_cast<uint32_t>(c.count), c.count);
  for (int32_t i = 0; i < c.count; ++i) condition[i] &= 1;
  const int32_t bytes = c.count * c.element_bytes;
  return {.args = {condition, Filled<uint8_t>(memory, 8, bytes), Filled<uint8_t>(memory, 9, bytes),
                   Output<uint8_t>(memory, bytes), c.condition_step, c.steps.a, c.steps.b, c.element_bytes},
          .count = c.count};
}

inline constexpr auto kSelectProblems = [](auto& memory, auto& problems) {
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    for (const int32_t bytes : kElementSizes) {
      problems.Add(SelectProblemOf({"", bytes, count, count % 5 == 0 ? 0 : 1, kSteps[count % 3]}, memory));
    }
  }
};

}  // namespace lutra
