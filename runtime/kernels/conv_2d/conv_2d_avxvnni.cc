// SPDX-License-Identifier: Apache-2.0
// Convolutions with AVX-VNNI.

#include "runtime/kernels/conv_2d/conv_2d_dots.h"
#include "runtime/kernels/dot_avxvnni.h"

namespace lutra {

int32_t PrepareConv2DAvxVnni(const Conv2DArgs& args, void* memory) {
  return PrepareConv2DDots<DotAvxVnni>(args, memory);
}

int32_t RowsAtOnceConv2DAvxVnni(const Conv2DArgs& args) { return RowsAtOnceConv2DDots<DotAvxVnni>(args); }

void Conv2DAvxVnni(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                   int32_t row_count) {
  RunConv2DDots<DotAvxVnni>(args, input, output, first_row, row_count);
}

}  // namespace lutra
