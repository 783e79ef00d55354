// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D: input [images, height, width, channels], filter [1, height, width, O],
// bias [O] (optional). O is a multiple of the channels.

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"

#include "lutra/ops/ops.h"
#include "runtime/ops/convolution.h"
#include "runtime/ops/convolution_uint8.h"

namespace lutra {
namespace {

constexpr ConvolutionInputs kInputs = {.input = 0, .filter = 1, .bias = 2, .quantized_dimension = 3};

// Prepares uint8, or int8 and float32.
template <bool kIsUint8>
Status Prepare(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 3, 1));
  WindowOptions options;
  LUTRA_TRY(ReadOptions(context, ReadWindowOptions, &options));
  Convolution convolution = {};
  ConvShape& shape = convolution.shape;
  LUTRA_TRY(kIsUint8 ? CheckConvolutionShapes(context, kInputs, &convolution)
                     : CheckConvolution(context, kInputs, &convolution));
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
  if constexpr (kIsUint8) return StoreUint8Convolution(context, options.activation, convolution, true);
#endif
  return StoreConvolution(context, kInputs, options.activation, convolution, kDepthwiseConv2DInt8,
                          kDepthwiseConv2DFloat);
}

}  // namespace

Status PrepareDepthwiseConv2D(PrepareContext& context) { return Prepare<false>(context); }
#if LUTRA_HAVE_UINT8
Status PrepareDepthwiseConv2DUint8(PrepareContext& context) { return Prepare<true>(context); }
#endif

Status EvalDepthwiseConv2D(EvalContext& context) {
  return EvalConvolution<DepthwiseConv2DFn, DepthwiseConv2DFloatFn>(context, kInputs);
}

}  // namespace lutra
