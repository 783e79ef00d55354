// SPDX-License-Identifier: Apache-2.0
// ADD_N: the sum of two or more tensors of one shape, in the order of the inputs. float32. int8 is refused:
// TFLite Micro's int8 sums are off by the zero point, and no converter writes the operator for int8.

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {

Status PrepareAddN(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, INT32_MAX, 1));
  LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kFloat32));
  for (int i = 0; i < context.input_count(); ++i) {
    LUTRA_TRY(RequireSameType(context, OutputOperand(0), i));
    LUTRA_TRY(RequireShape(context, i, context.Output(0).shape));
  }
  return Status::kOk;
}

Status EvalAddN(EvalContext& context) {
  auto* const output = context.OutputData<float>(0);
  const int32_t count = context.Output(0).shape.Count();
  for (int32_t k = 0; k < count; ++k) output[k] = 0;
  for (int i = 0; i < context.input_count(); ++i) {
    const auto* const input = context.InputData<float>(i);
    for (int32_t k = 0; k < count; ++k) output[k] += input[k];
  }
  return Status::kOk;
}

}  // namespace lutra
