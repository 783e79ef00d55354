// SPDX-License-Identifier: Apache-2.0
// For tests of kernels that compute rows: runs a kernel with its output over its input, with one row or a few
// in each call, as the interpreter does if the memory plan says so.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lutra/kernels/rows.h"
#include "runtime/memory_planner.h"

namespace lutra {

// Upwards: the output begins `distance` bytes before the input. Downwards: it ends `distance` bytes after the
// input. run(input, output, first, count) computes rows, `step` at a time. Returns the output.
template <typename Run>
std::vector<uint8_t> RunInPlace(const RowMap& map, const std::vector<uint8_t>& input, int32_t distance,
                                bool downwards, int32_t step, const Run& run) {
  const int32_t rows = map.images * map.out_rows;
  const int32_t in_bytes = map.images * map.in_rows * map.in_row_bytes;
  const int32_t out_bytes = rows * map.out_row_bytes;
  const int32_t input_at = (in_bytes + out_bytes + 15) / 16 * 16;
  const int32_t output_at = downwards ? input_at + in_bytes + distance - out_bytes : input_at - distance;
  std::vector<uint8_t> memory(input_at + 2 * (in_bytes + out_bytes), 0x5A);
  std::copy(input.begin(), input.end(), memory.begin() + input_at);
  const Rows from = {memory.data() + input_at, map.in_row_bytes};
  const Rows to = {memory.data() + output_at, map.out_row_bytes};
  for (int32_t done = 0; done < rows; done += step) {
    const int32_t count = std::min(step, rows - done);
    run(from, to, downwards ? rows - done - count : done, count);
  }
  return {memory.begin() + output_at, memory.begin() + output_at + out_bytes};
}

// Returns whether both directions are right at exactly the safe distance.
template <typename Run>
bool RightAtSafeDistance(const RowMap& map, const std::vector<uint8_t>& input,
                         const std::vector<uint8_t>& expected, int32_t step, const Run& run) {
  const Overlap overlap = SafeDistance(map);
  return RunInPlace(map, input, overlap.forward, false, step, run) == expected &&
         RunInPlace(map, input, overlap.reverse, true, step, run) == expected;
}
// run(input, output, row) computes one row.
template <typename Run>
bool RightAtSafeDistance(const RowMap& map, const std::vector<uint8_t>& input,
                         const std::vector<uint8_t>& expected, const Run& run) {
  return RightAtSafeDistance(
      map, input, expected, 1,
      [&](const Rows& from, const Rows& to, int32_t row, int32_t) { run(from, to, row); });
}

// Runs downwards, 16 bytes closer than the safe distance: a kernel that computes its rows from left to right
// overwrites input that it still needs.
template <typename Run>
bool RightTooClose(const RowMap& map, const std::vector<uint8_t>& input, const std::vector<uint8_t>& expected,
                   const Run& run) {
  const auto make = [&](const Rows& from, const Rows& to, int32_t row, int32_t) { run(from, to, row); };
  return RunInPlace(map, input, SafeDistance(map).reverse - 16, true, 1, make) == expected;
}

}  // namespace lutra
