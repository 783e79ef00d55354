// SPDX-License-Identifier: Apache-2.0
// Copies dimension by dimension; the innermost with the C library's functions if it is dense.

#include <string.h>

#include "lutra/kernels/copy/copy.h"
#include "runtime/kernels/copy/copy_rows.h"

namespace lutra {
namespace {

bool OneByteRepeats(const CopyArgs& args) {
  for (int32_t i = 1; i < args.element_bytes; ++i) {
    if (args.fill[i] != args.fill[0]) return false;
  }
  return true;
}

void Fill(const CopyArgs& args, intptr_t bytes, uint8_t* output) {
  if (bytes == 0) return;
  if (OneByteRepeats(args)) {
    memset(output, args.fill[0], static_cast<size_t>(bytes));
    return;
  }
  for (intptr_t i = 0; i < bytes; i += args.element_bytes) {
    memcpy(output + i, args.fill, static_cast<size_t>(args.element_bytes));
  }
}

template <typename Element>
void CopyStrided(const CopyDim& dim, const uint8_t* input, uint8_t* output) {
  const intptr_t input_stride = dim.input_stride;
  const intptr_t output_stride = dim.output_stride;
  for (int32_t i = 0; i < dim.count; ++i) {
    memcpy(output + i * output_stride, input + i * input_stride, sizeof(Element));
  }
}

// Copies the elements of the innermost dimension.
void CopyRun(const CopyArgs& args, const CopyDim& dim, const uint8_t* input, uint8_t* output) {
  if (dim.input_stride == args.element_bytes && dim.output_stride == args.element_bytes) {
    memcpy(output, input, static_cast<size_t>(dim.count) * static_cast<size_t>(args.element_bytes));
    return;
  }
  switch (args.element_bytes) {
    case 1:
      return CopyStrided<uint8_t>(dim, input, output);
    case 2:
      return CopyStrided<uint16_t>(dim, input, output);
    case 4:
      return CopyStrided<uint32_t>(dim, input, output);
    default:
      return CopyStrided<uint64_t>(dim, input, output);
  }
}

// Copies dimension d and all inside it. Recurses at most kMaxCopyRank deep.
void CopyDimension(const CopyArgs& args, int32_t d, const CopyDim& dim, const uint8_t* input,
                   uint8_t* output) {
  const intptr_t input_stride = dim.input_stride;
  const intptr_t output_stride = dim.output_stride;
  Fill(args, dim.before * output_stride, output);
  output += dim.before * output_stride;
  if (d + 1 == args.rank) {
    CopyRun(args, dim, input, output);
  } else {
    const CopyDim& inner = args.dims[d + 1];
    for (int32_t i = 0; i < dim.count; ++i) {
      CopyDimension(args, d + 1, inner, input + i * input_stride, output + i * output_stride);
    }
  }
  Fill(args, dim.after * output_stride, output + dim.count * output_stride);
}

}  // namespace

void CopyRef(const CopyArgs& args, int32_t first_row, int32_t row_count) {
  const CopyRows rows = CopyRowsOf(args, first_row, row_count);
  if (args.rank == 2 && row_count > 1) {
    // Prepare keeps rows apart that lie one behind the other; those of one call are one run.
    CopyDim dims[] = {rows.dim, args.dims[1]};
    CopyArgs joined = args;
    joined.rank = MergeCopyDims(dims, 2, 0, args.element_bytes);
    joined.dims = dims;
    CopyDimension(joined, 0, dims[0], rows.input, rows.output);
    return;
  }
  CopyDimension(args, 0, rows.dim, rows.input, rows.output);
}

}  // namespace lutra
