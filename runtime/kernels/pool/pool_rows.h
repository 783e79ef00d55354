// SPDX-License-Identifier: Apache-2.0
// The loops around a pool, shared by the reference kernels.

#pragma once

#include <stdint.h>

#include "lutra/kernels/pool/pool.h"
#include "lutra/kernels/rows.h"

namespace lutra {

// Channels whose state is kept at a time: enough for the compiler's vectors, and little stack.
inline constexpr int32_t kPoolBlock = 64;

// The taps [begin, end), within [0, size), of a window that starts at `origin`.
struct PoolTaps {
  int32_t begin;
  int32_t end;
};
static inline PoolTaps PoolTapsInside(int32_t origin, int32_t window, int32_t size) {
  return {origin < 0 ? -origin : 0, window < size - origin ? window : size - origin};
}

// For each output element: state = start, then state = add(state, element) for each element of the
// window, then output = finish(state, number of elements).
template <typename Element, typename State, typename Add, typename Finish>
static inline void PoolRows(const PoolShape& shape, const Rows& input, const Rows& output, int32_t first_row,
                            int32_t row_count, State start, const Add& add, const Finish& finish) {
  const int32_t depth = shape.depth;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t first_in_row = row / shape.out_height * shape.in_height;
    const int32_t top = row % shape.out_height * shape.stride_h - shape.pad_top;
    const PoolTaps tall = PoolTapsInside(top, shape.filter_height, shape.in_height);
    auto* out = reinterpret_cast<Element*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width; ++x, out += depth) {
      const int32_t left = x * shape.stride_w - shape.pad_left;
      const PoolTaps wide = PoolTapsInside(left, shape.filter_width, shape.in_width);
      const int32_t count = (tall.end - tall.begin) * (wide.end - wide.begin);
      for (int32_t first = 0; first < depth; first += kPoolBlock) {
        const int32_t channels = depth - first < kPoolBlock ? depth - first : kPoolBlock;
        State states[kPoolBlock];
        for (int32_t c = 0; c < channels; ++c) states[c] = start;
        for (int32_t ky = tall.begin; ky < tall.end; ++ky) {
          const auto* in = reinterpret_cast<const Element*>(input.Row(first_in_row + top + ky)) + first +
                           static_cast<intptr_t>(left + wide.begin) * depth;
          for (int32_t kx = wide.begin; kx < wide.end; ++kx, in += depth) {
            for (int32_t c = 0; c < channels; ++c) states[c] = add(states[c], in[c]);
          }
        }
        for (int32_t c = 0; c < channels; ++c) out[first + c] = finish(states[c], count);
      }
    }
  }
}

}  // namespace lutra
