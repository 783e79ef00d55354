// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the fully connected kernels. Needs no C++ library.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "lutra/kernels/rows.h"
#include "runtime/kernels/conv_cases.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct FullyConnectedCase {
  const char* name;
  int32_t rows;
  int32_t depth;
  int32_t channels;
  // Tests set these; benchmarks leave them as they are.
  int8_t input_zero_point = -128;
  int8_t output_zero_point = 3;
  int8_t activation_min = -128;
  int8_t activation_max = 127;
  bool with_bias = true;
  bool one_multiplier = true;
  bool hostile = false;  // FillHostileChannels.
};

// Depths are near the length of a vector and of the reference's parts, channels near its blocks.
inline constexpr FullyConnectedCase kFullyConnectedCases[] = {
    {"one_value", 1, 1, 1},
    {"many_rows_of_one", 37, 1, 8, -1, -1},
    {"odd", 3, 17, 5, 0, 0, -128, 127, false},
    {"without_bias_per_channel", 2, 40, 8, 127, -66, -128, 127, false, false},
    {"per_channel_blocks", 1, 33, 71, 126, 127, -128, 127, true, false},
    {"relu", 2, 64, 32, 5, -20, -20, 90},
    {"part", 2, 256, 33, -128, 0},
    {"part_and_one", 1, 257, 33, 44, -91, -128, 127, true, false},
    {"long", 2, 1027, 4, 127, 126},
    {"beyond_int32", 1, 66000, 3, 127, -128, -128, 127, false},
};

// The layers of MLPerf Tiny's anomaly detection, and long and short ones.
inline constexpr FullyConnectedCase kFullyConnectedBenchmarks[] = {
    {"640_to_128", 1, 640, 128},   {"128_to_128", 1, 128, 128}, {"128_to_8", 1, 128, 8},
    {"8_to_128", 1, 8, 128},       {"128_to_640", 1, 128, 640}, {"25088_to_32", 1, 25088, 32},
    {"12544_to_10", 3, 12544, 10}, {"8_to_1024", 1, 8, 1024},   {"1024_to_8", 1, 1024, 8},
    {"3_to_5", 1, 3, 5},           {"17_to_130", 3, 17, 130},
};

static inline ConvQuantization QuantizationOf(const FullyConnectedCase& c) {
  return {static_cast<int16_t>(-c.input_zero_point), c.output_zero_point, c.activation_min, c.activation_max};
}

static inline RowMap RowMapOf(const FullyConnectedCase& c, int32_t element_bytes) {
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.in_rows = c.rows;
  map.out_rows = c.rows;
  map.in_row_bytes = c.depth * element_bytes;
  map.out_row_bytes = c.channels * element_bytes;
  return map;
}

Problem<FullyConnectedArgs> FullyConnectedProblemOf(const FullyConnectedCase& c, int32_t first_row,
                                                    auto& memory) {
  auto* const input = Filled<uint8_t>(memory, 1, c.rows * c.depth);
  auto* const weights = Filled<int8_t>(memory, 2, c.channels * c.depth);
  if (c.depth > 60000) {  // Sums do not fit int32.
    memset(input, 0x80, static_cast<size_t>(c.rows * c.depth));
    memset(weights, 0x80, static_cast<size_t>(c.channels * c.depth));
  }
  auto* const bias = Data<int32_t>(memory, c.channels);
  FillBias(3, c.channels, bias);
  auto* const multipliers = Data<Multiplier>(memory, c.channels);
  FillMultipliers(4, c.depth, c.channels, multipliers);
  if (c.hostile) {
    FillHostileChannels(static_cast<uint32_t>(c.depth * 64 + c.channels), c.channels, bias, multipliers);
    for (int32_t i = 1; c.one_multiplier && i < c.channels; ++i) multipliers[i] = multipliers[0];
    ShowLeftShifts({c.depth, c.depth, 1}, c.channels, multipliers, bias, weights);
  }
  return {.args = {c.depth, c.channels, QuantizationOf(c), weights, c.with_bias ? bias : nullptr, multipliers,
                   c.one_multiplier},
          .first = first_row,
          .count = c.rows - first_row,
          .input = RowsOf(input, c.depth),
          .output = RowsOf(Output<uint8_t>(memory, c.rows * c.channels), c.channels)};
}

