// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED: input, weights [channels, depth], bias (optional). The input is read as rows of `depth`
// values, whatever its shape; keep_num_dims changes only the output's shape.

#include "lutra/kernels/fully_connected/fully_connected.h"

#include <stdint.h>

#include "lutra/kernels/fully_connected_int16/fully_connected_int16.h"
#include "lutra/kernels/fully_connected_uint8/fully_connected_uint8.h"
#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/channel_multipliers.h"
#include "runtime/ops/common.h"
#include "runtime/ops/fully_connected.h"
#include "runtime/ops/int16.h"
#include "runtime/ops/prepared_layer.h"
#include "runtime/ops/uint8.h"

namespace lutra {
namespace {

constexpr int kInput = 0;
constexpr int kWeights = 1;
constexpr int kBias = 2;
constexpr int kOutput = OutputOperand(0);

struct FloatFullyConnected {
  static constexpr BoardRecord kBoardRecord = {32, 32};

  FullyConnectedLayer layer;
  FloatRange range;
  FullyConnectedFloatFn run;
};

Status PrepareShapes(PrepareContext& context, FullyConnectedLayer* layer) {
  LUTRA_TRY(RequireRank(context, kWeights, 2, 2));
  const Shape weights = context.Input(kWeights).shape;
  const Shape output = context.Output(0).shape;
  const int32_t input_count = context.Input(kInput).shape.Count();
  layer->rows = output.OuterCount();
  layer->channels = weights[0];
  layer->depth = weights[1];
  if (output.Depth() != layer->channels) {
    return context.Refuse(Rule::kOperandShape, kOutput, output.Depth(), layer->channels);
  }
  if (int64_t{layer->rows} * layer->depth != input_count) {
    return context.Refuse(Rule::kOperandShape, kInput, input_count);
  }
  if (context.HasInput(kBias)) {
    const int32_t bias_count = context.Input(kBias).shape.Count();
    if (bias_count != layer->channels) {
      return context.Refuse(Rule::kOperandShape, kBias, bias_count, layer->channels);
    }
  }
  return Status::kOk;
}

Status DeclareBatchRows(PrepareContext& context, const FullyConnectedLayer& layer, int32_t element_bytes) {
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.in_rows = layer.rows;
  map.out_rows = layer.rows;
  map.in_row_bytes = layer.depth * element_bytes;
  map.out_row_bytes = layer.channels * element_bytes;
  return context.DeclareRows(kInput, 0, map);
}

// Checks the bias scale: its difference from the product of the scales of input and weights counts in units
// of the output.
Status CheckBiasScale(PrepareContext& context) {
  const bool is_near = IsProductNear(context.Input(kInput).scale, context.Input(kWeights).scale,
                                     context.Input(kBias).scale, context.Output(0).scale);
  return is_near ? Status::kOk : context.Refuse(Rule::kBiasScale, kBias);
}

[[gnu::always_inline]] inline Status RequireZeroPointsOfZero(PrepareContext& context) {
  const TensorInfo weights = context.Input(kWeights);
  for (int32_t i = 0; i < weights.zero_points.size(); ++i) {
    if (weights.zero_points[i] != 0) {
      return context.Refuse(Rule::kZeroPointZero, kWeights, weights.zero_point, 0);
    }
  }
  return Status::kOk;
}

Status CheckInt8Operands(PrepareContext& context) {
  LUTRA_TRY(RequireType(context, kInput, TensorType::kInt8));
  LUTRA_TRY(RequireType(context, kWeights, TensorType::kInt8));
  LUTRA_TRY(RequireType(context, kOutput, TensorType::kInt8));
  LUTRA_TRY(RequirePerTensor(context, kInput));
  LUTRA_TRY(RequirePerTensor(context, kOutput));
  if (context.HasInput(kBias)) LUTRA_TRY(RequireType(context, kBias, TensorType::kInt32));
  return RequireZeroPointsOfZero(context);
}

// `multipliers`: null if they are made at each eval.
Status ChooseInt8(PrepareContext& context, const Multiplier* multipliers, FullyConnectedLayer* layer,
                  LayerKernel<FullyConnectedFn>* kernel) {
  const auto make_args = [&](const KnownValues& known) -> FullyConnectedArgs {
    FullyConnectedArgs args = {.depth = layer->depth,
                               .channels = layer->channels,
                               .quantization = layer->quantization,
                               .weights = known.weights,
                               .bias = known.bias,
                               .multipliers = multipliers,
                               .one_multiplier = layer->kind == FullyConnectedLayer::Kind::kPerTensor};
#if LUTRA_HAVE_STREAMING_LAYERS
    args.rows = layer->rows;
#endif
    return args;
  };
  return ChooseByArgs(context, kFullyConnectedInt8, {kWeights, kBias, 0}, make_args, 1, kernel,
                      &layer->at_once);
}

Status PrepareInt8(PrepareContext& context, Activation activation) {
  LUTRA_TRY(CheckInt8Operands(context));
  const FullyConnectedFn run = ChooseAtOnce(context, kFullyConnectedInt8);
  LayerKernel<FullyConnectedFn>* kernel = nullptr;
  const Multiplier* multipliers = nullptr;
  FullyConnectedLayer* layer = nullptr;
  FullyConnectedLayer::Kind kind = FullyConnectedLayer::Kind::kPerTensor;
  const TensorInfo weights = context.Input(kWeights);
  if (weights.scales.size() > 1) {
    if (weights.quantized_dimension != 0) {
      return context.Refuse(Rule::kQuantizedDimension, kWeights, weights.quantized_dimension, 0);
    }
    LUTRA_TRY(RequireRank(context, kWeights, 2, 2));
    PerChannelFullyConnected* data = nullptr;
    LUTRA_TRY(context.AllocateData(&data));
    LUTRA_TRY(PrepareChannelMultipliers(context, kInput, kWeights, weights.shape[0], &data->multipliers));
    data->kernel.run = run;
    kernel = &data->kernel;
    multipliers = data->multipliers.stored();
    layer = &data->layer;
    kind = FullyConnectedLayer::Kind::kPerChannel;
  } else {
    LUTRA_TRY(RequirePerTensor(context, kWeights));
    if (context.HasInput(kBias)) LUTRA_TRY(CheckBiasScale(context));
    PerTensorFullyConnected* data = nullptr;
    LUTRA_TRY(context.AllocateData(&data));
    // The product of the scales is rounded to float32, but not the products of channels' scales.
    const float product = context.Input(kInput).scale * weights.scale;
    LUTRA_TRY(RequireMultiplier(context, kWeights, ScaleRatio(1.0f, context.Output(0).scale), product,
                                &data->multiplier));
    data->kernel.run = run;
    kernel = &data->kernel;
    multipliers = &data->multiplier;
    layer = &data->layer;
  }
  layer->kind = kind;
  LUTRA_TRY(PrepareConvQuantization(context, kInput, activation, &layer->quantization));
  LUTRA_TRY(PrepareShapes(context, layer));
  LUTRA_TRY(ChooseInt8(context, multipliers, layer, kernel));
  return DeclareBatchRows(context, *layer, sizeof(int8_t));
}

Status PrepareFloat(PrepareContext& context, Activation activation) {
  if (context.Input(kWeights).type != TensorType::kFloat32) {
    return context.Refuse(Rule::kHybrid, kWeights);
  }
  LUTRA_TRY(RequireType(context, kOutput, TensorType::kFloat32));
  if (context.HasInput(kBias)) LUTRA_TRY(RequireType(context, kBias, TensorType::kFloat32));
  FloatFullyConnected* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->layer.kind = FullyConnectedLayer::Kind::kFloat;
  data->run = context.Choose(kFullyConnectedFloat);
  LUTRA_TRY(FloatActivationRange(context, activation, &data->range));
  LUTRA_TRY(PrepareShapes(context, &data->layer));
  return DeclareBatchRows(context, data->layer, sizeof(float));
}

void EvalFloat(EvalContext& context) {
  const auto& data = context.Data<FloatFullyConnected>();
  const FullyConnectedLayer& layer = data.layer;
  const FullyConnectedFloatArgs args = {
      .depth = layer.depth,
      .channels = layer.channels,
      .weights = context.InputData<float>(kWeights),
      .bias = context.InputData<float>(kBias),
      .activation_min = data.range.min,
      .activation_max = data.range.max,
  };
  const Rows input = context.InputRows(kInput, layer.depth * static_cast<int32_t>(sizeof(float)));
  const Rows output = context.OutputRows(0, layer.channels * static_cast<int32_t>(sizeof(float)));
  context.ForEachRows(layer.rows,
                      [&](int32_t first, int32_t count) { data.run(args, input, output, first, count); });
}

void EvalInt8(EvalContext& context) {
  const auto& layer = context.Data<FullyConnectedLayer>();
  FullyConnectedArgs args = {
      .depth = layer.depth,
      .channels = layer.channels,
      .quantization = layer.quantization,
      .weights = context.InputData<int8_t>(kWeights),
      .bias = context.InputData<int32_t>(kBias),
      .multipliers = nullptr,
      .one_multiplier = layer.kind == FullyConnectedLayer::Kind::kPerTensor,
  };
  FullyConnectedFn run;
  if (args.one_multiplier) {
    const auto& data = context.Data<PerTensorFullyConnected>();
    args.multipliers = &data.multiplier;
    data.kernel.prepared.GiveTo(&args);
    data.kernel.scratch.GiveTo(context, &args);
    run = data.kernel.run;
  } else {
    const auto& data = context.Data<PerChannelFullyConnected>();
    args.multipliers = EvalChannelMultipliers(context, kInput, kWeights, layer.channels, data.multipliers);
    data.kernel.prepared.GiveTo(&args);
    data.kernel.scratch.GiveTo(context, &args);
    run = data.kernel.run;
  }
  const Rows input = context.InputRows(kInput, layer.depth);
  const Rows output = context.OutputRows(0, layer.channels);
  const auto make = [&](int32_t first, int32_t count) { run(args, input, output, first, count); };
  context.ForEachRows(layer.rows, make, layer.at_once.rows);
}

template <bool kHasFloat>
Status Prepare(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 3, 1));
  FullyConnectedOptions options;
  LUTRA_TRY(ReadOptions(context, ReadFullyConnectedOptions, &options));
  if (options.shuffled_weights) return context.Refuse(Rule::kOptionValue, kWeights);
  if (kHasFloat && context.Input(kInput).type == TensorType::kFloat32) {
    return PrepareFloat(context, options.activation);
  }
  return PrepareInt8(context, options.activation);
}

}  // namespace

