// SPDX-License-Identifier: Apache-2.0
// CEIL, COS, EXP, FLOOR, LOG, NEG, ROUND, SIN, SQRT, SQUARE: float32, element by element. Rules:
// TFLite Micro's kernels. Whatever a function makes of a number outside its domain is the result.

#include "lutra/kernels/math_float/math_float.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

struct MathData {
  static constexpr BoardRecord kBoardRecord = {12, 12};

  MathFloatFn run;
  MathFunction function;
  int32_t count;
};

Status PrepareMath(PrepareContext& context, MathFunction function) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LUTRA_TRY(RequireType(context, 0, TensorType::kFloat32));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  LUTRA_TRY(RequireShape(context, OutputOperand(0), context.Input(0).shape));
  MathData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  *data = {context.Choose(kMathFloat), function, context.Output(0).shape.Count()};
  return DeclareElementwise(context, 0, 0);
}

}  // namespace

Status PrepareCeil(PrepareContext& context) { return PrepareMath(context, Ceil); }
Status PrepareCos(PrepareContext& context) { return PrepareMath(context, Cos); }
Status PrepareExp(PrepareContext& context) { return PrepareMath(context, Exp); }
Status PrepareFloor(PrepareContext& context) { return PrepareMath(context, Floor); }
Status PrepareLog(PrepareContext& context) { return PrepareMath(context, Log); }
Status PrepareNeg(PrepareContext& context) { return PrepareMath(context, Negate); }
Status PrepareRound(PrepareContext& context) { return PrepareMath(context, RoundHalfToEven); }
Status PrepareSin(PrepareContext& context) { return PrepareMath(context, Sin); }
Status PrepareSqrt(PrepareContext& context) { return PrepareMath(context, Sqrt); }
Status PrepareSquare(PrepareContext& context) { return PrepareMath(context, Square); }

Status EvalMath(EvalContext& context) {
  const auto& data = context.Data<MathData>();
  const MathFloatArgs args = {data.function, context.InputData<float>(0), context.OutputData<float>(0)};
  context.ForEachRows(data.count, [&](int32_t first, int32_t count) { data.run(args, first, count); });
  return Status::kOk;
}

}  // namespace lutra
