// SPDX-License-Identifier: Apache-2.0
// Finds the rows of a copy in memory, for the variants' .cc files.

#pragma once

#include <stdint.h>

#include "lutra/kernels/copy/copy.h"

namespace lutra {

static inline int32_t ClampToCount(int32_t x, int32_t count) { return x < 0 ? 0 : x > count ? count : x; }

// The part of the outermost dimension that lies in rows [first_row, first_row + row_count), and its begin in
// input and output.
struct CopyRows {
  CopyDim dim;
  const uint8_t* input;
  uint8_t* output;
};
static inline CopyRows CopyRowsOf(const CopyArgs& args, int32_t first_row, int32_t row_count) {
  CopyDim rows = args.dims[0];
  const int32_t skipped = ClampToCount(first_row - rows.before, rows.count);
  const int32_t before = ClampToCount(rows.before - first_row, row_count);
  rows.count = ClampToCount(rows.count - skipped, row_count - before);
  rows.before = before;
  rows.after = row_count - before - rows.count;
  return {rows, args.input + skipped * static_cast<intptr_t>(rows.input_stride),
          args.output + first_row * static_cast<intptr_t>(rows.output_stride)};
}

}  // namespace lutra
