// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the matrix product. Needs no C++ library.

#pragma once

#include <stdint.h>

#include "lutra/kernels/batch_matmul/batch_matmul.h"
#include "runtime/kernels/conv_cases.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct MatMulCase {
  const char* name;
  int32_t m;
  int32_t k;
  int32_t n;
  int16_t lhs_offset = 3;
  int16_t rhs_offset = -40;
  int16_t output_offset = 5;
};

// Around the reference's parts of 128 along k and blocks of 64 along n.
inline constexpr MatMulCase kMatMulCases[] = {
    {"one_value", 1, 1, 1},       {"odd", 3, 33, 7, 128, -127, -128},
    {"row", 1, 128, 65, 0, 0, 0}, {"part_and_one", 2, 129, 5, -127, 128, 127},
    {"block_and_one", 5, 8, 65},  {"tall", 70, 2, 3, 1, -1, -1},
};

inline constexpr MatMulCase kMatMulBenchmarks[] = {
    {"64x64x64", 64, 64, 64}, {"1x256x256", 1, 256, 256}, {"8x64x32", 8, 64, 32},
    {"49x32x49", 49, 32, 49}, {"12x600x48", 12, 600, 48}, {"3x17x5", 3, 17, 5},
};

Problem<MatMulArgs> MatMulProblemOf(const MatMulCase& c, bool lhs_transposed, bool rhs_transposed,
                                    auto& memory) {
  Multiplier multiplier;
  FillMultipliers(4, c.k, 1, &multiplier);
  return {.args = {{c.m, c.k, c.n, lhs_transposed, rhs_transposed},
                   Filled<int8_t>(memory, 1, c.m * c.k),
                   Filled<int8_t>(memory, 2, c.k * c.n),
                   Output<int8_t>(memory, c.m * c.n),
                   multiplier,
                   c.lhs_offset,
                   c.rhs_offset,
                   c.output_offset}};
}

Problem<MatMulInt16Args> MatMulInt16ProblemOf(const MatMulCase& c, bool lhs_transposed, bool rhs_transposed,
                                              auto& memory) {
  Multiplier multiplier;
  FillMultipliers(4, c.k, 1, &multiplier);
  multiplier.shift -= 8;
  return {.args = {{c.m, c.k, c.n, lhs_transposed, rhs_transposed},
                   Filled<int16_t>(memory, 1, c.m * c.k),
                   Filled<int16_t>(memory, 2, c.k * c.n),
                   Output<int16_t>(memory, c.m * c.n),
                   multiplier}};
}

Problem<MatMulFloatArgs> MatMulFloatProblemOf(const MatMulCase& c, bool lhs_transposed, bool rhs_transposed,
                                              auto& memory) {
  return {.args = {{c.m, c.k, c.n, lhs_transposed, rhs_transposed},
                   Filled<float>(memory, 1, c.m * c.k),
                   Filled<float>(memory, 2, c.k * c.n),
                   Output<float>(memory, c.m * c.n)}};
}

inline constexpr auto kMatMulProblems = [](auto& memory, auto& problems) {
  const auto add = [&](const MatMulCase& c) {
    for (const bool lhs : kFalseAndTrue) {
      for (const bool rhs : kFalseAndTrue) problems.Add(MatMulProblemOf(c, lhs, rhs, memory));
    }
  };
  for (const MatMulCase& c : kMatMulCases) add(c);
  for (int32_t i = 1; i <= kMaxCount; i += 3) {
    add({"k", 2, i, 3});
    add({"n", 2, 5, i});
  }
};

inline constexpr auto kMatMulInt16Problems = [](auto& memory, auto& problems) {
  for (const MatMulCase& c : kMatMulCases) {
    for (const bool lhs : kFalseAndTrue) {
      for (const bool rhs : kFalseAndTrue) problems.Add(MatMulInt16ProblemOf(c, lhs, rhs, memory));
    }
  }
};

inline constexpr auto kMatMulFloatProblems = [](auto& memory, auto& problems) {
  const auto add = [&](const MatMulCase& c) {
    for (const bool lhs : kFalseAndTrue) {
      for (const bool rhs : kFalseAndTrue) problems.Add(MatMulFloatProblemOf(c, lhs, rhs, memory));
    }
  };
  for (int32_t i = 1; i <= kMaxCount; i += 3) {
    add({"k", 2, i, 3});
    add({"n", 2, 5, i});
  }
};

}  // namespace lutra
