// SPDX-License-Identifier: Apache-2.0
// BROADCAST_ARGS: the shape to which two shapes broadcast. The shapes may be computed. int32, int64.

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

template <typename T>
Status Compute(EvalContext& context) {
  const int32_t a_rank = context.Input(0).shape.Count();
  const int32_t b_rank = context.Input(1).shape.Count();
  const int32_t rank = context.Output(0).shape.Count();
  const T* const a = context.InputData<T>(0);
  const T* const b = context.InputData<T>(1);
  T* const output = context.OutputData<T>(0);
  // Starts with the last dimension, as a shorter shape is filled with ones in front.
  for (int32_t back = 1; back <= rank; ++back) {
    const T of_a = back <= a_rank ? a[a_rank - back] : 1;
    const T of_b = back <= b_rank ? b[b_rank - back] : 1;
    if (of_a != of_b && of_a != 1 && of_b != 1) {
      return context.Refuse(Rule::kRuntimeShape, 1, static_cast<int32_t>(of_b), static_cast<int32_t>(of_a));
    }
    output[rank - back] = of_a == 1 ? of_b : of_a;
  }
  return Status::kOk;
}

}  // namespace

Status PrepareBroadcastArgs(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  if (context.Input(0).type != TensorType::kInt64) LUTRA_TRY(RequireType(context, 0, TensorType::kInt32));
  LUTRA_TRY(RequireSameType(context, 0, 1));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  LUTRA_TRY(RequireRank(context, 0, 1, 1));
  LUTRA_TRY(RequireRank(context, 1, 1, 1));
  const Shape& a = context.Input(0).shape;
  const Shape& b = context.Input(1).shape;
  return RequireShape(context, OutputOperand(0), a.dims[0] > b.dims[0] ? a : b);
}

Status EvalBroadcastArgs(EvalContext& context) {
  return context.Output(0).type == TensorType::kInt64 ? Compute<int64_t>(context) : Compute<int32_t>(context);
}

}  // namespace lutra
