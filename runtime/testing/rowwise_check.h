// SPDX-License-Identifier: Apache-2.0
// For tests of kernels that turn each row of `depth` int8 values into as many values by itself.

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "runtime/kernels/test_data.h"
#include "runtime/testing/in_place.h"

namespace lutra {

inline std::vector<uint8_t> AsBytes(const std::vector<int8_t>& codes) { return {codes.begin(), codes.end()}; }

// Returns the output of all rows; fails if anything around it was written.
template <typename Kernel, typename Args>
std::vector<uint8_t> RunRowwise(const Kernel& run, const Args& args, std::vector<uint8_t> input,
                                int32_t output_bytes = 1) {
  constexpr size_t kGuards = 16;
  const std::vector<uint8_t> guard(kGuards, 77);
  std::vector<uint8_t> output(input.size() * output_bytes + 2 * kGuards, 77);
  run(args, Rows{input.data(), args.depth}, Rows{output.data() + kGuards, args.depth * output_bytes}, 0,
      static_cast<int32_t>(input.size()) / args.depth);
  EXPECT_EQ(std::vector<uint8_t>(output.begin(), output.begin() + kGuards), guard);
  EXPECT_EQ(std::vector<uint8_t>(output.end() - kGuards, output.end()), guard);
  return {output.begin() + kGuards, output.end() - kGuards};
}

template <typename Kernel, typename Args>
void CheckRowwiseInPlace(const Kernel& run, const Args& args, int32_t output_bytes = 1) {
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.in_rows = map.out_rows = 5;
  map.in_row_bytes = args.depth;
  map.out_row_bytes = args.depth * output_bytes;
  std::vector<uint8_t> input(map.in_rows * map.in_row_bytes);
  FillBytes(9, static_cast<int32_t>(input.size()), input.data());
  const std::vector<uint8_t> expected = RunRowwise(run, args, input, output_bytes);
  const auto one = [&](const Rows& from, const Rows& to, int32_t row) { run(args, from, to, row, 1); };
  EXPECT_TRUE(RightAtSafeDistance(map, input, expected, one));
  if (run.is_reference()) {
    EXPECT_FALSE(RightTooClose(map, input, expected, one));
  }
}

}  // namespace lutra