// Packed weights, which references read as bytes; with `pack_bias`, also packed biases.
Problem<FullyConnectedPackedArgs> FullyConnectedPackedProblemOf(const FullyConnectedCase& c, bool pack_bias,
                                                                int32_t first_row, auto& memory) {
  const Problem<FullyConnectedArgs> plain = FullyConnectedProblemOf(c, first_row, memory);
  const int32_t count = c.channels * c.depth;
  const auto* const stream = Filled<uint8_t>(memory, 5, (count + 1) / 2);
  const auto* const values = Filled<uint8_t>(memory, 6, kPackedValues);
  auto* const weights = Data<uint8_t>(memory, count);
  UnpackIndices(stream, 4, values, 0, count, weights);
  auto* const pairs = Data<uint32_t>(memory, kPackedPairs);
  FillPairs(values, 0, pairs);
  Problem<FullyConnectedPackedArgs> problem = {
      .args = {plain.args, {stream, pairs}, {nullptr, nullptr}},
      .first = plain.first,
      .count = plain.count,
      .input = plain.input,
      .output = plain.output,
  };
  problem.args.weights = reinterpret_cast<const int8_t*>(weights);
  if (!pack_bias) return problem;
  const auto* const indices = Filled<uint8_t>(memory, 7, (c.channels + 1) / 2);
  auto* const table = Data<int32_t>(memory, kPackedValues);
  FillBias(8, kPackedValues, table);
  auto* const bias = Data<int32_t>(memory, c.channels);
  UnpackIndices(indices, 4, table, 0, c.channels, bias);
  problem.args.bias = bias;
  problem.args.biases = {indices, reinterpret_cast<const uint8_t*>(table)};
  return problem;
}

Problem<FullyConnectedFloatArgs> FullyConnectedFloatProblemOf(const FullyConnectedCase& c, int32_t first_row,
                                                              auto& memory) {
  auto* const weights = Filled<float>(memory, 2, c.channels * c.depth);
  auto* const bias = c.with_bias ? Filled<float>(memory, 3, c.channels) : nullptr;
  return {.args = {c.depth, c.channels, weights, bias, -1.5f, 6.0f},
          .first = first_row,
          .count = c.rows - first_row,
          .input = RowsOf(Filled<float>(memory, 1, c.rows * c.depth), c.depth),
          .output = RowsOf(Output<float>(memory, c.rows * c.channels), c.channels)};
}

inline constexpr auto kFullyConnectedProblems = [](auto& memory, auto& problems) {
  const auto add = [&](const FullyConnectedCase& c) {
    problems.Add(FullyConnectedProblemOf(c, FirstRow(problems.count(), c.rows), memory));
  };
  for (const FullyConnectedCase& c : kFullyConnectedCases) add(c);
  for (int32_t i = 1; i <= kMaxCount; ++i) {
    add({"depths", 2, i, 13, 7});
    add({"channels", 2, 19, i, 0, 0, -100, 100, true, false});
  }
  uint32_t seed = random_problems_seed;
  const auto below = [&](uint32_t limit) { return static_cast<int32_t>((NextRandom(&seed) >> 4) % limit); };
  for (int32_t i = 0; i < 60; ++i) {
    FullyConnectedCase c = {"random", 1 + below(2), 1 + below(150), 1 + below(40)};
    if (below(2) == 0) c.depth = c.depth / 4 * 4 + 4;
    c.input_zero_point = static_cast<int8_t>(below(256) - 128);
    c.output_zero_point = static_cast<int8_t>(below(256) - 128);
    if (below(2) == 0) c.activation_min = c.output_zero_point;
    c.with_bias = below(8) != 0;
    c.one_multiplier = below(2) == 0;
    c.hostile = below(3) != 0;
    add(c);
  }
};

// Layers of packed weights have four channels or more, and depths of whole words.
inline constexpr auto kFullyConnectedPackedProblems = [](auto& memory, auto& problems) {
  const auto add = [&](const FullyConnectedCase& c) {
    const int32_t n = problems.count();
    const bool pack_bias = c.with_bias && n / 2 % 2 == 0;
    problems.Add(FullyConnectedPackedProblemOf(c, pack_bias, FirstRow(n, c.rows), memory));
  };
  for (int32_t i = 4; i <= kMaxCount; ++i)
    add({"channels", 2, 20, i, 0, 0, -100, 100, i % 3 != 0, i % 2 == 0});
  for (int32_t depth = 4; depth <= 140; depth += 4) add({"depths", 2, depth, 5, 7});
  add({"parts", 1, 1032, 37, 44, -91});
  uint32_t seed = random_problems_seed;
  const auto below = [&](uint32_t limit) { return static_cast<int32_t>((NextRandom(&seed) >> 4) % limit); };
  for (int32_t i = 0; i < 60; ++i) {
    FullyConnectedCase c = {"random", 1 + below(3), 4 + 4 * below(80), 4 + below(70)};
    c.input_zero_point = static_cast<int8_t>(below(256) - 128);
    c.output_zero_point = static_cast<int8_t>(below(256) - 128);
    if (below(2) == 0) c.activation_min = c.output_zero_point;
    c.with_bias = below(8) != 0;
    c.one_multiplier = below(2) == 0;
    c.hostile = below(3) != 0;
    add(c);
  }
};

inline constexpr auto kFullyConnectedFloatProblems = [](auto& memory, auto& problems) {
  const auto add = [&](FullyConnectedCase c) {
    c.with_bias = c.depth % 2 != 0;
    problems.Add(FullyConnectedFloatProblemOf(c, FirstRow(problems.count(), c.rows), memory));
  };
  for (int32_t i = 1; i <= kMaxCount; i += 2) {
    add({"depths", 2, i, 5});
    add({"channels", 2, 9, i});
  }
  add({"long", 1, 257, 8});
};

}  // namespace lutra
