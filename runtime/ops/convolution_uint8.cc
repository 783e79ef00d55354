// SPDX-License-Identifier: Apache-2.0
// CONV_2D and DEPTHWISE_CONV_2D of uint8: one kernel computes both.

#include "runtime/ops/convolution_uint8.h"

#if LUTRA_HAVE_UINT8

namespace lutra {
namespace {

struct Uint8Convolution {
  static constexpr BoardRecord kBoardRecord = {92, 92};

  Convolution base;
  Uint8Quantization quantization;
  Multiplier multiplier;
  Conv2DUint8Fn run;
  bool depthwise;
};

}  // namespace

Status StoreUint8Convolution(PrepareContext& context, Activation activation, const Convolution& convolution,
                             bool depthwise) {
  Uint8Convolution* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->base = convolution;
  data->depthwise = depthwise;
  double factor = 0;
  LUTRA_TRY(PrepareUint8Layer(context, activation, false, &data->quantization, &factor));
  data->multiplier = QuantizeMultiplier(factor);
  data->run = context.Choose(kConv2DUint8);
  return Status::kOk;
}

Status EvalConvolutionUint8(EvalContext& context) {
  const auto& data = context.Data<Uint8Convolution>();
  const ConvShape& shape = data.base.shape;
  const Conv2DUint8Args args = {
      .shape = &shape,
      .first_channel = 0,
      .channel_count = shape.out_channels,
      .quantization = data.quantization,
      .depthwise = data.depthwise,
      .filter = context.InputData<uint8_t>(1),
      .bias = context.InputData<int32_t>(2),
      .multiplier = data.multiplier,
  };
  const Rows input = context.InputRows(0, shape.in_width * shape.in_channels);
  const Rows output = context.OutputRows(0, shape.out_width * shape.out_channels);
  context.ForEachRows(data.base.rows, [&](int32_t first_row, int32_t row_count) {
    data.run(args, input, output, first_row, row_count);
  });
  return Status::kOk;
}

}  // namespace lutra

#endif
