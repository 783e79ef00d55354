// SPDX-License-Identifier: Apache-2.0
// CEIL, COS, EXP, FLOOR, LOG, NEG, ROUND, RSQRT, SIN, SQRT, SQUARE: float32, element by element; RSQRT of
// int8. Rules: TFLite Micro's kernels. A number outside a function's domain is no error: the C library's
// result is the output.

#include <float.h>

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/math_float/math_float.h"
#include "lutra/ops/ops.h"
#include "runtime/fixed_point/inverse_sqrt.h"
#include "runtime/fixed_point/scale_ratio.h"
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

// ---- RSQRT, of int8 too: prepare fills a table by TFLite's rule, which scales an inverse root with 20
// fraction bits. The root of 0 gives the largest code; eval refuses codes below the zero point.

namespace {

constexpr int32_t kFractionBits = 20;

struct RsqrtData {
  static constexpr BoardRecord kBoardRecord = {12, 12};

  const int8_t* table;  // A code for each difference of 0 to 255 from the zero point.
  int32_t count;
  int32_t zero_point;
};

Status FillTable(PrepareContext& context, int8_t* table) {
  const TensorInfo input = context.Input(0);
  const TensorInfo output = context.Output(0);
  const float divisor = Sqrt(input.scale) * output.scale;
  // A product of scales may be too large for float32.
  if (!(divisor > 0 && divisor <= FLT_MAX)) return context.Refuse(Rule::kMultiplierRange, 0);
  Multiplier scale;
  LUTRA_TRY(RequireMultiplier(context, 0, ScaleRatio(1.0f, divisor), 1.0f, &scale));
  // A smaller multiplier would shift right by more than 31 bits; with a larger one, the root of 1 would not
  // fit int32.
  scale.shift -= kFractionBits;
  constexpr int32_t kLargestShift = 10;
  if (scale.shift < -31 || scale.shift > kLargestShift) return context.Refuse(Rule::kMultiplierRange, 0);
  table[0] = INT8_MAX;
  for (int32_t x = 1; x <= UINT8_MAX; ++x) {
    Multiplier inverse = InverseSqrtMultiplier(x);
    inverse.shift += kFractionBits;
    const int32_t scaled = MultiplyByQuantizedMultiplier(MultiplyByQuantizedMultiplier(1, inverse), scale);
    table[x] = static_cast<int8_t>(ClampToInt8(WrappingAdd(scaled, output.zero_point), INT8_MIN, INT8_MAX));
  }
  return Status::kOk;
}

}  // namespace

Status PrepareRsqrt(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  if (context.Input(0).type == TensorType::kFloat32) return PrepareMath(context, InverseSqrt);
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  LUTRA_TRY(RequireShape(context, OutputOperand(0), context.Input(0).shape));
  LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  LUTRA_TRY(RequirePerTensor(context, 0));
  LUTRA_TRY(RequirePerTensor(context, OutputOperand(0)));
  RsqrtData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  int8_t* table = nullptr;
  LUTRA_TRY(context.AllocateArray(UINT8_MAX + 1, RecordKind::kTables, &table));
  *data = {table, context.Output(0).shape.Count(), context.Input(0).zero_point};
  LUTRA_TRY(DeclareElementwise(context, 0, 0));
  return FillTable(context, table);
}

Status EvalRsqrt(EvalContext& context) {
  if (context.Input(0).type == TensorType::kFloat32) return EvalMath(context);
  const auto& data = context.Data<RsqrtData>();
  const auto* const input = context.InputData<int8_t>(0);
  auto* const output = context.OutputData<int8_t>(0);
  for (int32_t i = 0; i < data.count; ++i) {
    const int32_t x = input[i] - data.zero_point;
    if (x < 0) return context.Refuse(Rule::kRuntimeNegative, 0, input[i], data.zero_point);
    output[i] = data.table[x];
  }
  return Status::kOk;
}

}  // namespace lutra
