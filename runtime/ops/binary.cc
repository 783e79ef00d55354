// SPDX-License-Identifier: Apache-2.0
// ADD, SUB, MUL, DIV, SQUARED_DIFFERENCE with broadcasting: int8, float32, and int32 for the first three.
//
// The precision in which scales are combined is part of the result, so each operator's is kept: double
// for ADD, MUL and SQUARED_DIFFERENCE, float32 for SUB and DIV (TFLite Micro's prepare functions).

#include "lutra/kernels/binary/binary.h"

#include <limits.h>

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/broadcast.h"
#include "runtime/ops/common.h"
#include "runtime/ops/divisors.h"
#include "runtime/ops/prepared_layer.h"
#include "runtime/ops/uint8.h"

namespace lutra {
namespace {

enum class Function : uint8_t { kAdd, kSub, kMul, kDiv, kSquaredDifference };

struct BinaryData {
  static constexpr BoardRecord kBoardRecord = {44, 44};

  BinaryFn run;
  int32_t count;  // Elements of the output.
  TensorType type;
  Pairing pairing;
  [[no_unique_address]] PreparedMemory<BinaryArgs> prepared;
  union {
    BinaryQuantization quantization;
    FloatRange float_range;
  };
};

// Largest exponent of ADD's and SUB's output multiplier: they must be below 1.
bool IsBelowOne(Multiplier m) { return m.shift <= 0; }

Status SumMultipliers(PrepareContext& context, float a, float b, float out, bool in_float,
                      BinaryQuantization* q) {
  const float larger = a > b ? a : b;
  if (in_float) {
    const float twice = 2.0f * larger;
    const float real = twice / (static_cast<float>(1 << 20) * out);
    if (!(real < 1.0f)) return context.Refuse(Rule::kMultiplierRange);
    const ScaleRatio one(1.0f, 1.0f);
    q->a_multiplier = one.Times(a / twice);
    q->b_multiplier = one.Times(b / twice);
    q->out_multiplier = one.Times(real);
  } else {
    const ScaleRatio half_of_larger(1.0f, larger, -1);
    q->a_multiplier = half_of_larger.Times(a);
    q->b_multiplier = half_of_larger.Times(b);
    q->out_multiplier = ScaleRatio(1.0f, out, 1 - 20).Times(larger);
  }
  if (!IsBelowOne(q->out_multiplier)) return context.Refuse(Rule::kMultiplierRange);
  return Status::kOk;
}

Status DivMultiplier(PrepareContext& context, float a, float b, float out, BinaryQuantization* q) {
  q->out_multiplier = QuantizeMultiplier(static_cast<double>(a / (b * out)));
  // The reciprocal of a divisor x is shifted by floor(log2 x), the dividend by up to 31: the sum of the
  // shifts must stay a right shift of 0 to 31.
  const int32_t below = q->b_zero_point - INT8_MIN;
  const int32_t above = INT8_MAX - q->b_zero_point;
  const int32_t largest = below > above ? below : above;
  const int32_t reciprocal_shift = 31 - CountLeadingZeros(static_cast<uint32_t>(largest));
  constexpr int32_t kLeastHeadroom = 23;  // A dividend of 8 bits can be shifted up by this many.
  if (q->out_multiplier.shift < reciprocal_shift || q->out_multiplier.shift > kLeastHeadroom) {
    return context.Refuse(Rule::kMultiplierRange, kNoOperand, q->out_multiplier.shift, reciprocal_shift);
  }
  return Status::kOk;
}

Status PrepareInt8(PrepareContext& context, Function function, Activation activation, BinaryQuantization* q) {
  constexpr int kOperands[] = {0, 1, OutputOperand(0)};
  for (const int operand : kOperands) LUTRA_TRY(RequirePerTensor(context, operand));
  const TensorInfo a = context.Input(0);
  const TensorInfo b = context.Input(1);
  const TensorInfo out = context.Output(0);
  ActivationRange range;
  LUTRA_TRY(Int8ActivationRange(context, activation, out, &range));
  q->a_zero_point = static_cast<int8_t>(a.zero_point);
  q->b_zero_point = static_cast<int8_t>(b.zero_point);
  q->out_zero_point = static_cast<int8_t>(out.zero_point);
  q->min = static_cast<int8_t>(range.min);
  q->max = static_cast<int8_t>(range.max);
  switch (function) {
    case Function::kAdd:
      return SumMultipliers(context, a.scale, b.scale, out.scale, false, q);
    case Function::kSub:
      return SumMultipliers(context, a.scale, b.scale, out.scale, true, q);
    case Function::kMul:
      return RequireMultiplier(context, 1, ScaleRatio(a.scale, out.scale), b.scale, &q->out_multiplier);
    case Function::kSquaredDifference: {
      const float larger = a.scale > b.scale ? a.scale : b.scale;
      const ScaleRatio half_of_larger(1.0f, larger, -1);
      q->a_multiplier = half_of_larger.Times(a.scale);
      q->b_multiplier = half_of_larger.Times(b.scale);
      // The scale is twice the larger one, squared, in units of 2^14 output steps.
      return RequireMultiplier(context, 1, ScaleRatio(larger, out.scale, 2 - 14), larger, &q->out_multiplier);
    }
    case Function::kDiv:
      return DivMultiplier(context, a.scale, b.scale, out.scale, q);
  }
  return Status::kOk;
}

// Checks and prepares everything; the caller chooses the kernel.
Status Prepare(PrepareContext& context, Function function, BinaryData** result) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireSameType(context, 0, 1));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  Activation activation = Activation::kNone;
  if (function != Function::kSquaredDifference) {
    LUTRA_TRY(ReadOptions(context, ReadActivation, &activation));
  }
  BinaryData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  *result = data;
  data->type = context.Output(0).type;
  data->count = context.Output(0).shape.Count();
  LUTRA_TRY(PrepareBroadcast(context, &data->pairing));
  switch (data->type) {
    case TensorType::kInt8:
      return PrepareInt8(context, function, activation, &data->quantization);
    case TensorType::kFloat32:
      return FloatActivationRange(context, activation, &data->float_range);
    case TensorType::kInt32:
      // Integers without quantisation have no fused activation.
      if (activation != Activation::kNone) {
        return context.Refuse(Rule::kActivation, kNoOperand, static_cast<int32_t>(activation));
      }
      return Status::kOk;
    default:
      return RequireType(context, 0, TensorType::kInt8);
  }
}

