// SPDX-License-Identifier: Apache-2.0
// SPLIT, SPLIT_V, UNPACK.

#include "lutra/ops/ops.h"
#include "runtime/ops/copy.h"

namespace lutra {
namespace {

// Checks that there are `inputs` operands, and as many outputs as the options name pieces of `input`.
Status CheckSplit(PrepareContext& context, int inputs, int input) {
  const int pieces = context.output_count();
  LUTRA_TRY(context.CheckOperandCounts(inputs, inputs, pieces));
  int32_t declared = 0;
  LUTRA_TRY(ReadOptions(context, ReadSplitCount, &declared));
  if (declared != pieces || pieces < 1) {
    return context.Refuse(Rule::kOutputCount, kNoOperand, pieces, declared);
  }
  return RequireMovable(context, input);
}

// Checks that output i has `elements` elements along the axis.
Status CheckPiece(PrepareContext& context, int input, const TensorInfo& whole, int32_t axis, int i,
                  int32_t elements, RunsData* data) {
  LUTRA_TRY(RequireSameType(context, input, OutputOperand(i)));
  Shape shape = whole.shape;
  shape.dims[axis] = elements;
  LUTRA_TRY(RequireShape(context, OutputOperand(i), shape));
  data->run_bytes[i] = shape.Count(axis, shape.rank) * ElementBytes(whole.type);
  return Status::kOk;
}

}  // namespace

Status PrepareSplit(PrepareContext& context) {
  const int pieces = context.output_count();
  LUTRA_TRY(CheckSplit(context, 2, 1));
  const TensorInfo whole = context.Input(1);
  int32_t axis = 0;
  LUTRA_TRY(ReadConstantAxis(context, 0, whole.shape.rank, &axis));
  const int32_t dim = whole.shape.dims[axis];
  if (dim % pieces != 0) return context.Refuse(Rule::kSplitSizes, 1, pieces, dim);
  RunsData* data = nullptr;
  LUTRA_TRY(StoreRuns(context, whole, axis, pieces, &data));
  for (int i = 0; i < pieces; ++i) {
    LUTRA_TRY(CheckPiece(context, 1, whole, axis, i, dim / pieces, data));
  }
  return Status::kOk;
}

Status EvalSplit(EvalContext& context) { return EvalTakeApart(context, 1); }

Status PrepareSplitV(PrepareContext& context) {
  const int pieces = context.output_count();
  LUTRA_TRY(CheckSplit(context, 3, 0));
  const TensorInfo whole = context.Input(0);
  int32_t axis = 0;
  LUTRA_TRY(ReadConstantAxis(context, 2, whole.shape.rank, &axis));
  RunsData* data = nullptr;
  LUTRA_TRY(StoreRuns(context, whole, axis, pieces, &data));
  // The sizes are read into run_bytes, and replaced by bytes later.
  int32_t count = 0;
  LUTRA_TRY(ReadConstantInts(context, 1, pieces, data->run_bytes, &count));
  if (count != pieces) return context.Refuse(Rule::kSplitSizes, 1, count, pieces);
  const int32_t dim = whole.shape.dims[axis];
  int64_t sum = 0;
  int32_t open = -1;  // The piece that gets the remaining elements.
  for (int32_t i = 0; i < pieces; ++i) {
    const int32_t size = data->run_bytes[i];
    if (size == -1 && open < 0) {
      open = i;
    } else if (size < 1 || size > dim) {
      return context.Refuse(Rule::kSplitSizes, 1, size, dim);
    } else {
      sum += size;
    }
  }
  if (open >= 0 ? sum >= dim : sum != dim) {
    return context.Refuse(Rule::kSplitSizes, 1, sum > INT32_MAX ? kNoValue : static_cast<int32_t>(sum), dim);
  }
  if (open >= 0) data->run_bytes[open] = dim - static_cast<int32_t>(sum);
  for (int i = 0; i < pieces; ++i) {
    LUTRA_TRY(CheckPiece(context, 0, whole, axis, i, data->run_bytes[i], data));
  }
  return Status::kOk;
}

Status EvalSplitV(EvalContext& context) { return EvalTakeApart(context, 0); }

}  // namespace lutra
