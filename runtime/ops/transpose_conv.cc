// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV: shape of the output (constant), filter [O, height, width, channels],
// input [images, height, width, channels], bias [O] (optional).

#include "lutra/kernels/transpose_conv/transpose_conv.h"

#include "lutra/ops/ops.h"
#include "runtime/ops/convolution.h"

namespace lutra {
namespace {

constexpr int kOutputShape = 0;
constexpr ConvolutionInputs kInputs = {.input = 2, .filter = 1, .bias = 3, .quantized_dimension = 0};

Status CheckOutputShape(PrepareContext& context) {
  Shape shape;
  LUTRA_TRY(RequireType(context, kOutputShape, TensorType::kInt32));
  LUTRA_TRY(ReadConstantInts(context, kOutputShape, kMaxRank, shape.dims, &shape.rank));
  return RequireShape(context, OutputOperand(0), shape);
}

}  // namespace

Status PrepareTransposeConv(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(3, 4, 1));
  WindowOptions options;
  if (!ReadWindowOptions(context.node_info(), &options)) {
    return context.Refuse(Rule::kOptionsMissing);
  }
  LUTRA_TRY(CheckOutputShape(context));
  Convolution convolution = {};
  ConvShape& shape = convolution.shape;
  LUTRA_TRY(CheckConvolution(context, kInputs, &convolution));
  if (shape.filter_channels != shape.in_channels) {
    return context.Refuse(Rule::kOperandShape, kInputs.filter, shape.filter_channels, shape.in_channels);
  }
  // The padding is that of the convolution which makes the input from the output.
  options.dilation_h = 1;
  options.dilation_w = 1;
  int32_t height = 0;
  int32_t width = 0;
  LUTRA_TRY(SetWindow(context, kInputs, options, shape.out_height, shape.out_width, &shape, &height, &width));
  return StoreConvolution(context, kInputs, options.activation, convolution, kTransposeConvInt8,
                          kTransposeConvFloat);
}

Status EvalTransposeConv(EvalContext& context) {
  return EvalConvolution<TransposeConvArgs, TransposeConvFn, TransposeConvFloatArgs, TransposeConvFloatFn>(
      context, kInputs);
}

}  // namespace lutra
