// SPDX-License-Identifier: Apache-2.0
// The avxvnni variants, compiled for AVX512-VNNI: the same code, but for the encoding of vpdpbusd. Processors
// have the one set or the other, and QEMU has neither, so that avxvnni itself runs on few machines that test.

#include "runtime/kernels/batch_matmul/batch_matmul_dots.h"
#include "runtime/kernels/conv_2d/conv_2d_dots.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_dots.h"
#include "runtime/kernels/dot_avxvnni.h"
#include "runtime/kernels/fully_connected/fully_connected_dots.h"
#include "runtime/kernels/transpose_conv/transpose_conv_dots.h"
#include "runtime/testing/dots_as_evex.h"

namespace lutra {

int32_t PrepareConv2DAsEvexAvx512Vnni(const Conv2DArgs& args, void* memory) {
  return PrepareConv2DDots<DotAvxVnni>(args, memory);
}
int32_t RowsAtOnceConv2DAsEvexAvx512Vnni(const Conv2DArgs& args) {
  return RowsAtOnceConv2DDots<DotAvxVnni>(args);
}
void Conv2DAsEvexAvx512Vnni(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                            int32_t row_count) {
  RunConv2DDots<DotAvxVnni>(args, input, output, first_row, row_count);
}

int32_t PrepareDepthwiseConv2DAsEvexAvx512Vnni(const DepthwiseConv2DArgs& args, void* memory) {
  return PrepareDepthwiseConv2DDots<DotAvxVnni>(args, memory);
}
int32_t RowsAtOnceDepthwiseConv2DAsEvexAvx512Vnni(const DepthwiseConv2DArgs& args) {
  return RowsAtOnceDepthwiseConv2DDots<DotAvxVnni>(args);
}
void DepthwiseConv2DAsEvexAvx512Vnni(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                                     int32_t first_row, int32_t row_count) {
  RunDepthwiseConv2DDots<DotAvxVnni>(args, input, output, first_row, row_count);
}

int32_t PrepareFullyConnectedAsEvexAvx512Vnni(const FullyConnectedArgs& args, void* memory) {
  return PrepareFullyConnectedDots<DotAvxVnni>(args, memory);
}
int32_t RowsAtOnceFullyConnectedAsEvexAvx512Vnni(const FullyConnectedArgs& args) {
  return RowsAtOnceFullyConnectedDots<DotAvxVnni>(args);
}
void FullyConnectedAsEvexAvx512Vnni(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                                    int32_t first_row, int32_t row_count) {
  RunFullyConnectedDots<DotAvxVnni>(args, input, output, first_row, row_count);
}

int32_t PrepareTransposeConvAsEvexAvx512Vnni(const TransposeConvArgs& args, void* memory) {
  return PrepareTransposeConvDots<DotAvxVnni>(args, memory);
}
void TransposeConvAsEvexAvx512Vnni(const TransposeConvArgs& args, const Rows& input, const Rows& output,
                                   int32_t first_row, int32_t row_count) {
  RunTransposeConvDots<DotAvxVnni>(args, input, output, first_row, row_count);
}

void MatMulAsEvexAvx512Vnni(const MatMulArgs& args) { RunMatMulDots<DotAvxVnni>(args); }

}  // namespace lutra