Status PrepareFullyConnected(PrepareContext& context) { return Prepare<true>(context); }
Status PrepareFullyConnectedInt8Only(PrepareContext& context) { return Prepare<false>(context); }

Status EvalFullyConnected(EvalContext& context) {
  if (context.Data<FullyConnectedLayer>().kind == FullyConnectedLayer::Kind::kFloat) {
    EvalFloat(context);
  } else {
    EvalInt8(context);
  }
  return Status::kOk;
}

Status EvalFullyConnectedInt8Only(EvalContext& context) {
  EvalInt8(context);
  return Status::kOk;
}

#if LUTRA_HAVE_UINT8
namespace {

struct Uint8FullyConnected {
  static constexpr BoardRecord kBoardRecord = {48, 48, 8};

  FullyConnectedLayer layer;
  Uint8Quantization quantization;
  double factor;
  FullyConnectedUint8Fn run;
};

}  // namespace

Status PrepareFullyConnectedUint8(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 3, 1));
  FullyConnectedOptions options;
  LUTRA_TRY(ReadOptions(context, ReadFullyConnectedOptions, &options));
  if (options.shuffled_weights) return context.Refuse(Rule::kOptionValue, kWeights);
  Uint8FullyConnected* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  LUTRA_TRY(PrepareUint8Layer(context, options.activation, true, &data->quantization, &data->factor));
  data->run = context.Choose(kFullyConnectedUint8);
  LUTRA_TRY(PrepareShapes(context, &data->layer));
  return DeclareBatchRows(context, data->layer, sizeof(uint8_t));
}

