// SPDX-License-Identifier: Apache-2.0
// Rows: how kernels reach the rows of an image, and RowMap: which input rows an operator reads for
// each output row.
//
// The row contract. A kernel that makes output rows [first_row, first_row + row_count) may read and
// write in any order inside that call: the caller ensures that the bytes read and the bytes written in
// one call are disjoint (or, for element-wise kernels, that each element is read before it is written
// in place). The kernel must store nothing outside these output rows. Where the output overlaps an
// input that no later node reads, the caller makes one row at a time, upwards or downwards. Kernels
// need not know of it, but a variant that reads before it writes may be given more rows
// (Variant::rows_at_once).
//
// The rows of a batch have consecutive numbers: row y of image n is row n * height + y.

#pragma once

#include <stdint.h>

namespace lutra {

struct Rows {
  uint8_t* base;
  int32_t row_bytes;

  // Always inline: a file compiled for one instruction set leaves no copy that others could be linked with.
  [[gnu::always_inline]] uint8_t* Row(int32_t r) const { return base + static_cast<intptr_t>(r) * row_bytes; }
};

// The type of kernels that make output rows [first_row, first_row + row_count).
template <typename Args>
using RowsFn = void (*)(const Args& args, const Rows& input, const Rows& output, int32_t first_row,
                        int32_t row_count);

// One per (input, output) of a node, filled by its prepare.
struct RowMap {
  enum class Access : uint8_t {
    kWhole,      // May read anything at any time: memory must be disjoint.
    kRows,       // Output row y reads rows y * stride - pad_before + k * dilation, k < window.
    kSumOfRows,  // The same, and the one output row is made of sums over all input rows. A row group may give
                 // these one by one (EvalContext::row_sum).
    kElementwise,  // Output element i reads element i; both have the same size in bytes.
  };
  Access access = Access::kWhole;
  int32_t in_rows = 0;  // Each image has as many.
  int32_t out_rows = 0;
  int32_t in_row_bytes = 0;
  int32_t out_row_bytes = 0;
  int32_t images = 1;
  int32_t window = 1;
  int32_t stride = 1;
  int32_t dilation = 1;
  int32_t pad_before = 0;  // Negative: the first rows are never read.
};

}  // namespace lutra
