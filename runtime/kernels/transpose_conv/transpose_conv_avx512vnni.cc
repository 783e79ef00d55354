// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions with AVX512-VNNI.

#include "runtime/kernels/dot_avx512vnni.h"
#include "runtime/kernels/transpose_conv/transpose_conv_dots.h"

namespace lutra {

int32_t PrepareTransposeConvAvx512Vnni(const TransposeConvArgs& args, void* memory) {
  return PrepareTransposeConvDots<DotAvx512Vnni>(args, memory);
}

void TransposeConvAvx512Vnni(const TransposeConvArgs& args, const Rows& input, const Rows& output,
                             int32_t first_row, int32_t row_count) {
  RunTransposeConvDots<DotAvx512Vnni>(args, input, output, first_row, row_count);
}

}  // namespace lutra
