// SPDX-License-Identifier: Apache-2.0
// SVDF, int8 with a state of int8 or int16, or float32: input [batches, depth], feature weights [filters,
// depth], time weights [filters, memory], bias [units] (optional), state [batches, filters * memory], a
// variable tensor. With int8, the fused activation is not applied, as in TFLite.

#include "lutra/kernels/svdf/svdf.h"

#include <stdint.h>
#include <string.h>

#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

constexpr int kInput = 0;
constexpr int kFeatureWeights = 1;
constexpr int kTimeWeights = 2;
constexpr int kBias = 3;
constexpr int kState = 4;
constexpr int kOutput = OutputOperand(0);

struct SvdfData {
  static constexpr BoardRecord kBoardRecord = {48, 48};

  int32_t batches;
  int32_t depth;
  int32_t units;
  int32_t rank;
  int32_t memory;
  Multiplier feature;
  union {
    Multiplier time;
    FloatRange range;
  };
  int16_t input_offset;
  int16_t state_zero_point;
  int16_t output_offset;
  SvdfFn run;  // Null for float32.
};

Shape Shape2D(int32_t rows, int32_t columns) {
  Shape shape;
  shape.rank = 2;
  shape.dims[0] = rows;
  shape.dims[1] = columns;
  return shape;
}

Status PrepareFloat(PrepareContext& context, Activation activation, SvdfData* data) {
  constexpr int kOperands[] = {kFeatureWeights, kTimeWeights, kState, kOutput};
  for (const int operand : kOperands) LUTRA_TRY(RequireType(context, operand, TensorType::kFloat32));
  if (context.HasInput(kBias)) LUTRA_TRY(RequireType(context, kBias, TensorType::kFloat32));
  if (!context.Input(kState).is_variable) return context.Refuse(Rule::kStateVariable, kState);
  data->run = nullptr;
  return FloatActivationRange(context, activation, &data->range);
}

Status PrepareTypes(PrepareContext& context, SvdfData* data) {
  if (context.Input(kInput).type == TensorType::kFloat32 &&
      context.Input(kFeatureWeights).type == TensorType::kInt8) {
    return context.Refuse(Rule::kHybrid, kFeatureWeights);
  }
  LUTRA_TRY(RequireType(context, kInput, TensorType::kInt8));
  LUTRA_TRY(RequireType(context, kFeatureWeights, TensorType::kInt8));
  LUTRA_TRY(RequireType(context, kOutput, TensorType::kInt8));
  if (context.HasInput(kBias)) LUTRA_TRY(RequireType(context, kBias, TensorType::kInt32));
  const TensorInfo state = context.Input(kState);
  if (!state.is_variable) return context.Refuse(Rule::kStateVariable, kState);
  if (state.type == TensorType::kInt16) {
    data->run = context.Choose(kSvdfOf<int16_t>);
  } else {
    LUTRA_TRY(RequireType(context, kState, TensorType::kInt8));
    data->run = context.Choose(kSvdfOf<int8_t>);
  }
  return RequireSameType(context, kState, kTimeWeights);
}

Status PrepareShapes(PrepareContext& context, int32_t rank, SvdfData* data) {
  constexpr int kMatrices[] = {kInput, kFeatureWeights, kTimeWeights};
  for (const int operand : kMatrices) {
    LUTRA_TRY(RequireRank(context, operand, 2, 2));
  }
  const Shape input = context.Input(kInput).shape;
  const int32_t filters = context.Input(kFeatureWeights).shape[0];
  const int32_t memory = context.Input(kTimeWeights).shape[1];
  if (rank < 1 || filters % rank != 0) return context.Refuse(Rule::kOptionValue, kFeatureWeights, rank);
  const int64_t state_values = int64_t{filters} * memory;
  if (state_values > INT32_MAX) return context.Refuse(Rule::kTensorSize, kState);
  data->batches = input[0];
  data->depth = input[1];
  data->units = filters / rank;
  data->rank = rank;
  data->memory = memory;
  LUTRA_TRY(RequireShape(context, kFeatureWeights, Shape2D(filters, data->depth)));
  LUTRA_TRY(RequireShape(context, kTimeWeights, Shape2D(filters, memory)));
  LUTRA_TRY(RequireShape(context, kState, Shape2D(data->batches, static_cast<int32_t>(state_values))));
  LUTRA_TRY(RequireShape(context, kOutput, Shape2D(data->batches, data->units)));
  if (context.HasInput(kBias)) {
    const int32_t bias_count = context.Input(kBias).shape.Count();
    if (bias_count != data->units) {
      return context.Refuse(Rule::kOperandShape, kBias, bias_count, data->units);
    }
  }
  return Status::kOk;
}

