// SPDX-License-Identifier: Apache-2.0
// RESHAPE, SQUEEZE, EXPAND_DIMS: the input's bytes in another shape. The output tensor's shape counts; the
// shape that the operator names is compared with it if it is constant.

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

Status DeclareSameBytes(PrepareContext& context) {
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  const int32_t found = context.Output(0).shape.Count();
  const int32_t required = context.Input(0).shape.Count();
  if (found != required) {
    return context.Refuse(Rule::kElementCount, OutputOperand(0), found, required);
  }
  return context.DeclareAlias(0, 0);
}

}  // namespace

Status PrepareReshape(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 2, 1));
  return DeclareSameBytes(context);
}

Status PrepareSqueeze(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  PackedList<int32_t> axes;
  LUTRA_TRY(ReadOptions(context, ReadDimensionList, &axes));
  const Shape input = context.Input(0).shape;
  uint32_t squeezed = 0;
  for (int32_t i = 0; i < axes.size(); ++i) {
    int32_t axis = 0;
    LUTRA_TRY(RequireAxis(context, 0, axes[i], input.rank, &axis));
    if (input.dims[axis] != 1) {
      return context.Refuse(Rule::kOperandShape, 0, input.dims[axis], 1);
    }
    squeezed |= 1u << axis;
  }
  Shape shape;
  for (int32_t i = 0; i < input.rank; ++i) {
    const bool drop = axes.size() == 0 ? input.dims[i] == 1 : (squeezed >> i & 1) != 0;
    if (!drop) shape.dims[shape.rank++] = input.dims[i];
  }
  LUTRA_TRY(RequireShape(context, OutputOperand(0), shape));
  return DeclareSameBytes(context);
}

Status PrepareExpandDims(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  const Shape input = context.Input(0).shape;
  int32_t axis = 0;
  LUTRA_TRY(ReadConstantAxis(context, 1, input.rank + 1, &axis));
  if (input.rank == kMaxRank) return context.Refuse(Rule::kOperandRank, 0, kMaxRank, kMaxRank - 1);
  Shape shape;
  shape.rank = input.rank + 1;
  for (int32_t i = 0; i < shape.rank; ++i) {
    shape.dims[i] = i == axis ? 1 : input.dims[i < axis ? i : i - 1];
  }
  LUTRA_TRY(RequireShape(context, OutputOperand(0), shape));
  return DeclareSameBytes(context);
}

Status EvalReshape(EvalContext& context) {
  context.CopyUnlessAliased(0, 0);
  return Status::kOk;
}

}  // namespace lutra
