// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions with SSE4.1.

#include "runtime/kernels/dot_sse41.h"
#include "runtime/kernels/transpose_conv/transpose_conv_dots.h"

namespace lutra {

int32_t PrepareTransposeConvSse41(const TransposeConvArgs& args, void* memory) {
  return PrepareTransposeConvDots<DotSse41>(args, memory);
}

void TransposeConvSse41(const TransposeConvArgs& args, const Rows& input, const Rows& output,
                        int32_t first_row, int32_t row_count) {
  RunTransposeConvDots<DotSse41>(args, input, output, first_row, row_count);
}

}  // namespace lutra
