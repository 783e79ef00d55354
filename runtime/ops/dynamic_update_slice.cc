// SPDX-License-Identifier: Apache-2.0
// DYNAMIC_UPDATE_SLICE: replaces a box of a tensor. The box begins where the last input says, which may be
// computed; it is moved to lie inside the tensor. float32, int8, int16, int32.

#include <string.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

constexpr int kOperand = 0;
constexpr int kUpdate = 1;
constexpr int kStart = 2;
constexpr int kOutput = OutputOperand(0);

}  // namespace

Status PrepareDynamicUpdateSlice(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(3, 3, 1));
  const TensorInfo operand = context.Input(kOperand);
  if (operand.type != TensorType::kInt8 && operand.type != TensorType::kInt16 &&
      operand.type != TensorType::kInt32) {
    LUTRA_TRY(RequireType(context, kOperand, TensorType::kFloat32));
  }
  LUTRA_TRY(RequireSameType(context, kOperand, kUpdate));
  LUTRA_TRY(RequireSameType(context, kOperand, kOutput));
  LUTRA_TRY(RequireShape(context, kOutput, operand.shape));
  if (context.Input(kStart).type != TensorType::kInt64) {
    LUTRA_TRY(RequireType(context, kStart, TensorType::kInt32));
  }
  Shape start;
  start.rank = 1;
  start.dims[0] = operand.shape.rank;
  LUTRA_TRY(RequireShape(context, kStart, start));
  const Shape update = context.Input(kUpdate).shape;
  LUTRA_TRY(RequireRank(context, kUpdate, operand.shape.rank, operand.shape.rank));
  for (int32_t axis = 0; axis < update.rank; ++axis) {
    if (update.dims[axis] > operand.shape.dims[axis]) {
      return context.Refuse(Rule::kOperandShape, kUpdate, update.dims[axis], operand.shape.dims[axis]);
    }
  }
  return Status::kOk;
}

Status EvalDynamicUpdateSlice(EvalContext& context) {
  const TensorInfo operand = context.Input(kOperand);
  const Shape update = context.Input(kUpdate).shape;
  const int32_t rank = operand.shape.rank;
  const int32_t bytes = ElementBytes(operand.type);
  const auto* const from = context.InputData<uint8_t>(kUpdate);
  auto* const output = context.OutputData<uint8_t>(0);
  memcpy(output, context.InputData<uint8_t>(kOperand),
         static_cast<size_t>(operand.shape.Count()) * static_cast<size_t>(bytes));
  // Finds where the box begins in the output, and the distance of neighbours along each axis, in elements.
  int32_t begin = 0;
  int32_t strides[kMaxRank] = {};
  int32_t stride = 1;
  for (int32_t axis = rank - 1; axis >= 0; --axis) {
    const int64_t wanted = IntegerInput(context, kStart, axis);
    const int32_t last = operand.shape.dims[axis] - update.dims[axis];
    const auto at = static_cast<int32_t>(wanted < 0 ? 0 : wanted > last ? last : wanted);
    begin += at * stride;
    strides[axis] = stride;
    stride *= operand.shape.dims[axis];
  }
  const int32_t run = rank > 0 ? update.dims[rank - 1] : 1;
  int32_t index[kMaxRank] = {};
  for (int32_t done = 0; done < update.Count(); done += run) {
    int32_t at = begin;
    for (int32_t axis = 0; axis < rank - 1; ++axis) at += index[axis] * strides[axis];
    memcpy(output + at * bytes, from + done * bytes, static_cast<size_t>(run * bytes));
    for (int32_t axis = rank - 2; axis >= 0; --axis) {
      if (++index[axis] < update.dims[axis]) break;
      index[axis] = 0;
    }
  }
  return Status::kOk;
}

}  // namespace lutra
