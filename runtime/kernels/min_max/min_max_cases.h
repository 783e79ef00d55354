// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of min_max. Needs no C++ library.

#pragma once

#include "lutra/kernels/min_max/min_max.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct MinMaxCase {
  const char* name;
  bool is_max;
  TensorType type;
  int32_t count;
  Steps steps = {1, 1};
  int32_t first = 0;
};

// The larger of two codes, and of two floats.
inline constexpr MinMaxCase kMinMaxBenchmarks[] = {
    {"int8_3", true, TensorType::kInt8, 3},         {"int8_17", true, TensorType::kInt8, 17},
    {"int8_130", true, TensorType::kInt8, 130},     {"int8_1000", true, TensorType::kInt8, 1000},
    {"int8_16384", true, TensorType::kInt8, 16384}, {"float_16384", true, TensorType::kFloat32, 16384},
};

Problem<MinMaxArgs> MinMaxProblemOf(const MinMaxCase& c, auto& memory) {
  const int32_t end = c.first + c.count;
  const int32_t bytes = ElementBytes(c.type);
  return {.args = {c.is_max, c.type, memory.TakeFilled(6, end, bytes), memory.TakeFilled(7, end, bytes),
                   memory.TakeOutput(end, bytes), c.steps.a, c.steps.b},
          .first = c.first,
          .count = c.count};
}

inline constexpr auto kMinMaxProblems = [](auto& memory, auto& problems) {
  constexpr TensorType kTypes[] = {TensorType::kInt8, TensorType::kInt16, TensorType::kInt32,
                                   TensorType::kInt64};
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    for (const TensorType type : kTypes) {
      problems.Add(MinMaxProblemOf(
          {"", count % 2 != 0, type, count, kSteps[count / 2 % 3], FirstElement(count)}, memory));
    }
  }
};

}  // namespace lutra
