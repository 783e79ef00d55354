// SPDX-License-Identifier: Apache-2.0
// FILL sets all elements to a value, ZEROS_LIKE to 0. Rules: TFLite Micro's kernels.

#include <string.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

Status RequireFillable(PrepareContext& context, int operand, bool int64) {
  const TensorType type = OperandInfo(context, operand).type;
  if (type == TensorType::kFloat32 || type == TensorType::kInt32 || type == TensorType::kInt8) {
    return Status::kOk;
  }
  if (int64 && type == TensorType::kInt64) return Status::kOk;
  return RequireType(context, operand, TensorType::kFloat32);
}

}  // namespace

// The dimensions must be constants, and equal to the output tensor's.
Status PrepareFill(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireFillable(context, 1, false));
  LUTRA_TRY(RequireSameType(context, 1, OutputOperand(0)));
  LUTRA_TRY(RequireRank(context, 0, 1, 1));
  LUTRA_TRY(RequireRank(context, 1, 0, 0));
  Shape shape;
  LUTRA_TRY(ReadConstantInts(context, 0, kMaxRank, shape.dims, &shape.rank));
  return RequireShape(context, OutputOperand(0), shape);
}

// Copies the code, whatever the scales are.
Status EvalFill(EvalContext& context) {
  const int32_t bytes = ElementBytes(context.Output(0).type);
  const int32_t count = context.Output(0).shape.Count();
  const auto* const value = context.InputData<uint8_t>(1);
  auto* const output = context.OutputData<uint8_t>(0);
  for (int32_t i = 0; i < count; ++i) memcpy(output + i * bytes, value, static_cast<size_t>(bytes));
  return Status::kOk;
}

Status PrepareZerosLike(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LUTRA_TRY(RequireFillable(context, 0, true));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  return RequireShape(context, OutputOperand(0), context.Input(0).shape);
}

// Sets the code 0, which does not stand for real 0 if the zero point is another.
Status EvalZerosLike(EvalContext& context) {
  const TensorInfo output = context.Output(0);
  memset(context.OutputData<uint8_t>(0), 0,
         static_cast<size_t>(output.shape.Count()) * static_cast<size_t>(ElementBytes(output.type)));
  return Status::kOk;
}

}  // namespace lutra
