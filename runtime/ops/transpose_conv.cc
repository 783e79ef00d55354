// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV: shape of the output int32[4], filter [O, height, width, channels], input [images, height,
// width, channels], bias [O] (optional). The output tensor's shape counts; prepare checks a constant shape
// against it, and each eval a computed one (Keras writes SHAPE, STRIDED_SLICE and PACK).

#include "lutra/kernels/transpose_conv/transpose_conv.h"

#include "lutra/ops/ops.h"
#include "runtime/ops/convolution_int16.h"

namespace lutra {
namespace {

constexpr int kOutputShape = 0;
constexpr ConvolutionInputs kInputs = {.input = 2, .filter = 1, .bias = 3, .quantized_dimension = 0};
constexpr int kImageRank = 4;

Status CheckOutputShape(PrepareContext& context) {
  LUTRA_TRY(RequireType(context, kOutputShape, TensorType::kInt32));
  const TensorInfo info = context.Input(kOutputShape);
  const int32_t count = info.shape.Count();
  if (count != kImageRank) return context.Refuse(Rule::kElementCount, kOutputShape, count, kImageRank);
  if (!info.is_constant()) return Status::kOk;
  Shape shape;
  LUTRA_TRY(ReadConstantInts(context, kOutputShape, kImageRank, shape.dims, &shape.rank));
  return RequireShape(context, OutputOperand(0), shape);
}

// Prepares int16, or int8 and float32, by kTypes.
template <LayerTypes kTypes>
Status Prepare(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(3, 4, 1));
  WindowOptions options;
  LUTRA_TRY(ReadOptions(context, ReadWindowOptions, &options));
  LUTRA_TRY(CheckOutputShape(context));
  Convolution convolution = {};
  ConvShape& shape = convolution.shape;
  LUTRA_TRY(CheckConvolutionOf<kTypes>(context, kInputs, &convolution));
  if (shape.filter_channels != shape.in_channels) {
    return context.Refuse(Rule::kOperandShape, kInputs.filter, shape.filter_channels, shape.in_channels);
  }
  // The padding is that of the convolution from the output to the input.
  options.dilation_h = 1;
  options.dilation_w = 1;
  int32_t height = 0;
  int32_t width = 0;
  LUTRA_TRY(SetWindow(context, kInputs, options, shape.out_height, shape.out_width, &shape, &height, &width));
#if LUTRA_HAVE_INT16
  if constexpr (kTypes == LayerTypes::kInt16) {
    return StoreInt16Convolution(context, kInputs, options.activation, Int16Layer::kTransposeConv,
                                 convolution);
  }
#endif
  return StoreConvolution(context, kInputs, options.activation, convolution, kTransposeConvInt8,
                          kTransposeConvFloat);
}

}  // namespace

Status PrepareTransposeConv(PrepareContext& context) { return Prepare<LayerTypes::kInt8AndFloat>(context); }
#if LUTRA_HAVE_INT16
Status PrepareTransposeConvInt16(PrepareContext& context) { return Prepare<LayerTypes::kInt16>(context); }
#endif

Status CheckComputedShape(const EvalContext& context) {
  if (context.Input(kOutputShape).is_constant()) return Status::kOk;
  const auto* const computed = context.InputData<int32_t>(kOutputShape);
  const Shape shape = context.Output(0).shape;
  for (int axis = 0; axis < kImageRank; ++axis) {
    if (computed[axis] == shape[axis]) continue;
    return context.Refuse(Rule::kRuntimeShape, kOutputShape, computed[axis], shape[axis]);
  }
  return Status::kOk;
}

Status EvalTransposeConv(EvalContext& context) {
  LUTRA_TRY(CheckComputedShape(context));
  return EvalConvolution<TransposeConvFn, TransposeConvFloatFn>(context, kInputs);
}

#if LUTRA_HAVE_INT16
Status EvalTransposeConvInt16(EvalContext& context) {
  LUTRA_TRY(CheckComputedShape(context));
  return EvalInt16Convolution(context, kInputs);
}
#endif

}  // namespace lutra
