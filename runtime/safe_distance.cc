// SPDX-License-Identifier: Apache-2.0
// Says how close an output may come to the input whose rows it reads.

#include "lutra/kernels/conv_shape.h"
#include "runtime/memory_planner.h"

namespace lutra {
namespace {

// Returns the taps of a window that lie in the image; the first tap of all is at row `top`. Windows and their
// padding have 32 bits.
TapRange TapsOf(const RowMap& map, int64_t top) {
  return TapsInside(static_cast<int32_t>(top), map.window, map.dilation, map.in_rows);
}

// The lowest input row that output row y reads; in_rows if it reads none (padding only).
int64_t LowestRowRead(const RowMap& map, int64_t pad_before, int64_t y) {
  const int64_t top = y * map.stride - pad_before;
  const TapRange taps = TapsOf(map, top);
  return taps.begin < taps.end ? top + int64_t{taps.begin} * map.dilation : map.in_rows;
}

// Making rows upwards, what has been written lies below O + end of the row, and what is still needed
// at or above I + the lowest row that this or a later row reads. With dilation the lowest row is not
// monotone, hence the running minimum from the last row back.
int64_t ForwardDistance(const RowMap& map, int64_t pad_before) {
  const int64_t out_bytes = static_cast<int64_t>(map.out_rows) * map.out_row_bytes;
  const int64_t in_bytes = static_cast<int64_t>(map.in_rows) * map.in_row_bytes;
  int64_t lowest = map.in_rows;
  int64_t distance = INT64_MIN;
  for (int64_t y = map.out_rows - 1; y >= 0; --y) {
    const int64_t row = LowestRowRead(map, pad_before, y);
    if (row < lowest) lowest = row;
    if (lowest >= map.in_rows) continue;  // Nothing is read from here on.
    const int64_t needed = (y + 1) * map.out_row_bytes - lowest * map.in_row_bytes;
    if (needed > distance) distance = needed;
  }
  // A batch repeats the pattern `images` times, shifted by what one image grows.
  const int64_t growth = out_bytes - in_bytes;
  const int64_t later = map.images - 1;
  if (distance == INT64_MIN) return out_bytes * map.images;
  int64_t worst = distance;
  if (later > 0) {
    const int64_t first_needed = lowest * map.in_row_bytes;
    const int64_t candidates[] = {distance + later * growth, growth - first_needed,
                                  later * growth - first_needed};
    for (const int64_t candidate : candidates) {
      if (candidate > worst) worst = candidate;
    }
  }
  return worst;
}

// The padding of the operator that makes the same rows downwards: in the mirror.
int64_t PaddingAfter(const RowMap& map) {
  return static_cast<int64_t>(map.out_rows - 1) * map.stride +
         static_cast<int64_t>(map.window - 1) * map.dilation + 1 - map.in_rows - map.pad_before;
}

int32_t Limit(int64_t distance, int64_t out_bytes) {
  if (distance > out_bytes) distance = out_bytes;
  return distance > INT32_MAX ? INT32_MAX : static_cast<int32_t>(distance);
}

}  // namespace

Overlap SafeDistance(const RowMap& map) {
  if (map.access == RowMap::Access::kWhole) return {};
  if (map.access == RowMap::Access::kElementwise) return {0, 0};
  const int64_t out_bytes = static_cast<int64_t>(map.out_rows) * map.out_row_bytes * map.images;
  // Making rows downwards is making them upwards in the mirrored image, whose first padding is that after
  // ours.
  return {Limit(ForwardDistance(map, map.pad_before), out_bytes),
          Limit(ForwardDistance(map, PaddingAfter(map)), out_bytes)};
}

RowOrder OrderOf(const PlanBuffer& input, const PlanBuffer& output, int32_t forward, int32_t reverse) {
  RowOrder order;
  const int64_t in_end = static_cast<int64_t>(input.offset) + input.bytes;
  const int64_t out_end = static_cast<int64_t>(output.offset) + output.bytes;
  order.disjoint = in_end <= output.offset || out_end <= input.offset;
  order.upwards = order.disjoint || static_cast<int64_t>(input.offset) - output.offset >= forward;
  order.downwards = order.disjoint || out_end - in_end >= reverse;
  order.ok = order.upwards || order.downwards;
  return order;
}

}  // namespace lutra
