// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions with AVX-VNNI.

#include "runtime/kernels/dot_avxvnni.h"
#include "runtime/kernels/transpose_conv/transpose_conv_dots.h"

namespace lutra {

int32_t PrepareTransposeConvAvxVnni(const TransposeConvArgs& args, void* memory) {
  return PrepareTransposeConvDots<DotAvxVnni>(args, memory);
}

void TransposeConvAvxVnni(const TransposeConvArgs& args, const Rows& input, const Rows& output,
                          int32_t first_row, int32_t row_count) {
  RunTransposeConvDots<DotAvxVnni>(args, input, output, first_row, row_count);
}

}  // namespace lutra
