// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the pools. Needs no C++ library.

#pragma once

#include "lutra/kernels/pool/pool.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct PoolCase {
  const char* name;
  int32_t images;
  PoolShape shape;  // in, depth, out, filter, stride, padding
};

inline constexpr PoolCase kPoolCases[] = {
    {"one_pixel", 1, {1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0}},
    {"2x2_depth_1", 1, {6, 5, 1, 3, 2, 2, 2, 2, 2, 0, 0}},
    {"3x3_same", 2, {7, 9, 5, 7, 9, 3, 3, 1, 1, 1, 1}},
    {"3x3_stride_2_same", 3, {8, 7, 17, 4, 4, 3, 3, 2, 2, 0, 1}},
    {"beyond_one_block", 1, {4, 4, 130, 3, 3, 2, 2, 1, 1, 0, 0}},
    {"wider_than_the_image", 1, {3, 4, 64, 3, 4, 7, 9, 1, 1, 3, 4}},
    {"global", 2, {5, 3, 65, 1, 1, 5, 3, 5, 3, 0, 0}},
    {"gaps", 1, {9, 9, 16, 3, 3, 2, 1, 3, 4, 0, 0}},
    {"three_channels", 3, {5, 11, 3, 5, 11, 3, 2, 1, 1, 1, 0}},
    {"eight_channels", 2, {6, 13, 8, 3, 7, 2, 2, 2, 2, 0, 0}},
    {"above_a_vector", 1, {3, 7, 33, 3, 7, 3, 3, 1, 1, 1, 1}},
    {"runs_of_short_pixels", 2, {3, 43, 3, 3, 43, 2, 9, 1, 1, 0, 4}},
    {"runs_to_the_end", 1, {4, 71, 1, 4, 67, 1, 5, 1, 1, 0, 0}},
    {"runs_beyond_int16", 1, {17, 40, 3, 1, 25, 17, 16, 1, 1, 0, 0}},
    {"sums_beyond_int16", 1, {16, 17, 20, 1, 1, 16, 17, 1, 1, 0, 0}},
};

// The pools of MLPerf Tiny, and a large one.
inline constexpr PoolCase kPoolBenchmarks[] = {
    {"average_25x5x64", 1, {25, 5, 64, 1, 1, 25, 5, 25, 5, 0, 0}},
    {"average_8x8x64", 1, {8, 8, 64, 1, 1, 8, 8, 8, 8, 0, 0}},
    {"3x3_48x48x16", 1, {48, 48, 16, 48, 48, 3, 3, 1, 1, 1, 1}},
    {"2x2_s2_96x96x8", 1, {96, 96, 8, 48, 48, 2, 2, 2, 2, 0, 0}},
    {"3x3_24x24x3", 1, {24, 24, 3, 24, 24, 3, 3, 1, 1, 1, 1}},
    {"1x9_131x131x3", 1, {131, 131, 3, 131, 131, 1, 9, 1, 1, 0, 4}},
    {"average_3x3x256", 1, {3, 3, 256, 1, 1, 3, 3, 3, 3, 0, 0}},
    {"2x2_s2_12x12x130", 1, {12, 12, 130, 6, 6, 2, 2, 2, 2, 0, 0}},
    {"average_32x32x16", 1, {32, 32, 16, 1, 1, 32, 32, 32, 32, 0, 0}},
};

static inline RowMap RowMapOf(const PoolCase& c, int32_t element_bytes) {
  const PoolShape& shape = c.shape;
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.images = c.images;
  map.in_rows = shape.in_height;
  map.out_rows = shape.out_height;
  map.in_row_bytes = shape.in_width * shape.depth * element_bytes;
  map.out_row_bytes = shape.out_width * shape.depth * element_bytes;
  map.window = shape.filter_height;
  map.stride = shape.stride_h;
  map.pad_before = shape.pad_top;
  return map;
}

// `args` has no shape.
template <typename Element, typename Memory, typename Args>
Problem<Args> PoolProblemOf(const PoolCase& c, int32_t first_row, Args args, Memory& memory) {
  const PoolShape& shape = c.shape;
  auto* const kept_shape = Data<PoolShape>(memory, 1);
  *kept_shape = shape;
  args.shape = kept_shape;
  const int32_t in_values = shape.in_width * shape.depth;
  const int32_t out_values = shape.out_width * shape.depth;
  const int32_t rows = c.images * shape.out_height;
  auto* const input = Filled<Element>(memory, 1, c.images * shape.in_height * in_values);
  return {.args = args,
          .first = first_row,
          .count = rows - first_row,
          .input = RowsOf(input, in_values),
          .output = RowsOf(Output<Element>(memory, rows * out_values), out_values)};
}

inline constexpr auto kPoolProblems = [](auto& memory, auto& problems) {
  const auto add = [&](const PoolCase& c) {
    const bool clamped = problems.count() % 3 == 0;
    const PoolArgs args = {nullptr, clamped ? -90 : -128, clamped ? 100 : 127};
    const int32_t first = FirstRow(problems.count(), c.images * c.shape.out_height);
    problems.Add(PoolProblemOf<uint8_t>(c, first, args, memory));
  };
  for (const PoolCase& c : kPoolCases) add(c);
  for (int32_t depth = 1; depth <= kMaxCount; ++depth) {
    add({"depths", 1, {4, 5, depth, 4, 5, 3, 3, 1, 1, 1, 1}});
  }
};

inline constexpr auto kInt16PoolProblems = [](auto& memory, auto& problems) {
  for (const PoolCase& c : kPoolCases) {
    const int32_t first = FirstRow(problems.count(), c.images * c.shape.out_height);
    problems.Add(PoolProblemOf<int16_t>(c, first, PoolArgs{nullptr, -9000, 30000}, memory));
  }
};

inline constexpr auto kFloatPoolProblems = [](auto& memory, auto& problems) {
  const auto add = [&](const PoolCase& c) {
    const int32_t first = FirstRow(problems.count(), c.images * c.shape.out_height);
    problems.Add(PoolProblemOf<float>(c, first, PoolFloatArgs{nullptr, -0.75f, 0.5f}, memory));
  };
  for (const PoolCase& c : kPoolCases) add(c);
  for (int32_t depth = 1; depth <= kMaxCount; depth += 3) {
    add({"depths", 1, {3, 3, depth, 3, 3, 3, 3, 1, 1, 1, 1}});
  }
};

}  // namespace lutra
