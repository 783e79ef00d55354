// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D: input [images, height, width, channels], filter [1, height, width, O],
// bias [O] (optional). O is a multiple of the channels.

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"

#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/convolution.h"
#include "runtime/ops/convolution_int16.h"
#include "runtime/ops/convolution_uint8.h"

namespace lutra {
namespace {

constexpr ConvolutionInputs kInputs = {.input = 0, .filter = 1, .bias = 2, .quantized_dimension = 3};

template <LayerTypes kTypes>
Status Prepare(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 3, 1));
  WindowOptions options;
  LUTRA_TRY(ReadOptions(context, ReadWindowOptions, &options));
  Convolution convolution = {};
  ConvShape& shape = convolution.shape;
  if constexpr (kTypes == LayerTypes::kInt8)
    LUTRA_TRY(RequireType(context, kInputs.input, TensorType::kInt8));
  LUTRA_TRY(CheckConvolutionOf<kTypes>(context, kInputs, &convolution));
  shape.filter_channels = 1;
  const int32_t filters = context.Input(kInputs.filter).shape[0];
  if (filters != 1) return context.Refuse(Rule::kOperandShape, kInputs.filter, filters, 1);
  if (shape.out_channels % shape.in_channels != 0) {
    return context.Refuse(Rule::kOperandShape, kInputs.filter, shape.out_channels, shape.in_channels);
  }
  const int32_t multiplier = shape.out_channels / shape.in_channels;
  if (options.depth_multiplier != multiplier) {
    return context.Refuse(Rule::kOptionValue, kInputs.filter, options.depth_multiplier, multiplier);
  }
  LUTRA_TRY(SlideWindow(context, kInputs, options, &convolution));
#if LUTRA_HAVE_UINT8
  if constexpr (kTypes == LayerTypes::kUint8) {
    return StoreUint8Convolution(context, options.activation, convolution, true);
  }
#endif
#if LUTRA_HAVE_INT16
  if constexpr (kTypes == LayerTypes::kInt16) {
    return StoreInt16Convolution(context, kInputs, options.activation, Int16Layer::kDepthwiseConv2D,
                                 convolution);
  }
#endif
  if constexpr (kTypes == LayerTypes::kInt8) {
    return StoreInt8Convolution(context, kInputs, options.activation, convolution, kDepthwiseConv2DInt8);
  }
  return StoreConvolution(context, kInputs, options.activation, convolution, kDepthwiseConv2DInt8,
                          kDepthwiseConv2DFloat);
}

}  // namespace

Status PrepareDepthwiseConv2D(PrepareContext& context) { return Prepare<LayerTypes::kInt8AndFloat>(context); }
Status PrepareDepthwiseConv2DInt8Only(PrepareContext& context) { return Prepare<LayerTypes::kInt8>(context); }
#if LUTRA_HAVE_UINT8
Status PrepareDepthwiseConv2DUint8(PrepareContext& context) { return Prepare<LayerTypes::kUint8>(context); }
#endif
#if LUTRA_HAVE_INT16
Status PrepareDepthwiseConv2DInt16(PrepareContext& context) { return Prepare<LayerTypes::kInt16>(context); }
#endif

Status EvalDepthwiseConv2D(EvalContext& context) {
  return EvalConvolution<DepthwiseConv2DFn, DepthwiseConv2DFloatFn>(context, kInputs);
}

Status EvalDepthwiseConv2DInt8Only(EvalContext& context) {
  return EvalConvolution<DepthwiseConv2DFn, DepthwiseConv2DFloatFn, false>(context, kInputs);
}

}  // namespace lutra
