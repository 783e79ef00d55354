// SPDX-License-Identifier: Apache-2.0
// ADD, SUB, MUL, SQUARED_DIFFERENCE of int16, with broadcasting.

#include "lutra/kernels/binary_int16/binary_int16.h"

#include "runtime/ops/broadcast.h"
#include "runtime/ops/int16.h"

#if LUTRA_HAVE_INT16

namespace lutra {
namespace {

using Function = BinaryInt16Function;

constexpr int kSumShift = 15;

struct BinaryInt16Data {
  static constexpr BoardRecord kBoardRecord = {48, 48};

  BinaryInt16Fn run;
  int32_t count;  // Elements of the output.
  Function function;
  Pairing pairing;
  BinaryInt16Quantization quantization;
};

// Scales are combined in double, as newer TFLite Micro does.
Status PrepareMultipliers(PrepareContext& context, Function function, BinaryInt16Quantization* q) {
  const float a = context.Input(0).scale;
  const float b = context.Input(1).scale;
  const float out = context.Output(0).scale;
  if (function == Function::kMul) {
    return RequireMultiplier(context, 1, ScaleRatio(a, out), b, &q->out_multiplier);
  }
  const float larger = a > b ? a : b;
  const ScaleRatio half_of_larger(1.0f, larger, -1);
  q->a_multiplier = half_of_larger.Times(a);
  q->b_multiplier = half_of_larger.Times(b);
  if (function == Function::kSquaredDifference) {
    // The scale is twice the larger one, squared.
    return RequireMultiplier(context, 1, ScaleRatio(larger, out, 2), larger, &q->out_multiplier);
  }
  q->out_multiplier = ScaleRatio(1.0f, out, 1 - kSumShift).Times(larger);
  return q->out_multiplier.shift <= 0 ? Status::kOk : context.Refuse(Rule::kMultiplierRange);
}

Status Prepare(PrepareContext& context, Function function) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  Activation activation = Activation::kNone;
  if (function != Function::kSquaredDifference) {
    LUTRA_TRY(ReadOptions(context, ReadActivation, &activation));
  }
  const bool shifts_zero_points = function == Function::kAdd || function == Function::kSub;
  constexpr int kOperands[] = {0, 1, OutputOperand(0)};
  for (const int operand : kOperands) {
    LUTRA_TRY(shifts_zero_points ? RequireInt16(context, operand) : RequireSymmetricInt16(context, operand));
  }
  BinaryInt16Data* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->function = function;
  data->count = context.Output(0).shape.Count();
  data->run = context.Choose(kBinaryInt16);
  LUTRA_TRY(PrepareBroadcast(context, &data->pairing));
  BinaryInt16Quantization& q = data->quantization;
  LUTRA_TRY(PrepareMultipliers(context, function, &q));
  ActivationRange range;
  LUTRA_TRY(Int16ActivationRange(context, activation, &range));
  q.a_zero_point = static_cast<int16_t>(context.Input(0).zero_point);
  q.b_zero_point = static_cast<int16_t>(context.Input(1).zero_point);
  q.out_zero_point = static_cast<int16_t>(context.Output(0).zero_point);
  q.min = static_cast<int16_t>(range.min);
  q.max = static_cast<int16_t>(range.max);
  return Status::kOk;
}

}  // namespace

Status PrepareAddInt16(PrepareContext& context) { return Prepare(context, Function::kAdd); }
Status PrepareSubInt16(PrepareContext& context) { return Prepare(context, Function::kSub); }
Status PrepareMulInt16(PrepareContext& context) { return Prepare(context, Function::kMul); }
Status PrepareSquaredDifferenceInt16(PrepareContext& context) {
  return Prepare(context, Function::kSquaredDifference);
}

Status EvalBinaryInt16(EvalContext& context) {
  const auto& data = context.Data<BinaryInt16Data>();
  BinaryInt16Args args = {};
  args.function = data.function;
  args.quantization = &data.quantization;
  return EvalTwoInputs(context, data.pairing, data.count, 2, 2, args, data.run);
}

}  // namespace lutra

#endif
