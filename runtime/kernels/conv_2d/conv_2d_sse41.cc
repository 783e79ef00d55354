// SPDX-License-Identifier: Apache-2.0
// Convolutions with SSE4.1.

#include "runtime/kernels/conv_2d/conv_2d_dots.h"
#include "runtime/kernels/dot_sse41.h"

namespace lutra {

int32_t PrepareConv2DSse41(const Conv2DArgs& args, void* memory) {
  return PrepareConv2DDots<DotSse41>(args, memory);
}

int32_t RowsAtOnceConv2DSse41(const Conv2DArgs& args) { return RowsAtOnceConv2DDots<DotSse41>(args); }

void Conv2DSse41(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                 int32_t row_count) {
  RunConv2DDots<DotSse41>(args, input, output, first_row, row_count);
}

}  // namespace lutra
