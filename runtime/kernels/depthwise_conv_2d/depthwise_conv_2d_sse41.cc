// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with SSE4.1.

#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_dots.h"
#include "runtime/kernels/dot_sse41.h"

namespace lutra {

int32_t PrepareDepthwiseConv2DSse41(const DepthwiseConv2DArgs& args, void* memory) {
  return PrepareDepthwiseConv2DDots<DotSse41Of<2>>(args, memory);
}

int32_t RowsAtOnceDepthwiseConv2DSse41(const DepthwiseConv2DArgs& args) {
  return RowsAtOnceDepthwiseConv2DDots<DotSse41Of<2>>(args);
}

void DepthwiseConv2DSse41(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                          int32_t first_row, int32_t row_count) {
  RunDepthwiseConv2DDots<DotSse41Of<2>>(args, input, output, first_row, row_count);
}

}  // namespace lutra
