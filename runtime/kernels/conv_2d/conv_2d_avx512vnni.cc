// SPDX-License-Identifier: Apache-2.0
// Convolutions with AVX-512 VNNI.

#include "runtime/kernels/conv_2d/conv_2d_dots.h"
#include "runtime/kernels/dot_avx512vnni.h"

namespace lutra {

int32_t PrepareConv2DAvx512Vnni(const Conv2DArgs& args, void* memory) {
  return PrepareConv2DDots<DotAvx512Vnni>(args, memory);
}

int32_t RowsAtOnceConv2DAvx512Vnni(const Conv2DArgs& args) {
  return RowsAtOnceConv2DDots<DotAvx512Vnni>(args);
}

void Conv2DAvx512Vnni(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                      int32_t row_count) {
  RunConv2DDots<DotAvx512Vnni>(args, input, output, first_row, row_count);
}

}  // namespace lutra
