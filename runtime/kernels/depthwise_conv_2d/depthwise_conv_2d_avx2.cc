// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with AVX2.

#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_dots.h"
#include "runtime/kernels/dot_avx2.h"

namespace lutra {

int32_t PrepareDepthwiseConv2DAvx2(const DepthwiseConv2DArgs& args, void* memory) {
  return PrepareDepthwiseConv2DDots<DotAvx2>(args, memory);
}

int32_t RowsAtOnceDepthwiseConv2DAvx2(const DepthwiseConv2DArgs& args) {
  return RowsAtOnceDepthwiseConv2DDots<DotAvx2>(args);
}

void DepthwiseConv2DAvx2(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                         int32_t first_row, int32_t row_count) {
  RunDepthwiseConv2DDots<DotAvx2>(args, input, output, first_row, row_count);
}

}  // namespace lutra
