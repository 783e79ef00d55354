// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the reductions. Needs no C++ library.

#pragma once

#include <string.h>

#include "lutra/kernels/reduce/reduce.h"
#include "runtime/kernels/problem.h"

namespace lutra {

// Dimensions of more than one element, alternately kept and reduced.
struct ReduceCase {
  const char* name;
  int32_t rank;
  int32_t dims[6];
  bool reduced_first;
  bool lowest = false;  // All elements are -128.
};

inline constexpr ReduceCase kReduceCases[] = {
    {"nothing", 0, {}, false},
    {"kept", 1, {70}, false},
    {"all", 1, {77}, true},
    {"last", 2, {5, 33}, false},
    {"first", 2, {33, 5}, true},
    {"beyond_one_block", 3, {2, 6, 131}, false},
    {"first_and_last", 3, {4, 3, 7}, true},
    {"in_turn", 4, {3, 4, 5, 6}, false},
    {"many", 6, {2, 3, 2, 5, 3, 4}, true},
    {"beyond_int16", 2, {700, 5}, true, true},
    {"in_runs_beyond_int16", 4, {30, 2, 20, 5}, true, true},
};

inline constexpr ReduceCase kReduceBenchmarks[] = {
    {"3_of_1", 1, {3}, true},
    {"9_times_3", 2, {9, 3}, true},
    {"2_times_17", 2, {2, 17}, true},
    {"1_of_17", 2, {1, 17}, false},
    {"3_of_130", 2, {3, 130}, false},
    {"49_times_64", 2, {49, 64}, true},
    {"49_times_1280", 2, {49, 1280}, true},
    {"2304_times_16", 2, {2304, 16}, true},
    {"64_of_1024", 2, {64, 1024}, false},
};

static inline int32_t ElementCount(const ReduceCase& c) {
  int32_t count = 1;
  for (int32_t i = 0; i < c.rank; ++i) count *= c.dims[i];
  return count;
}
static inline bool IsReduced(const ReduceCase& c, int32_t i) { return (i % 2 == 0) == c.reduced_first; }
static inline int32_t OutputCount(const ReduceCase& c) {
  int32_t count = 1;
  for (int32_t i = 0; i < c.rank; ++i) count *= IsReduced(c, i) ? 1 : c.dims[i];
  return count;
}

// `dims` has room for 2 * kMaxReduceRank.
static inline ReduceShape ReduceShapeOf(const ReduceCase& c, ReduceDim* dims) {
  ReduceShape shape = {dims, dims + kMaxReduceRank, 0, 0};
  int32_t stride = ElementCount(c);
  for (int32_t i = 0; i < c.rank; ++i) {
    stride /= c.dims[i];
    if (IsReduced(c, i)) {
      dims[kMaxReduceRank + shape.reduced_rank++] = {c.dims[i], stride};
    } else {
      dims[shape.kept_rank++] = {c.dims[i], stride};
    }
  }
  return shape;
}

template <typename Element, typename Memory>
Problem<ReduceArgs> ReduceProblemOf(const ReduceCase& c, Memory& memory) {
  const int32_t reduced = ElementCount(c) / OutputCount(c);
  auto* const input = Filled<Element>(memory, 3, ElementCount(c));
  if (c.lowest) memset(input, 0x80, static_cast<size_t>(ElementCount(c)) * sizeof(Element));
  return {.args = {.shape = ReduceShapeOf(c, Data<ReduceDim>(memory, 2 * kMaxReduceRank)),
                   .input = input,
                   .output = Output<Element>(memory, OutputCount(c)),
                   .sum_offset = 7 * reduced,
                   .multiplier = QuantizeMultiplier(1.25 / reduced),
                   .output_offset = -11,
                   .scale = 0.125f}};
}

template <typename Element>
inline constexpr auto kReduceProblems = [](auto& memory, auto& problems) {
  const auto add = [&](const ReduceCase& c) { problems.Add(ReduceProblemOf<Element>(c, memory)); };
  for (const ReduceCase& c : kReduceCases) add(c);
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    add({"last", 2, {3, count}, false});
    add({"first", 2, {5, count}, true});
  }
};

}  // namespace lutra
