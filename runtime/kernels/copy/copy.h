// SPDX-License-Identifier: Apache-2.0
// Copies a box of elements from one place to another, with fill around it:
//
//   output[i0, i1, ...] = input[i0 - before0, i1 - before1, ...]   inside the box,
//                         fill                                     elsewhere
//
// for 0 <= i < before + count + after in each dimension. Input and output each have a stride per
// dimension, so that this one kernel transposes, slices, reverses, pads, broadcasts and
// interleaves.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"

namespace lutra {

inline constexpr int32_t kMaxCopyRank = 8;

struct CopyDim {
  int32_t count;          // Elements copied. 0: fill only.
  int32_t input_stride;   // In bytes. 0 repeats an element, a negative stride reverses.
  int32_t output_stride;  // In bytes. If before or after is not 0, the output is dense inside.
  int32_t before;         // Elements of fill before the copied ones.
  int32_t after;          // Elements of fill behind the copied ones.
};

struct CopyArgs {
  const uint8_t* input;   // The first element of the box.
  uint8_t* output;        // Element 0 of the output, which may be fill.
  const CopyDim* dims;    // From the outermost, as MergeCopyDims leaves them.
  int32_t rank;           // 1 to kMaxCopyRank.
  int32_t element_bytes;  // 1, 2, 4 or 8.
  uint8_t fill[8];        // One element, in the first element_bytes bytes.
};

// Writes elements [first_row, first_row + row_count) of the outermost dimension, whose fill counts, too.
using CopyFn = void (*)(const CopyArgs& args, int32_t first_row, int32_t row_count);

Kernel<CopyFn> CopyRef, CopySse41, CopyAvx2;

inline constexpr Variant<CopyFn> kCopy[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, CopyAvx2},
    {"sse41", kCpuSse41, CopySse41},
#endif
    {"ref", kCpuAny, CopyRef},
};

// For prepare: drops dimensions of one element and joins dimensions that are dense in both input and output,
// so that the innermost loop is as long as possible. The first `fixed` dimensions stay as they are. Returns
// the new rank, at least 1. `dims` has room for kMaxCopyRank.
int32_t MergeCopyDims(CopyDim* dims, int32_t rank, int32_t fixed, int32_t element_bytes);

}  // namespace lutra
