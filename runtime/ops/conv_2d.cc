// SPDX-License-Identifier: Apache-2.0
// CONV_2D: input [images, height, width, channels], filter [O, height, width, channels / groups],
// bias [O] (optional). The number of groups follows from the shapes.

#include "lutra/kernels/conv_2d/conv_2d.h"

#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/convolution.h"
#include "runtime/ops/convolution_int16.h"
#include "runtime/ops/convolution_uint8.h"

namespace lutra {
namespace {

constexpr ConvolutionInputs kInputs = {.input = 0, .filter = 1, .bias = 2, .quantized_dimension = 0};

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
  if (shape.in_channels % shape.filter_channels != 0) {
    return context.Refuse(Rule::kOperandShape, kInputs.filter, shape.filter_channels, shape.in_channels);
  }
  const int32_t groups = shape.in_channels / shape.filter_channels;
  if (shape.out_channels % groups != 0) {
    return context.Refuse(Rule::kOperandShape, kInputs.filter, shape.out_channels, groups);
  }
  LUTRA_TRY(SlideWindow(context, kInputs, options, &convolution));
#if LUTRA_HAVE_UINT8
  if constexpr (kTypes == LayerTypes::kUint8) {
    return StoreUint8Convolution(context, options.activation, convolution, false);
  }
#endif
#if LUTRA_HAVE_INT16
  if constexpr (kTypes == LayerTypes::kInt16) {
    return StoreInt16Convolution(context, kInputs, options.activation, Int16Layer::kConv2D, convolution);
  }
#endif
  if constexpr (kTypes == LayerTypes::kInt8) {
    return StoreInt8Convolution(context, kInputs, options.activation, convolution, kConv2DInt8);
  }
  return StoreConvolution(context, kInputs, options.activation, convolution, kConv2DInt8, kConv2DFloat);
}

}  // namespace

Status PrepareConv2D(PrepareContext& context) { return Prepare<LayerTypes::kInt8AndFloat>(context); }
Status PrepareConv2DInt8Only(PrepareContext& context) { return Prepare<LayerTypes::kInt8>(context); }
#if LUTRA_HAVE_UINT8
Status PrepareConv2DUint8(PrepareContext& context) { return Prepare<LayerTypes::kUint8>(context); }
#endif
#if LUTRA_HAVE_INT16
Status PrepareConv2DInt16(PrepareContext& context) { return Prepare<LayerTypes::kInt16>(context); }
#endif

Status EvalConv2D(EvalContext& context) { return EvalConvolution<Conv2DFn, Conv2DFloatFn>(context, kInputs); }

Status EvalConv2DInt8Only(EvalContext& context) {
  return EvalConvolution<Conv2DFn, Conv2DFloatFn, false>(context, kInputs);
}

}  // namespace lutra
