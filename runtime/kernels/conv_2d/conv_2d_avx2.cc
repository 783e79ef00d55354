// SPDX-License-Identifier: Apache-2.0
// Convolutions with AVX2.

#include "runtime/kernels/conv_2d/conv_2d_dots.h"
#include "runtime/kernels/dot_avx2.h"

namespace lutra {

int32_t PrepareConv2DAvx2(const Conv2DArgs& args, void* memory) {
  return PrepareConv2DDots<DotAvx2>(args, memory);
}

int32_t RowsAtOnceConv2DAvx2(const Conv2DArgs& args) { return RowsAtOnceConv2DDots<DotAvx2>(args); }

void Conv2DAvx2(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                int32_t row_count) {
  RunConv2DDots<DotAvx2>(args, input, output, first_row, row_count);
}

}  // namespace lutra
