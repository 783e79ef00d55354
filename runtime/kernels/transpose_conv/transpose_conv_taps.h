// SPDX-License-Identifier: Apache-2.0
// The walk over the input pixels that one output pixel of a transposed convolution uses.

#pragma once

#include <stdint.h>

#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"

namespace lutra {

// Calls add(input pixel, tap) for each tap, numbered ky * filter_width + kx, that has an input pixel.
// `image_row`: the first row of the image; (y, x): the output pixel plus the padding.
template <typename Element, typename Add>
static inline void ForEachSource(const ConvShape& shape, const Rows& input, int32_t image_row, int32_t y,
                                 int32_t x, const Add& add) {
  // The higher up an input row is, the later is its tap; likewise for columns.
  const int32_t first_y = y / shape.stride_h;
  const int32_t first_x = x / shape.stride_w;
  for (int32_t in_y = first_y < shape.in_height ? first_y : shape.in_height - 1; in_y >= 0; --in_y) {
    const int32_t ky = y - in_y * shape.stride_h;
    if (ky >= shape.filter_height) return;
    const auto* row = reinterpret_cast<const Element*>(input.Row(image_row + in_y));
    for (int32_t in_x = first_x < shape.in_width ? first_x : shape.in_width - 1; in_x >= 0; --in_x) {
      const int32_t kx = x - in_x * shape.stride_w;
      if (kx >= shape.filter_width) break;
      add(row + in_x * shape.in_channels, ky * shape.filter_width + kx);
    }
  }
}

}  // namespace lutra
