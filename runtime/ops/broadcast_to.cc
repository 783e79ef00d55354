// SPDX-License-Identifier: Apache-2.0
// BROADCAST_TO.

#include "lutra/ops/ops.h"
#include "runtime/ops/copy.h"

namespace lutra {

Status PrepareBroadcastTo(PrepareContext& context) {
  LUTRA_TRY(RequireMove(context, 2, 0));
  Shape shape;
  LUTRA_TRY(ReadConstantInts(context, 1, kMaxRank, shape.dims, &shape.rank));
  LUTRA_TRY(RequireShape(context, OutputOperand(0), shape));
  const TensorInfo input = context.Input(0);
  if (input.shape.rank > shape.rank) {
    return context.Refuse(Rule::kBroadcast, 0, input.shape.rank, shape.rank);
  }
  const Shape extended = ExtendedShape(input.shape, shape.rank);
  CopyPlan plan;
  PlanDense(extended, shape, ElementBytes(input.type), &plan);
  for (int32_t i = 0; i < shape.rank; ++i) {
    if (extended.dims[i] == shape.dims[i]) continue;
    if (extended.dims[i] != 1) {
      return context.Refuse(Rule::kBroadcast, 0, extended.dims[i], shape.dims[i]);
    }
    plan.dims[i].input_stride = 0;
  }
  return StoreCopy(context, plan);
}

}  // namespace lutra
