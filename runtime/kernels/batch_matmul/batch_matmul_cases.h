// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the matrix product. Needs no C++ library.

#pragma once

#include <stdint.h>

#include "lutra/kernels/batch_matmul/batch_matmul.h"
#include "runtime/kernels/conv_cases.h"

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

}  // namespace lutra
