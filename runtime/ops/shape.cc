// SPDX-License-Identifier: Apache-2.0
// SHAPE: the input's dimensions as numbers.

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {

Status PrepareShape(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  if (context.Output(0).type != TensorType::kInt64) {
    LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kInt32));
  }
  Shape shape;
  shape.rank = 1;
  shape.dims[0] = context.Input(0).shape.rank;
  return RequireShape(context, OutputOperand(0), shape);
}

Status EvalShape(EvalContext& context) {
  const Shape shape = context.Input(0).shape;
  const bool wide = context.Output(0).type == TensorType::kInt64;
  for (int32_t i = 0; i < shape.rank; ++i) {
    if (wide) {
      context.OutputData<int64_t>(0)[i] = shape.dims[i];
    } else {
      context.OutputData<int32_t>(0)[i] = shape.dims[i];
    }
  }
  return Status::kOk;
}

}  // namespace lutra
