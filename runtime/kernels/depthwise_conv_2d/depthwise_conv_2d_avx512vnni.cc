// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with AVX-512 VNNI.

#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_dots.h"
#include "runtime/kernels/dot_avx512vnni.h"

namespace lutra {

int32_t PrepareDepthwiseConv2DAvx512Vnni(const DepthwiseConv2DArgs& args, void* memory) {
  return PrepareDepthwiseConv2DDots<DotAvx512Vnni>(args, memory);
}

int32_t RowsAtOnceDepthwiseConv2DAvx512Vnni(const DepthwiseConv2DArgs& args) {
  return RowsAtOnceDepthwiseConv2DDots<DotAvx512Vnni>(args);
}

void DepthwiseConv2DAvx512Vnni(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                               int32_t first_row, int32_t row_count) {
  RunDepthwiseConv2DDots<DotAvx512Vnni>(args, input, output, first_row, row_count);
}

}  // namespace lutra
