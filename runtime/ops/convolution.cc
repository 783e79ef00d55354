// SPDX-License-Identifier: Apache-2.0
// Checks that all convolutions share: operands, windows, quantisation.

#include "runtime/ops/convolution.h"

namespace lutra {
namespace {

constexpr int kOutput = OutputOperand(0);

Status CheckTypes(PrepareContext& context, const ConvolutionInputs& inputs, bool* is_float) {
  const TensorType type = context.Input(inputs.input).type;
  *is_float = type == TensorType::kFloat32;
  if (*is_float && context.Input(inputs.filter).type != TensorType::kFloat32) {
    return context.Refuse(Rule::kHybrid, inputs.filter);
  }
  if (!*is_float) LUTRA_TRY(RequireType(context, inputs.input, TensorType::kInt8));
  LUTRA_TRY(RequireType(context, inputs.filter, type));
  LUTRA_TRY(RequireType(context, kOutput, type));
  if (!context.HasInput(inputs.bias)) return Status::kOk;
  return RequireType(context, inputs.bias, *is_float ? type : TensorType::kInt32);
}

}  // namespace

Status CheckConvolution(PrepareContext& context, const ConvolutionInputs& inputs, Convolution* convolution) {
  LUTRA_TRY(CheckTypes(context, inputs, &convolution->is_float));
  return CheckConvolutionShapes(context, inputs, convolution);
}

Status SetWindow(PrepareContext& context, const ConvolutionInputs& inputs, const WindowOptions& options,
                 int32_t height, int32_t width, ConvShape* shape, int32_t* windows_high,
                 int32_t* windows_wide) {
  WindowSize down;
  WindowSize across;
  if (!ComputeWindow(options.padding, height, shape->filter_height, options.stride_h, options.dilation_h,
                     &down) ||
      !ComputeWindow(options.padding, width, shape->filter_width, options.stride_w, options.dilation_w,
                     &across)) {
    return context.Refuse(Rule::kWindow, inputs.filter);
  }
  shape->stride_h = options.stride_h;
  shape->stride_w = options.stride_w;
  shape->dilation_h = options.dilation_h;
  shape->dilation_w = options.dilation_w;
  shape->pad_top = down.pad_before;
  shape->pad_left = across.pad_before;
  *windows_high = down.out;
  *windows_wide = across.out;
  return Status::kOk;
}

Status SlideWindow(PrepareContext& context, const ConvolutionInputs& inputs, const WindowOptions& options,
                   Convolution* convolution) {
  ConvShape& shape = convolution->shape;
  int32_t height = 0;
  int32_t width = 0;
  LUTRA_TRY(SetWindow(context, inputs, options, shape.in_height, shape.in_width, &shape, &height, &width));
  if (shape.out_height != height) {
    return context.Refuse(Rule::kOperandShape, kOutput, shape.out_height, height);
  }
  if (shape.out_width != width) {
    return context.Refuse(Rule::kOperandShape, kOutput, shape.out_width, width);
  }
  int32_t element_bytes = convolution->is_float ? static_cast<int32_t>(sizeof(float)) : 1;
#if LUTRA_HAVE_INT16
  if (convolution->is_int16) element_bytes = sizeof(int16_t);
#endif
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.in_rows = shape.in_height;
  map.out_rows = shape.out_height;
  map.in_row_bytes = shape.in_width * shape.in_channels * element_bytes;
  map.out_row_bytes = shape.out_width * shape.out_channels * element_bytes;
  map.images = convolution->rows / shape.out_height;
  map.window = shape.filter_height;
  map.stride = shape.stride_h;
  map.dilation = shape.dilation_h;
  map.pad_before = shape.pad_top;
  return context.DeclareRows(inputs.input, 0, map);
}

Status PrepareFilterScales(PrepareContext& context, const ConvolutionInputs& inputs, int32_t out_channels,
                           ChannelMultipliers* multipliers) {
  const TensorInfo filter = context.Input(inputs.filter);
  if (filter.scales.size() > 1 && filter.quantized_dimension != inputs.quantized_dimension) {
    return context.Refuse(Rule::kQuantizedDimension, inputs.filter, filter.quantized_dimension,
                          inputs.quantized_dimension);
  }
  return PrepareChannelMultipliers(context, inputs.input, inputs.filter, out_channels, multipliers);
}

Status PrepareQuantization(PrepareContext& context, const ConvolutionInputs& inputs, Activation activation,
                           int32_t out_channels, ConvQuantization* quantization,
                           ChannelMultipliers* multipliers) {
  LUTRA_TRY(RequirePerTensor(context, inputs.input));
  LUTRA_TRY(RequirePerTensor(context, kOutput));
  LUTRA_TRY(PrepareFilterScales(context, inputs, out_channels, multipliers));
  return PrepareConvQuantization(context, inputs.input, activation, quantization);
}

}  // namespace lutra
