// SPDX-License-Identifier: Apache-2.0
// EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL with broadcasting.

#include "lutra/kernels/compare/compare.h"

#include "lutra/ops/ops.h"
#include "runtime/ops/broadcast.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

struct CompareData {
  static constexpr BoardRecord kBoardRecord = {36, 36};

  CompareFn run;
  Comparison comparison;
  TensorType type;
  Pairing pairing;
  int32_t count;
  int32_t a_zero_point;
  int32_t b_zero_point;
  Multiplier a_multiplier;
  Multiplier b_multiplier;
};

Comparison ComparisonOf(BuiltinOperator code) {
  switch (code) {
    case BuiltinOperator::kEqual:
      return Comparison::kEqual;
    case BuiltinOperator::kNotEqual:
      return Comparison::kNotEqual;
    case BuiltinOperator::kGreater:
      return Comparison::kGreater;
    case BuiltinOperator::kGreaterEqual:
      return Comparison::kGreaterEqual;
    case BuiltinOperator::kLess:
      return Comparison::kLess;
    default:
      return Comparison::kLessEqual;
  }
}

// The scale of int8 must be below 1: the multiplier is the scale itself.
Status ScaleMultiplier(PrepareContext& context, int input, int32_t* zero_point, Multiplier* multiplier) {
  LUTRA_TRY(RequirePerTensor(context, input));
  const TensorInfo info = context.Input(input);
  *zero_point = info.zero_point;
  *multiplier = QuantizeMultiplier(static_cast<double>(info.scale));
  if (!(info.scale < 1.0f) || multiplier->shift > 0) return context.Refuse(Rule::kScaleRange, input);
  return Status::kOk;
}

}  // namespace

Status PrepareCompare(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireSameType(context, 0, 1));
  LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kBool));
  CompareData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kCompare);
  data->comparison = ComparisonOf(context.op().code);
  data->type = context.Input(0).type;
  data->count = context.Output(0).shape.Count();
  LUTRA_TRY(PrepareBroadcast(context, &data->pairing));
  switch (data->type) {
    case TensorType::kInt8:
      LUTRA_TRY(ScaleMultiplier(context, 0, &data->a_zero_point, &data->a_multiplier));
      return ScaleMultiplier(context, 1, &data->b_zero_point, &data->b_multiplier);
    case TensorType::kInt16:
    case TensorType::kInt32:
    case TensorType::kInt64:
    case TensorType::kFloat32:
      return Status::kOk;
    case TensorType::kBool:
      if (data->comparison == Comparison::kEqual || data->comparison == Comparison::kNotEqual)
        return Status::kOk;
      break;
    default:
      break;
  }
  return RequireType(context, 0, TensorType::kInt8);
}

Status EvalCompare(EvalContext& context) {
  const auto& data = context.Data<CompareData>();
  CompareArgs args = {};
  args.comparison = data.comparison;
  args.type = data.type;
  args.a_zero_point = data.a_zero_point;
  args.b_zero_point = data.b_zero_point;
  args.a_multiplier = data.a_multiplier;
  args.b_multiplier = data.b_multiplier;
  return EvalTwoInputs(context, data.pairing, data.count, ElementBytes(data.type), 1, args, data.run);
}

}  // namespace lutra
