// SPDX-License-Identifier: Apache-2.0
// What the operators that slide filters over images share: CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV.

#pragma once

#include <stdint.h>

#include "lutra/kernels/conv_args.h"
#include "runtime/ops/channel_multipliers.h"
#include "runtime/ops/common.h"
#include "runtime/ops/prepared_layer.h"

namespace lutra {

// Numbers of the inputs. The bias may be left out.
struct ConvolutionInputs {
  int input;
  int filter;
  int bias;
  int quantized_dimension;  // The filter's dimension of output channels.
};

// Eval needs these of every type. The persistent data of a node is an Int8Convolution or a FloatConvolution.
struct Convolution {
  ConvShape shape;
  int32_t rows;  // The output's rows, of all images together.
  bool is_float;
#if LUTRA_HAVE_INT16
  bool is_int16;
#endif
};

template <typename Fn>
struct Int8Convolution {
  static constexpr BoardRecord kBoardRecord = {.reference = 84, .armdsp = 96, .mve = 100};

  Convolution base;
  ConvQuantization quantization;
  [[no_unique_address]] RowsAtOnce<KernelArgs<Fn>> at_once;
  ChannelMultipliers multipliers;
  LayerKernel<Fn> kernel;
};

template <typename Fn>
struct FloatConvolution {
  static constexpr BoardRecord kBoardRecord = {80, 80};

