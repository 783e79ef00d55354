// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions with AVX2.

#include "runtime/kernels/dot_avx2.h"
#include "runtime/kernels/transpose_conv/transpose_conv_dots.h"

namespace lutra {

int32_t PrepareTransposeConvAvx2(const TransposeConvArgs& args, void* memory) {
  return PrepareTransposeConvDots<DotAvx2>(args, memory);
}

void TransposeConvAvx2(const TransposeConvArgs& args, const Rows& input, const Rows& output,
                       int32_t first_row, int32_t row_count) {
  RunTransposeConvDots<DotAvx2>(args, input, output, first_row, row_count);
}

}  // namespace lutra