template <typename Fn, int N>
Status ChooseInt8(PrepareContext& context, const Variant<Fn> (&variants)[N], BinaryData* data) {
  if constexpr (kTakesPrepared<KernelArgs<Fn>>) {
    KernelArgs<Fn> args = {};
    args.quantization = &data->quantization;
    LUTRA_TRY(context.ChooseFor(variants, &args, &data->run));
    data->prepared = {args.prepared};
  } else {
    data->run = context.Choose(variants);
  }
  return Status::kOk;
}

// Each operator names its own kernels, so that its users link no others.
template <const auto& kInt8, const auto& kFloat, const auto& kInt32>
Status PrepareWith(PrepareContext& context, Function function) {
  BinaryData* data = nullptr;
  LUTRA_TRY(Prepare(context, function, &data));
  if (data->type == TensorType::kInt8) return ChooseInt8(context, kInt8, data);
  data->run = data->type == TensorType::kFloat32 ? context.Choose(kFloat) : context.Choose(kInt32);
  return Status::kOk;
}

template <const auto& kInt8>
Status PrepareInt8With(PrepareContext& context, Function function) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  BinaryData* data = nullptr;
  LUTRA_TRY(Prepare(context, function, &data));
  return ChooseInt8(context, kInt8, data);
}

}  // namespace

Status PrepareAddInt8Only(PrepareContext& context) {
  return PrepareInt8With<kAddInt8>(context, Function::kAdd);
}
Status PrepareSubInt8Only(PrepareContext& context) {
  return PrepareInt8With<kSubInt8>(context, Function::kSub);
}
Status PrepareMulInt8Only(PrepareContext& context) {
  return PrepareInt8With<kMulInt8>(context, Function::kMul);
}