Status EvalFullyConnectedUint8(EvalContext& context) {
  const auto& data = context.Data<Uint8FullyConnected>();
  const FullyConnectedLayer& layer = data.layer;
  const FullyConnectedUint8Args args = {
      .depth = layer.depth,
      .channels = layer.channels,
      .quantization = data.quantization,
      .weights = context.InputData<uint8_t>(kWeights),
      .bias = context.InputData<int32_t>(kBias),
      .factor = data.factor,
  };
  const Rows input = context.InputRows(kInput, layer.depth);
  const Rows output = context.OutputRows(0, layer.channels);
  context.ForEachRows(layer.rows,
                      [&](int32_t first, int32_t count) { data.run(args, input, output, first, count); });
  return Status::kOk;
}
#endif

#if LUTRA_HAVE_INT16
namespace {

struct Int16FullyConnected {
  static constexpr BoardRecord kBoardRecord = {48, 48};

  FullyConnectedLayer layer;
  int16_t input_zero_point;
  int16_t output_zero_point;
  int16_t min;
  int16_t max;
  bool wide;
  Multiplier multiplier;           // With kPerTensor.
  ChannelMultipliers multipliers;  // With kPerChannel.
  FullyConnectedInt16Fn run;
};

// Makes the multipliers from the same product of scales as int8.
Status PrepareInt16Multipliers(PrepareContext& context, Int16FullyConnected* data) {
  const TensorInfo weights = context.Input(kWeights);
  if (weights.scales.size() > 1) {
    if (weights.quantized_dimension != 0) {
      return context.Refuse(Rule::kQuantizedDimension, kWeights, weights.quantized_dimension, 0);
    }
    data->layer.kind = FullyConnectedLayer::Kind::kPerChannel;
    return PrepareChannelMultipliers(context, kInput, kWeights, data->layer.channels, &data->multipliers);
  }
  LUTRA_TRY(RequirePerTensor(context, kWeights));
  if (context.HasInput(kBias)) LUTRA_TRY(CheckBiasScale(context));
  const float scales = context.Input(kInput).scale * weights.scale;
  return RequireMultiplier(context, kWeights, ScaleRatio(1.0f, context.Output(0).scale), scales,
                           &data->multiplier);
}

Status CheckInt16Operands(PrepareContext& context, bool* wide) {
  LUTRA_TRY(RequireInt16(context, kInput));
  LUTRA_TRY(RequireType(context, kWeights, TensorType::kInt8));
  LUTRA_TRY(RequireInt16(context, kOutput));
  LUTRA_TRY(RequireZeroPointsOfZero(context));
  if (!context.HasInput(kBias)) {
    *wide = !HasInt32Sums(context.node_info());
    return Status::kOk;
  }
  *wide = context.Input(kBias).type != TensorType::kInt32;
  if (!*wide) return Status::kOk;
  LUTRA_TRY(RequireType(context, kBias, TensorType::kInt64));
  return RequireWideBias(context, kBias);
}

}  // namespace

