// SPDX-License-Identifier: Apache-2.0
// CUMSUM of float32: running sums along an axis, which may be computed. Rule: TFLite Micro's kernel. int8 is
// refused: its sums are off by the zero point there, and no converter writes the operator for int8.

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

constexpr int kAxis = 1;

}  // namespace

Status PrepareCumsum(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireType(context, 0, TensorType::kFloat32));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  const Shape shape = context.Input(0).shape;
  LUTRA_TRY(RequireShape(context, OutputOperand(0), shape));
  LUTRA_TRY(RequireType(context, kAxis, TensorType::kInt32));
  const TensorInfo axis = context.Input(kAxis);
  if (axis.shape.Count() != 1) return context.Refuse(Rule::kElementCount, kAxis, axis.shape.Count(), 1);
  if (axis.is_constant()) {
    int32_t ignored = 0;
    LUTRA_TRY(ReadConstantAxis(context, kAxis, shape.rank, &ignored));
  }
  CumsumOptions* options = nullptr;
  LUTRA_TRY(context.AllocateData(&options));
  *options = {};
  return ReadOptions(context, ReadCumsumOptions, options);
}

Status EvalCumsum(EvalContext& context) {
  const auto& options = context.Data<CumsumOptions>();
  const Shape shape = context.Input(0).shape;
  const int32_t written = *context.InputData<int32_t>(kAxis);
  int32_t axis = 0;
  if (!NormalizeAxis(written, shape.rank, &axis)) {
    return context.Refuse(Rule::kRuntimeIndex, kAxis, written, shape.rank);
  }
  const int32_t count = shape.dims[axis];
  const int32_t inner = shape.Count(axis + 1, shape.rank);
  const auto* const input = context.InputData<float>(0);
  auto* const output = context.OutputData<float>(0);
  for (int32_t outer = 0; outer < shape.Count(0, axis); ++outer) {
    for (int32_t i = 0; i < inner; ++i) {
      float sum = 0;
      for (int32_t step = 0; step < count; ++step) {
        const int32_t k = options.reverse ? count - 1 - step : step;
        const int32_t at = (outer * count + k) * inner + i;
        if (options.exclusive) output[at] = sum;
        sum += input[at];
        if (!options.exclusive) output[at] = sum;
      }
    }
  }
  return Status::kOk;
}

}  // namespace lutra
