// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the SVDF kernel. Needs no C++ library.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/svdf/svdf.h"
#include "runtime/kernels/conv_cases.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct SvdfCase {
  const char* name;
  int32_t batches;
  int32_t depth;
  int32_t units;
  int32_t rank;
  int32_t memory;
  // Tests set these; benchmarks leave them as they are.
  int16_t input_offset = 128;
  int16_t state_zero_point = 0;
  int16_t output_offset = -128;
  bool with_bias = true;
};

// The last two but one have more than a block of 32 filters and a part of 128 values; one of them only just.
inline constexpr SvdfCase kSvdfCases[] = {
    {"one_value", 1, 1, 1, 1, 1},
    {"rank_2", 2, 16, 3, 2, 8, -127, 0, 119, false},
    {"state_zero_point", 2, 8, 4, 1, 5, -19, -127, 0},
    {"blocks_and_parts", 2, 130, 11, 3, 130, 128, 0, 1},
    {"one_more", 1, 132, 33, 1, 4, 1, 9, -3},
    {"odd", 3, 17, 5, 3, 7, 63, 100, 127},
};

// The layers of a keyword spotter.
inline constexpr SvdfCase kSvdfBenchmarks[] = {
    {"3_1_memory_1", 1, 3, 1, 1, 1},
    {"17_3_memory_3", 1, 17, 3, 2, 3},
    {"96_64_memory_8", 1, 96, 64, 1, 8},
    {"32_32_memory_32", 1, 32, 32, 1, 32},
};

static inline int32_t FilterCount(const SvdfCase& c) { return c.units * c.rank; }
static inline int32_t StateCount(const SvdfCase& c) { return c.batches * FilterCount(c) * c.memory; }

// Returns the numbers of the problem. The caller adds the arrays.
static inline SvdfArgs SvdfArgsOf(const SvdfCase& c, int32_t state_bytes) {
  SvdfArgs args = {};
  args.batches = c.batches;
  args.depth = c.depth;
  args.units = c.units;
  args.rank = c.rank;
  args.memory = c.memory;
  args.input_offset = c.input_offset;
  args.state_zero_point = c.state_zero_point;
  args.output_offset = c.output_offset;
  // The first multiplier gives results about as wide as the state, the second about as wide as int8.
  FillMultipliers(11, c.depth, 1, &args.feature);
  FillMultipliers(12, c.memory * c.rank, 1, &args.time);
  if (state_bytes == 2) {
    args.feature.shift += 8;
    args.time.shift -= 16;
  }
  return args;
}

// The state is an output, too.
template <typename State, typename Memory>
Problem<SvdfArgs> SvdfProblemOf(const SvdfCase& c, Memory& memory) {
  SvdfArgs args = SvdfArgsOf(c, sizeof(State));
  args.input = Filled<int8_t>(memory, 1, c.batches * c.depth);
  args.feature_weights = Filled<int8_t>(memory, 2, FilterCount(c) * c.depth);
  args.time_weights = Filled<State>(memory, 3, FilterCount(c) * c.memory);
  auto* const bias = Data<int32_t>(memory, c.units);
  FillBias(4, c.units, bias);
  args.bias = c.with_bias ? bias : nullptr;
  auto* const state = Output<State>(memory, StateCount(c));
  memcpy(state, Filled<State>(memory, 5, StateCount(c)), static_cast<size_t>(StateCount(c)) * sizeof(State));
  args.state = state;
  args.output = Output<int8_t>(memory, c.batches * c.units);
  return {.args = args};
}

template <typename State>
inline constexpr auto kSvdfProblems = [](auto& memory, auto& problems) {
  const auto add = [&](const SvdfCase& c) { problems.Add(SvdfProblemOf<State>(c, memory)); };
  for (const SvdfCase& c : kSvdfCases) add(c);
  for (int32_t i = 1; i <= kMaxCount; i += 3) {
    add({"depths", 1, i, 3, 2, 4});
    add({"units", 1, 5, i, 1, 3});
    add({"memories", 1, 4, 2, 2, i});
  }
};

}  // namespace lutra
