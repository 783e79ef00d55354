// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of compare. Needs no C++ library.

#pragma once

#include <string.h>

#include "lutra/kernels/compare/compare.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct CompareCase {
  const char* name;
  Comparison comparison;
  TensorType type;
  int32_t count;
  Steps steps = {1, 1};
  int32_t first = 0;
};

// Codes of two scales, and floats.
inline constexpr CompareCase kCompareBenchmarks[] = {
    {"less_int8_3", Comparison::kLess, TensorType::kInt8, 3},
    {"less_int8_17", Comparison::kLess, TensorType::kInt8, 17},
    {"less_int8_130", Comparison::kLess, TensorType::kInt8, 130},
    {"less_int8_1000", Comparison::kLess, TensorType::kInt8, 1000},
    {"less_int8_16384", Comparison::kLess, TensorType::kInt8, 16384},
    {"less_float_16384", Comparison::kLess, TensorType::kFloat32, 16384},
};

Problem<CompareArgs> CompareProblemOf(const CompareCase& c, auto& memory) {
  const int32_t end = c.first + c.count;
  const int32_t bytes = ElementBytes(c.type);
  auto* const a = memory.TakeFilled(4, end, bytes);
  auto* const b = memory.TakeFilled(5, end, bytes);
  // A third of the elements are equal.
  memcpy(b, a, static_cast<size_t>(end / 3 * bytes));
  return {.args = {.comparison = c.comparison,
                   .type = c.type,
                   .a = a,
                   .b = b,
                   .output = Output<uint8_t>(memory, end),
                   .a_step = c.steps.a,
                   .b_step = c.steps.b,
                   .a_zero_point = 3,
                   .b_zero_point = 2,
                   .a_multiplier = QuantizeMultiplier(0.5),
                   .b_multiplier = QuantizeMultiplier(0.5)},
          .first = c.first,
          .count = c.count};
}

inline constexpr auto kCompareProblems = [](auto& memory, auto& problems) {
  constexpr TensorType kTypes[] = {TensorType::kInt8,  TensorType::kUInt8, TensorType::kInt16,
                                   TensorType::kInt32, TensorType::kInt64, TensorType::kBool};
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    for (const TensorType type : kTypes) {
      problems.Add(CompareProblemOf(
          {"", static_cast<Comparison>(count % 6), type, count, kSteps[count / 6 % 3], FirstElement(count)},
          memory));
    }
  }
};

}  // namespace lutra
