// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE, REVERSE_V2.

#include "lutra/ops/ops.h"
#include "runtime/ops/copy.h"

namespace lutra {

Status PrepareTranspose(PrepareContext& context) {
  LUTRA_TRY(RequireMove(context, 2, 0));
  const TensorInfo input = context.Input(0);
  int32_t permutation[kMaxRank];
  int32_t count = 0;
  LUTRA_TRY(ReadConstantInts(context, 1, kMaxRank, permutation, &count));
  if (count != input.shape.rank) {
    return context.Refuse(Rule::kPermutation, 1, count, input.shape.rank);
  }
  const int32_t element_bytes = ElementBytes(input.type);
  int32_t input_strides[kMaxRank];
  DenseStrides(input.shape, element_bytes, input_strides);
  Shape shape;
  shape.rank = count;
  CopyPlan plan;
  uint32_t seen = 0;
  int32_t strides[kMaxRank];
  for (int32_t i = 0; i < count; ++i) {
    int32_t axis = 0;
    if (!NormalizeAxis(permutation[i], count, &axis) || (seen >> axis & 1) != 0) {
      return context.Refuse(Rule::kPermutation, 1, permutation[i]);
    }
    seen |= 1u << axis;
    shape.dims[i] = input.shape.dims[axis];
    strides[i] = input_strides[axis];
  }
  LUTRA_TRY(RequireShape(context, OutputOperand(0), shape));
  PlanDense(shape, shape, element_bytes, &plan);
  for (int32_t i = 0; i < count; ++i) plan.dims[i].input_stride = strides[i];
  return StoreCopy(context, plan);
}

Status PrepareReverseV2(PrepareContext& context) {
  LUTRA_TRY(RequireMove(context, 2, 0));
  const TensorInfo input = context.Input(0);
  LUTRA_TRY(RequireShape(context, OutputOperand(0), input.shape));
  int32_t axes[kMaxRank];
  int32_t count = 0;
  LUTRA_TRY(ReadConstantInts(context, 1, kMaxRank, axes, &count));
  CopyPlan plan;
  PlanDense(input.shape, input.shape, ElementBytes(input.type), &plan);
  uint32_t seen = 0;
  for (int32_t i = 0; i < count; ++i) {
    int32_t axis = 0;
    if (!NormalizeAxis(axes[i], input.shape.rank, &axis) || (seen >> axis & 1) != 0) {
      return context.Refuse(Rule::kAxis, 1, axes[i], input.shape.rank);
    }
    seen |= 1u << axis;
    CopyDim& dim = plan.dims[axis];
    plan.input_offset += (dim.count - 1) * dim.input_stride;
    dim.input_stride = -dim.input_stride;
  }
  return StoreCopy(context, plan);
}

}  // namespace lutra
