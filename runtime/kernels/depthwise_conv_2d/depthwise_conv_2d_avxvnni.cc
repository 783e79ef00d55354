// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with AVX-VNNI.

#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_dots.h"
#include "runtime/kernels/dot_avxvnni.h"

namespace lutra {

int32_t PrepareDepthwiseConv2DAvxVnni(const DepthwiseConv2DArgs& args, void* memory) {
  return PrepareDepthwiseConv2DDots<DotAvxVnni>(args, memory);
}

int32_t RowsAtOnceDepthwiseConv2DAvxVnni(const DepthwiseConv2DArgs& args) {
  return RowsAtOnceDepthwiseConv2DDots<DotAvxVnni>(args);
}

void DepthwiseConv2DAvxVnni(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                            int32_t first_row, int32_t row_count) {
  RunDepthwiseConv2DDots<DotAvxVnni>(args, input, output, first_row, row_count);
}

}  // namespace lutra