Status PrepareAdd(PrepareContext& context) {
  return PrepareWith<kAddInt8, kAddFloat, kAddInt32>(context, Function::kAdd);
}
Status PrepareSub(PrepareContext& context) {
  return PrepareWith<kSubInt8, kSubFloat, kSubInt32>(context, Function::kSub);
}
Status PrepareMul(PrepareContext& context) {
  return PrepareWith<kMulInt8, kMulFloat, kMulInt32>(context, Function::kMul);
}
Status PrepareDiv(PrepareContext& context) {
  return PrepareWith<kDivInt8, kDivFloat, kDivInt32>(context, Function::kDiv);
}
Status PrepareSquaredDifference(PrepareContext& context) {
  return PrepareWith<kSquaredDifferenceInt8, kSquaredDifferenceFloat, kSquaredDifferenceInt32>(
      context, Function::kSquaredDifference);
}

Status EvalBinary(EvalContext& context) {
  const auto& data = context.Data<BinaryData>();
  BinaryArgs args = {};
  if (data.type == TensorType::kFloat32) {
    args.float_min = data.float_range.min;
    args.float_max = data.float_range.max;
  } else {
    args.quantization = &data.quantization;
    data.prepared.GiveTo(&args);
  }
  const int32_t bytes = ElementBytes(data.type);
  return EvalTwoInputs(context, data.pairing, data.count, bytes, bytes, args, data.run);
}

#if LUTRA_HAVE_UINT8
namespace {

struct Uint8Add {
  static constexpr BoardRecord kBoardRecord = {52, 52};

  BinaryData add;
  int inputs[2];  // Scratch: the inputs as int8.
};

int8_t AsInt8(int32_t code) { return static_cast<int8_t>(code - kUint8Shift); }

Status EvalWithSecond(EvalContext& context) {
  return context.EvalWithInput(1, context.ScratchData<uint8_t>(context.Data<Uint8Add>().inputs[1]),
                               EvalBinary);
}

}  // namespace

Status PrepareAddUint8(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  Activation activation = Activation::kNone;
  LUTRA_TRY(ReadOptions(context, ReadActivation, &activation));
  constexpr int kOperands[] = {0, 1, OutputOperand(0)};
  for (const int operand : kOperands) LUTRA_TRY(RequireUint8(context, operand));
  Uint8Add* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  BinaryData& add = data->add;
  add.type = TensorType::kUInt8;
  add.count = context.Output(0).shape.Count();
  LUTRA_TRY(PrepareBroadcast(context, &add.pairing));
  ActivationRange range;
  LUTRA_TRY(Uint8ActivationRange(context, activation, &range));
  const TensorInfo a = context.Input(0);
  const TensorInfo b = context.Input(1);
  const TensorInfo out = context.Output(0);
  BinaryQuantization& q = add.quantization;
  q.a_zero_point = AsInt8(a.zero_point);
  q.b_zero_point = AsInt8(b.zero_point);
  q.out_zero_point = AsInt8(out.zero_point);
  q.min = AsInt8(range.min);
  q.max = AsInt8(range.max);
  LUTRA_TRY(SumMultipliers(context, a.scale, b.scale, out.scale, false, &q));
  add.run = context.Choose(kAddInt8);
  for (int i = 0; i < 2; ++i) {
    LUTRA_TRY(context.RequestScratch(context.Input(i).bytes, &data->inputs[i]));
  }
  return Status::kOk;
}

Status EvalAddUint8(EvalContext& context) {
  const auto& data = context.Data<Uint8Add>();
  for (int i = 0; i < 2; ++i) {
    SwitchSign(context.InputData<uint8_t>(i), context.Input(i).bytes,
               context.ScratchData<uint8_t>(data.inputs[i]));
  }
  LUTRA_TRY(context.EvalWithInput(0, context.ScratchData<uint8_t>(data.inputs[0]), EvalWithSecond));
  auto* const output = context.OutputData<uint8_t>(0);
  SwitchSign(output, data.add.count, output);
  return Status::kOk;
}
#endif

Status EvalDiv(EvalContext& context) {
  const auto& data = context.Data<BinaryData>();
  if (data.type == TensorType::kInt8) {
    LUTRA_TRY(RequireDivisors(context, data.pairing, data.quantization.b_zero_point));
  }
  if (data.type == TensorType::kInt32) LUTRA_TRY(RequireDivisors(context, data.pairing, int32_t{0}));
  return EvalBinary(context);
}

}  // namespace lutra