Status PrepareQuantization(PrepareContext& context, SvdfData* data) {
  constexpr int kQuantized[] = {kInput, kFeatureWeights, kTimeWeights, kState, kOutput};
  for (const int operand : kQuantized) {
    LUTRA_TRY(RequirePerTensor(context, operand));
  }
  constexpr int kWeights[] = {kFeatureWeights, kTimeWeights};
  for (const int weights : kWeights) {
    const int32_t zero_point = context.Input(weights).zero_point;
    if (zero_point != 0) return context.Refuse(Rule::kZeroPointZero, weights, zero_point, 0);
  }
  const TensorInfo input = context.Input(kInput);
  const TensorInfo state = context.Input(kState);
  const TensorInfo output = context.Output(0);
  // Scales are multiplied and divided in float32.
  const float feature = input.scale * context.Input(kFeatureWeights).scale / state.scale;
  const float products = state.scale * context.Input(kTimeWeights).scale;
  const float time = products / output.scale;
  if (context.HasInput(kBias)) {
    constexpr double kTolerance = 1e-5;
    const double difference = static_cast<double>(context.Input(kBias).scale) - static_cast<double>(products);
    if (!(difference > -kTolerance && difference < kTolerance)) {
      return context.Refuse(Rule::kBiasScale, kBias);
    }
  }
  LUTRA_TRY(RequireMultiplier(context, kState, static_cast<double>(feature), &data->feature));
  LUTRA_TRY(RequireMultiplier(context, kOutput, static_cast<double>(time), &data->time));
  data->input_offset = static_cast<int16_t>(-input.zero_point);
  data->state_zero_point = static_cast<int16_t>(state.zero_point);
  data->output_offset = static_cast<int16_t>(output.zero_point);
  return Status::kOk;
}

// kAllTypes: allows float32, too.
template <bool kAllTypes>
Status Prepare(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(3, 5, 1));
  if (!context.HasInput(kState)) return context.Refuse(Rule::kInputMissing, kState, kState);
  SvdfOptions options;
  LUTRA_TRY(ReadOptions(context, ReadSvdfOptions, &options));
  if (options.activation > Activation::kRelu6) {
    return context.Refuse(Rule::kActivation, kNoOperand, static_cast<int32_t>(options.activation));
  }
  SvdfData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  if (kAllTypes && context.Input(kFeatureWeights).type == TensorType::kFloat32 &&
      context.Input(kInput).type == TensorType::kFloat32) {
    LUTRA_TRY(PrepareFloat(context, options.activation, data));
    return PrepareShapes(context, options.rank, data);
  }
  LUTRA_TRY(PrepareTypes(context, data));
  LUTRA_TRY(PrepareShapes(context, options.rank, data));
  return PrepareQuantization(context, data);
}

float DotProduct(const float* a, const float* b, int32_t count) {
  float sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// Rounds each filter's sum before it adds it to its unit's sum, which starts with the bias.
Status EvalFloat(EvalContext& context, const SvdfData& data) {
  const auto* const input = context.InputData<float>(kInput);
  const auto* const feature_weights = context.InputData<float>(kFeatureWeights);
  const auto* const time_weights = context.InputData<float>(kTimeWeights);
  const auto* const bias = context.InputData<float>(kBias);
  auto* state = context.VariableData<float>(kState);
  auto* output = context.OutputData<float>(0);
  const size_t values = static_cast<size_t>(data.batches) * data.units * data.rank * data.memory;
  // All filters are moved at once: a filter's newest value, which it gets from the next filter, is computed
  // below.
  memmove(state, state + 1, (values - 1) * sizeof(float));
  for (int32_t batch = 0; batch < data.batches; ++batch) {
    for (int32_t unit = 0; unit < data.units; ++unit) {
      float sum = bias != nullptr ? bias[unit] : 0.0f;
      for (int32_t filter = unit * data.rank; filter < (unit + 1) * data.rank; ++filter) {
        state[data.memory - 1] = DotProduct(feature_weights + static_cast<intptr_t>(filter) * data.depth,
                                            input + static_cast<intptr_t>(batch) * data.depth, data.depth);
        sum += DotProduct(time_weights + static_cast<intptr_t>(filter) * data.memory, state, data.memory);
        state += data.memory;
      }
      const float raised = sum < data.range.min ? data.range.min : sum;
      *output++ = raised > data.range.max ? data.range.max : raised;
    }
  }
  return Status::kOk;
}

Status EvalInt8(EvalContext& context, const SvdfData& data) {
  data.run({.batches = data.batches,
            .depth = data.depth,
            .units = data.units,
            .rank = data.rank,
            .memory = data.memory,
            .input = context.InputData<int8_t>(kInput),
            .feature_weights = context.InputData<int8_t>(kFeatureWeights),
            .time_weights = context.InputData<void>(kTimeWeights),
            .bias = context.InputData<int32_t>(kBias),
            .state = context.VariableData<void>(kState),
            .output = context.OutputData<int8_t>(0),
            .feature = data.feature,
            .time = data.time,
            .input_offset = data.input_offset,
            .state_zero_point = data.state_zero_point,
            .output_offset = data.output_offset});
  return Status::kOk;
}

}  // namespace

Status PrepareSvdf(PrepareContext& context) { return Prepare<true>(context); }
Status PrepareSvdfInt8Only(PrepareContext& context) { return Prepare<false>(context); }

Status EvalSvdf(EvalContext& context) {
  const auto& data = context.Data<SvdfData>();
  return data.run != nullptr ? EvalInt8(context, data) : EvalFloat(context, data);
}
Status EvalSvdfInt8Only(EvalContext& context) { return EvalInt8(context, context.Data<SvdfData>()); }

}  // namespace lutra
