// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of gather. Needs no C++ library.

#pragma once

#include <string.h>

#include "lutra/kernels/gather/gather.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct GatherCase {
  const char* name;
  int32_t batches;
  int32_t outer;
  int32_t axis_size;
  int32_t index_count;
  int32_t block_bytes;
  bool wide = false;  // Indices are int64, else int32.
};

struct GatherNdCase {
  const char* name;
  int32_t tuples;
  int32_t depth;
  int32_t sizes[3];  // The first `depth` count.
  int32_t block_bytes;
  bool wide = false;
};

// Blocks of one byte, of an element, of a pixel.
inline constexpr GatherCase kGatherBenchmarks[] = {
    {"1", 1, 64, 128, 128, 1}, {"4", 1, 64, 128, 128, 4}, {"64", 1, 64, 128, 128, 64}};
inline constexpr GatherNdCase kGatherNdBenchmarks[] = {
    {"1", 1024, 2, {128, 128}, 1}, {"4", 1024, 2, {128, 128}, 4}, {"64", 1024, 2, {128, 128}, 64}};

// Returns `count` indices; index i is below sizes[i % depth].
IndexList IndicesOf(int32_t count, const int32_t* sizes, int32_t depth, bool wide, auto& memory) {
  const auto* const random = Filled<uint8_t>(memory, static_cast<uint32_t>(count), count);
  auto* const values = Data<int64_t>(memory, count);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t index = random[i] % sizes[i % depth];
    if (wide) {
      values[i] = index;
    } else {
      memcpy(reinterpret_cast<uint8_t*>(values) + i * 4, &index, sizeof(index));
    }
  }
  return {values, wide};
}

Problem<GatherArgs> GatherProblemOf(const GatherCase& c, auto& memory) {
  const int32_t lines = c.batches * c.outer;
  return {.args = {Filled<uint8_t>(memory, 3, lines * c.axis_size * c.block_bytes),
                   Output<uint8_t>(memory, lines * c.index_count * c.block_bytes),
                   IndicesOf(c.batches * c.index_count, &c.axis_size, 1, c.wide, memory), c.batches, c.outer,
                   c.axis_size, c.index_count, c.block_bytes}};
}

Problem<GatherNdArgs> GatherNdProblemOf(const GatherNdCase& c, auto& memory) {
  auto* const sizes = Data<int32_t>(memory, c.depth);
  int32_t blocks = 1;
  for (int32_t i = 0; i < c.depth; ++i) {
    sizes[i] = c.sizes[i];
    blocks *= c.sizes[i];
  }
  return {.args = {Filled<uint8_t>(memory, 4, blocks * c.block_bytes),
                   Output<uint8_t>(memory, c.tuples * c.block_bytes),
                   IndicesOf(c.tuples * c.depth, sizes, c.depth, c.wide, memory), c.tuples, c.depth, sizes,
                   c.block_bytes}};
}

inline constexpr auto kGatherProblems = [](auto& memory, auto& problems) {
  const auto add = [&](int32_t axis_size, int32_t count, int32_t block) {
    problems.Add(GatherProblemOf({"", 2, 3, axis_size, count, block, count % 2 == 0}, memory));
  };
  for (int32_t i = 1; i <= kMaxCount; ++i) {
    add(5, 4, i);
    add(i, 7, 1);
    add(3, i, 2);
  }
};

inline constexpr auto kGatherNdProblems = [](auto& memory, auto& problems) {
  const auto add = [&](int32_t tuples, int32_t depth, int32_t block) {
    problems.Add(GatherNdProblemOf({"", tuples, depth, {3, 3, 3}, block, tuples % 2 == 0}, memory));
  };
  for (int32_t i = 1; i <= kMaxCount; ++i) {
    add(i, 1 + i % 3, 1);
    add(4, 2, i);
  }
};

}  // namespace lutra
