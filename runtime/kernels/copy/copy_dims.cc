// SPDX-License-Identifier: Apache-2.0
// Joins dimensions so that the innermost loops are long.

#include "lutra/kernels/copy/copy.h"

namespace lutra {

int32_t MergeCopyDims(CopyDim* dims, int32_t rank, int32_t fixed, int32_t element_bytes) {
  int32_t merged = fixed;
  for (int32_t i = fixed; i < rank; ++i) {
    const CopyDim dim = dims[i];
    const bool filled = dim.before != 0 || dim.after != 0;
    if (dim.count == 1 && !filled) continue;
    if (merged > fixed && !filled) {
      CopyDim& outer = dims[merged - 1];
      // Strides may have any value that fits int32, and so may their products with a count.
      const bool dense = outer.input_stride == static_cast<int64_t>(dim.input_stride) * dim.count &&
                         outer.output_stride == static_cast<int64_t>(dim.output_stride) * dim.count;
      if (dense) {
        outer = {outer.count * dim.count, dim.input_stride, dim.output_stride, outer.before * dim.count,
                 outer.after * dim.count};
        continue;
      }
    }
    dims[merged++] = dim;
  }
  if (merged == 0) dims[merged++] = {1, element_bytes, element_bytes, 0, 0};
  return merged;
}

}  // namespace lutra
