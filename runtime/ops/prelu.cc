// SPDX-License-Identifier: Apache-2.0
// PRELU with a slope that is broadcast to the input: int8, float32, and int16 with a slope of int8.

#include "lutra/kernels/prelu/prelu.h"

#include "lutra/ops/ops.h"
#include "runtime/ops/broadcast.h"
#include "runtime/ops/common.h"
#include "runtime/ops/int16.h"

namespace lutra {
namespace {

template <typename Value>
struct PreluData {
  static constexpr BoardRecord kBoardRecord = sizeof(Value) == 1 ? BoardRecord{24, 24} : BoardRecord{28, 28};

  void (*run)(const PreluCodesArgs<Value>& args, int32_t first, int32_t count);
  Value input_zero_point;
  Value alpha_zero_point;
  Value output_zero_point;
  Multiplier positive;
  Multiplier negative;
};

Status RequireBroadcast(PrepareContext& context) {
  Shape expected;
  if (!BroadcastShape(context.Input(0).shape, context.Input(1).shape, &expected)) {
    return context.Refuse(Rule::kBroadcast, 1);
  }
  return RequireShape(context, OutputOperand(0), expected);
}

struct PreluFloatData {
  static constexpr BoardRecord kBoardRecord = {4, 4};

  PreluFloatFn run;
};

Status EvalPreluFloat(EvalContext& context) {
  const auto* const input = context.InputData<float>(0);
  const auto* const alpha = context.InputData<float>(1);
  auto* const output = context.OutputData<float>(0);
  const Shape shapes[] = {context.InputShape(0), context.InputShape(1)};
  Broadcast(shapes, context.OutputShape(0)).ForEachRun([&](const Broadcast::Run& r) {
    context.Data<PreluFloatData>().run(
        {input + r.offset[0], alpha + r.offset[1], output + r.output, r.step[0], r.step[1]}, 0, r.count);
  });
  return Status::kOk;
}

Status PreparePreluFloat(PrepareContext& context) {
  static constexpr Op kFloat = {BuiltinOperator::kPrelu, PreparePrelu, EvalPreluFloat};
  LUTRA_TRY(RequireSameType(context, 0, 1));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  LUTRA_TRY(RequireBroadcast(context));
  PreluFloatData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kPreluFloat);
  context.RunBy(kFloat);
  return Status::kOk;
}

template <typename Value>
Status PrepareCodes(PrepareContext& context, const auto& kernels, TensorType type) {
  LUTRA_TRY(RequireType(context, 0, type));
  LUTRA_TRY(RequireType(context, 1, TensorType::kInt8));
  LUTRA_TRY(RequireType(context, OutputOperand(0), type));
  constexpr int kOperands[] = {0, 1, OutputOperand(0)};
  for (const int operand : kOperands) LUTRA_TRY(RequirePerTensor(context, operand));
  const TensorInfo input = context.Input(0);
  const TensorInfo alpha = context.Input(1);
  const TensorInfo output = context.Output(0);
  LUTRA_TRY(RequireBroadcast(context));
  PreluData<Value>* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kernels);
  data->input_zero_point = static_cast<Value>(input.zero_point);
  data->alpha_zero_point = static_cast<Value>(alpha.zero_point);
  data->output_zero_point = static_cast<Value>(output.zero_point);
  LUTRA_TRY(RequireMultiplier(context, 0, ScaleRatio(1.0f, output.scale), input.scale, &data->positive));
  return RequireMultiplier(context, 1, ScaleRatio(input.scale, output.scale), alpha.scale, &data->negative);
}

template <typename Value>
Status EvalCodes(EvalContext& context) {
  const auto& data = context.Data<PreluData<Value>>();
  const auto* const input = context.InputData<Value>(0);
  const auto* const alpha = context.InputData<int8_t>(1);
  auto* const output = context.OutputData<Value>(0);
  const Shape shapes[] = {context.InputShape(0), context.InputShape(1)};
  Broadcast(shapes, context.OutputShape(0)).ForEachRun([&](const Broadcast::Run& r) {
    data.run({.input = input + r.offset[0],
              .alpha = alpha + r.offset[1],
              .output = output + r.output,
              .input_step = r.step[0],
              .alpha_step = r.step[1],
              .input_zero_point = data.input_zero_point,
              .alpha_zero_point = data.alpha_zero_point,
              .output_zero_point = data.output_zero_point,
              .positive = data.positive,
              .negative = data.negative},
             0, r.count);
  });
  return Status::kOk;
}

}  // namespace

Status PreparePrelu(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  if (context.Input(0).type == TensorType::kFloat32) return PreparePreluFloat(context);
  return PrepareCodes<int8_t>(context, kPreluInt8, TensorType::kInt8);
}

Status EvalPrelu(EvalContext& context) { return EvalCodes<int8_t>(context); }

#if LUTRA_HAVE_INT16
Status PreparePreluInt16(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  return PrepareCodes<int16_t>(context, kPreluInt16, TensorType::kInt16);
}

Status EvalPreluInt16(EvalContext& context) { return EvalCodes<int16_t>(context); }
#endif

}  // namespace lutra