Status PrepareFullyConnectedInt16(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 3, 1));
  FullyConnectedOptions options;
  LUTRA_TRY(ReadOptions(context, ReadFullyConnectedOptions, &options));
  if (options.shuffled_weights) return context.Refuse(Rule::kOptionValue, kWeights);
  Int16FullyConnected* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  LUTRA_TRY(CheckInt16Operands(context, &data->wide));
  LUTRA_TRY(PrepareShapes(context, &data->layer));
  constexpr int kProductBits = 23;  // |x - zero point| < 2^16; |weight| <= 2^7.
  LUTRA_TRY(RequireWideProducts(context, kWeights, data->layer.depth, kProductBits));
  LUTRA_TRY(PrepareInt16Multipliers(context, data));
  if (data->wide) LUTRA_TRY(RequireWideMultipliers(context, kInput, kWeights));
  ActivationRange range;
  LUTRA_TRY(Int16ActivationRange(context, options.activation, &range));
  data->min = static_cast<int16_t>(range.min);
  data->max = static_cast<int16_t>(range.max);
  data->input_zero_point = static_cast<int16_t>(context.Input(kInput).zero_point);
  data->output_zero_point = static_cast<int16_t>(context.Output(0).zero_point);
  data->run = context.Choose(kFullyConnectedInt16);
  return DeclareBatchRows(context, data->layer, sizeof(int16_t));
}

Status EvalFullyConnectedInt16(EvalContext& context) {
  const auto& data = context.Data<Int16FullyConnected>();
  const FullyConnectedLayer& layer = data.layer;
  const bool per_tensor = layer.kind == FullyConnectedLayer::Kind::kPerTensor;
  const FullyConnectedInt16Args args = {
      .depth = layer.depth,
      .channels = layer.channels,
      .input_offset = -data.input_zero_point,
      .output_offset = data.output_zero_point,
      .activation_min = data.min,
      .activation_max = data.max,
      .wide = data.wide,
      .one_multiplier = per_tensor,
      .weights = context.InputData<int8_t>(kWeights),
      .bias = {context.InputData<void>(kBias),
               static_cast<int32_t>(data.wide ? sizeof(int64_t) : sizeof(int32_t))},
      .multipliers =
          per_tensor ? &data.multiplier
                     : EvalChannelMultipliers(context, kInput, kWeights, layer.channels, data.multipliers),
  };
  const Rows input = context.InputRows(kInput, layer.depth * static_cast<int32_t>(sizeof(int16_t)));
  const Rows output = context.OutputRows(0, layer.channels * static_cast<int32_t>(sizeof(int16_t)));
  context.ForEachRows(layer.rows,
                      [&](int32_t first, int32_t count) { data.run(args, input, output, first, count); });
  return Status::kOk;
}
#endif

}  // namespace lutra