  Convolution base;
  FloatRange range;
  Fn run;
};

// In prepare: all operands have the types of an int8 or of a float32 convolution, input, filter and
// output have four dimensions, and the bias has a value for each output channel. Fills what of
// `convolution` follows from that: all of the shape but strides, dilations and padding.
Status CheckConvolution(PrepareContext& context, const ConvolutionInputs& inputs, Convolution* convolution);

// The types that an operator takes.
enum class LayerTypes : uint8_t { kInt8AndFloat, kInt8, kUint8, kInt16 };

// Does the same, but leaves the types unchecked.
[[gnu::always_inline]] inline Status CheckConvolutionShapes(PrepareContext& context,
                                                            const ConvolutionInputs& inputs,
                                                            Convolution* convolution) {
  constexpr int kOutput = OutputOperand(0);
  constexpr int kImageRank = 4;
  LUTRA_TRY(RequireRank(context, inputs.input, kImageRank, kImageRank));
  LUTRA_TRY(RequireRank(context, inputs.filter, kImageRank, kImageRank));
  LUTRA_TRY(RequireRank(context, kOutput, kImageRank, kImageRank));
  const Shape input = context.Input(inputs.input).shape;
  const Shape filter = context.Input(inputs.filter).shape;
  const Shape output = context.Output(0).shape;
  ConvShape& shape = convolution->shape;
  shape.in_height = input[1];
  shape.in_width = input[2];
  shape.in_channels = input[3];
  shape.out_height = output[1];
  shape.out_width = output[2];
  shape.out_channels = filter[inputs.quantized_dimension];
  shape.filter_height = filter[1];
  shape.filter_width = filter[2];
  shape.filter_channels = filter[3];
  convolution->rows = output[0] * output[1];
  if (output[0] != input[0]) return context.Refuse(Rule::kOperandShape, kOutput, output[0], input[0]);
  if (output[3] != shape.out_channels) {
    return context.Refuse(Rule::kOperandShape, kOutput, output[3], shape.out_channels);
  }
  if (!context.HasInput(inputs.bias)) return Status::kOk;
  const int32_t bias_count = context.Input(inputs.bias).shape.Count();
  if (bias_count == shape.out_channels) return Status::kOk;
  return context.Refuse(Rule::kOperandShape, inputs.bias, bias_count, shape.out_channels);
}

// In prepare: sets strides, dilations and padding of windows on an image of height x width, of which
// *windows_high x *windows_wide fit.
Status SetWindow(PrepareContext& context, const ConvolutionInputs& inputs, const WindowOptions& options,
                 int32_t height, int32_t width, ConvShape* shape, int32_t* windows_high,
                 int32_t* windows_wide);

// In prepare: the same for windows on the input that make one output pixel each, which must be the
// size of the output; each output row is made from the input rows under its windows.
Status SlideWindow(PrepareContext& context, const ConvolutionInputs& inputs, const WindowOptions& options,
                   Convolution* convolution);

// In prepare: makes the multipliers of the channels, by the filter's scales.
Status PrepareFilterScales(PrepareContext& context, const ConvolutionInputs& inputs, int32_t out_channels,
                           ChannelMultipliers* multipliers);

// In prepare: sets the quantisation of an int8 convolution.
Status PrepareQuantization(PrepareContext& context, const ConvolutionInputs& inputs, Activation activation,
                           int32_t out_channels, ConvQuantization* quantization,
                           ChannelMultipliers* multipliers);

// In prepare: allocates the node's data for `convolution` with the kernel that fits, and what int8
// and float32 need besides.
template <typename Fn, int N>
Status StoreInt8Convolution(PrepareContext& context, const ConvolutionInputs& inputs, Activation activation,
                            const Convolution& convolution, const Variant<Fn> (&int8_variants)[N]) {
  Int8Convolution<Fn>* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->base = convolution;
  data->kernel.run = ChooseAtOnce(context, int8_variants);
  LUTRA_TRY(PrepareQuantization(context, inputs, activation, convolution.shape.out_channels,
                                &data->quantization, &data->multipliers));
  const auto make_args = [&](const KnownValues& known) -> KernelArgs<Fn> {
    return {.shape = &data->base.shape,
            .first_channel = 0,
            .channel_count = convolution.shape.out_channels,
            .quantization = data->quantization,
            .filter = known.weights,
            .bias = known.bias,
            .multipliers = data->multipliers.stored()};
  };
  const int32_t images = convolution.rows / convolution.shape.out_height;
  return ChooseByArgs(context, int8_variants, {inputs.filter, inputs.bias, inputs.quantized_dimension},
                      make_args, images, &data->kernel, &data->at_once);
}

// Does the same for a convolution of either type.
template <typename Fn, int N, typename FloatFn, int M>
Status StoreConvolution(PrepareContext& context, const ConvolutionInputs& inputs, Activation activation,
                        const Convolution& convolution, const Variant<Fn> (&int8_variants)[N],
                        const Variant<FloatFn> (&float_variants)[M]) {
  if (!convolution.is_float) {
    return StoreInt8Convolution(context, inputs, activation, convolution, int8_variants);
  }
  FloatConvolution<FloatFn>* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->base = convolution;
  data->run = context.Choose(float_variants);
  return FloatActivationRange(context, activation, &data->range);
}

// In eval of a TRANSPOSE_CONV: the shape of the output, if it is computed, is the output tensor's.
Status CheckComputedShape(const EvalContext& context);

// Eval of all of them; without float32 where the operator takes int8 alone.
template <typename Fn, typename FloatFn, bool kHasFloat = true>
Status EvalConvolution(EvalContext& context, const ConvolutionInputs& inputs) {
  const auto& convolution = context.Data<Convolution>();
  const ConvShape& shape = convolution.shape;
  const bool is_float = kHasFloat && convolution.is_float;
  const int32_t element_bytes = is_float ? static_cast<int32_t>(sizeof(float)) : 1;
  const Rows input = context.InputRows(inputs.input, shape.in_width * shape.in_channels * element_bytes);
  const Rows output = context.OutputRows(0, shape.out_width * shape.out_channels * element_bytes);
  if (is_float) {
    const auto& data = context.Data<FloatConvolution<FloatFn>>();
    const ConvFloatArgs args = {
        .shape = &shape,
        .filter = context.InputData<float>(inputs.filter),
        .bias = context.InputData<float>(inputs.bias),
        .activation_min = data.range.min,
        .activation_max = data.range.max,
    };
    context.ForEachRows(convolution.rows, [&](int32_t first_row, int32_t row_count) {
      data.run(args, input, output, first_row, row_count);
    });
    return Status::kOk;
  }
  const auto& data = context.Data<Int8Convolution<Fn>>();
  KernelArgs<Fn> args = {
      .shape = &shape,
      .first_channel = 0,
      .channel_count = shape.out_channels,
      .quantization = data.quantization,
      .filter = context.InputData<int8_t>(inputs.filter),
      .bias = context.InputData<int32_t>(inputs.bias),
      .multipliers =
          EvalChannelMultipliers(context, inputs.input, inputs.filter, shape.out_channels, data.multipliers),
  };
  data.kernel.prepared.GiveTo(&args);
  data.kernel.scratch.GiveTo(context, &args);
  const auto run = [&](int32_t first_row, int32_t row_count) {
    data.kernel.run(args, input, output, first_row, row_count);
  };
  context.ForEachRows(convolution.rows, run, data.at_once.rows * data.kernel.scratch.RowsAtOnce(args));
  return Status::kOk;
}

}  // namespace lutra
