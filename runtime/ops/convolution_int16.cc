// SPDX-License-Identifier: Apache-2.0
// Code that CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV of int16 by int8 weights share.

#include "runtime/ops/convolution_int16.h"

#if LUTRA_HAVE_INT16

namespace lutra {
namespace {

constexpr int kOutput = OutputOperand(0);

struct Int16Convolution {
  static constexpr BoardRecord kBoardRecord = {84, 84};

  Convolution base;
  int16_t min;
  int16_t max;
  bool depthwise;
  bool wide;
  uint8_t bias_bytes;
  ChannelMultipliers multipliers;
  Conv2DInt16Fn run;
};

// The type of the biases sets the width of sums.
Status CheckBias(PrepareContext& context, const ConvolutionInputs& inputs, Int16Layer layer,
                 Int16Convolution* data) {
  data->wide = true;
  data->bias_bytes = sizeof(int64_t);
  if (!context.HasInput(inputs.bias)) {
    data->wide = layer != Int16Layer::kConv2D || !HasInt32Sums(context.node_info());
    return Status::kOk;
  }
  const TensorType type = context.Input(inputs.bias).type;
  if (type == TensorType::kInt32 && layer == Int16Layer::kConv2D) {
    data->wide = false;
    data->bias_bytes = sizeof(int32_t);
  } else if (type == TensorType::kInt16 && layer == Int16Layer::kTransposeConv) {
    data->bias_bytes = sizeof(int16_t);
  } else {
    LUTRA_TRY(RequireType(context, inputs.bias, TensorType::kInt64));
  }
  return RequireWideBias(context, inputs.bias);
}

}  // namespace

Status CheckInt16Convolution(PrepareContext& context, const ConvolutionInputs& inputs,
                             Convolution* convolution) {
  LUTRA_TRY(RequireSymmetricInt16(context, inputs.input));
  LUTRA_TRY(RequireType(context, inputs.filter, TensorType::kInt8));
  LUTRA_TRY(RequireSymmetricInt16(context, kOutput));
  convolution->is_int16 = true;
  return CheckConvolutionShapes(context, inputs, convolution);
}

Status StoreInt16Convolution(PrepareContext& context, const ConvolutionInputs& inputs, Activation activation,
                             Int16Layer layer, const Convolution& convolution) {
  Int16Convolution* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->base = convolution;
  data->depthwise = layer == Int16Layer::kDepthwiseConv2D;
  const bool transposed = layer == Int16Layer::kTransposeConv;
  data->run = transposed ? context.Choose(kTransposeConvInt16) : context.Choose(kConv2DInt16);
  LUTRA_TRY(CheckBias(context, inputs, layer, data));
  const ConvShape& shape = convolution.shape;
  const int64_t products = int64_t{shape.filter_height} * shape.filter_width * shape.filter_channels;
  constexpr int kProductBits = 22;
  LUTRA_TRY(RequireWideProducts(context, inputs.filter, products, kProductBits));
  LUTRA_TRY(PrepareFilterScales(context, inputs, shape.out_channels, &data->multipliers));
  if (data->wide) LUTRA_TRY(RequireWideMultipliers(context, inputs.input, inputs.filter));
  ActivationRange range;
  LUTRA_TRY(Int16ActivationRange(context, activation, &range));
  data->min = static_cast<int16_t>(range.min);
  data->max = static_cast<int16_t>(range.max);
  return Status::kOk;
}

Status EvalInt16Convolution(EvalContext& context, const ConvolutionInputs& inputs) {
  const auto& data = context.Data<Int16Convolution>();
  const ConvShape& shape = data.base.shape;
  const Conv2DInt16Args args = {
      .shape = &shape,
      .first_channel = 0,
      .channel_count = shape.out_channels,
      .activation_min = data.min,
      .activation_max = data.max,
      .depthwise = data.depthwise,
      .wide = data.wide,
      .filter = context.InputData<int8_t>(inputs.filter),
      .bias = {context.InputData<void>(inputs.bias), data.bias_bytes},
      .multipliers =
          EvalChannelMultipliers(context, inputs.input, inputs.filter, shape.out_channels, data.multipliers),
  };
  constexpr int32_t kBytes = sizeof(int16_t);
  const Rows input = context.InputRows(inputs.input, shape.in_width * shape.in_channels * kBytes);
  const Rows output = context.OutputRows(0, shape.out_width * shape.out_channels * kBytes);
  context.ForEachRows(data.base.rows, [&](int32_t first_row, int32_t row_count) {
    data.run(args, input, output, first_row, row_count);
  });
  return Status::kOk;
}

// CONV_2D and DEPTHWISE_CONV_2D have their operands at the same places.
Status EvalConvolutionInt16(EvalContext& context) {
  return EvalInt16Convolution(context, {.input = 0, .filter = 1, .bias = 2, .quantized_dimension = 0});
}

}  // namespace lutra

#endif
