// SPDX-License-Identifier: Apache-2.0

#include "runtime/ops/signal.h"

namespace lutra {

Status RequireVector(PrepareContext& context, int operand, TensorType type, int32_t size) {
  LUTRA_TRY(RequireRank(context, operand, 1, 1));
  return RequireRowsOf(context, operand, type,
                       size == kAnySize ? OperandInfo(context, operand).shape[0] : size);
}

Status RequireScalar(PrepareContext& context, int operand, TensorType type) {
  LUTRA_TRY(RequireType(context, operand, type));
  return RequireRank(context, operand, 0, 0);
}

Status RequireRowsOf(PrepareContext& context, int operand, TensorType type, int32_t size) {
  LUTRA_TRY(RequireType(context, operand, type));
  LUTRA_TRY(RequireRank(context, operand, 1, kMaxRank));
  const int32_t found = OperandInfo(context, operand).shape.Depth();
  return found == size ? Status::kOk : context.Refuse(Rule::kOperandShape, operand, found, size);
}

}  // namespace lutra
