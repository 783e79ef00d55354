// SPDX-License-Identifier: Apache-2.0
// Code of the operators that only move data: plans, runs along an axis, the copy itself.

#include "runtime/ops/copy.h"

#include <string.h>

namespace lutra {
namespace {

// With shorter rows, a call for each row costs more than the bytes that it could save.
constexpr int32_t kMinRowBytes = 16;

int32_t RowCount(const CopyDim& rows) { return rows.before + rows.count + rows.after; }

}  // namespace

Status RequireMovable(PrepareContext& context, int operand) {
  const TensorType type = OperandInfo(context, operand).type;
  switch (type) {
    case TensorType::kBool:
    case TensorType::kInt8:
    case TensorType::kInt16:
    case TensorType::kInt32:
    case TensorType::kInt64:
    case TensorType::kFloat32:
      return Status::kOk;
    case TensorType::kUInt8:
      return context.TakesUint8() ? Status::kOk : context.Refuse(Rule::kUint8, operand);
    default:
      return context.Refuse(Rule::kOperandType, operand, static_cast<int32_t>(type));
  }
}

Status RequireMove(PrepareContext& context, int inputs, int input) {
  LUTRA_TRY(context.CheckOperandCounts(inputs, inputs, 1));
  LUTRA_TRY(RequireMovable(context, input));
  return RequireSameType(context, input, OutputOperand(0));
}

void DenseStrides(const Shape& shape, int32_t element_bytes, int32_t* strides) {
  int32_t stride = element_bytes;
  for (int32_t i = shape.rank - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape.dims[i];
  }
}

void PlanDense(const Shape& input, const Shape& output, int32_t element_bytes, CopyPlan* plan) {
  int32_t input_strides[kMaxRank];
  int32_t output_strides[kMaxRank];
  DenseStrides(input, element_bytes, input_strides);
  DenseStrides(output, element_bytes, output_strides);
  plan->rank = output.rank;
  plan->element_bytes = element_bytes;
  for (int32_t i = 0; i < output.rank; ++i) {
    plan->dims[i] = {output.dims[i], input_strides[i], output_strides[i], 0, 0};
  }
}

Status DeclareBoxRows(PrepareContext& context, const Shape& input, const Shape& output, const int32_t* begin,
                      const int32_t* step, CopyPlan* plan) {
  // A row is the part inside the first dimension that has more than one element in the input or the output.
  int32_t axis = 0;
  while (axis < output.rank && input.dims[axis] == 1 && output.dims[axis] == 1) ++axis;
  if (axis == output.rank || step[axis] < 1) return Status::kOk;
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.in_rows = input.dims[axis];
  map.out_rows = output.dims[axis];
  map.in_row_bytes = plan->element_bytes * input.Count(axis + 1, input.rank);
  map.out_row_bytes = plan->element_bytes * output.Count(axis + 1, output.rank);
  map.stride = step[axis];
  map.pad_before = -begin[axis];
  if (map.out_row_bytes < kMinRowBytes) return Status::kOk;
  for (int32_t i = axis; i < plan->rank; ++i) plan->dims[i - axis] = plan->dims[i];
  plan->rank -= axis;
  plan->by_rows = true;
  return context.DeclareRows(0, 0, map);
}

Status StoreCopy(PrepareContext& context, CopyPlan& plan, int input) {
  CopyData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  const int32_t rank = MergeCopyDims(plan.dims, plan.rank, plan.by_rows ? 1 : 0, plan.element_bytes);
  CopyDim* dims = nullptr;
  LUTRA_TRY(context.AllocateArray(rank, RecordKind::kOperatorData, &dims));
  for (int32_t i = 0; i < rank; ++i) dims[i] = plan.dims[i];
  data->run = context.Choose(kCopy);
  data->dims = dims;
  data->input_offset = plan.input_offset;
  data->input = static_cast<uint8_t>(input);
  data->rank = static_cast<uint8_t>(rank);
  data->element_bytes = static_cast<uint8_t>(plan.element_bytes);
  memcpy(data->fill, plan.fill, sizeof(data->fill));
  return Status::kOk;
}

Status EvalCopy(EvalContext& context) {
  const auto& data = context.Data<CopyData>();
  CopyArgs args;
  args.input = context.InputData<uint8_t>(data.input) + data.input_offset;
  args.output = context.OutputData<uint8_t>(0);
  args.dims = data.dims;
  args.rank = data.rank;
  args.element_bytes = data.element_bytes;
  memcpy(args.fill, data.fill, sizeof(args.fill));
  context.ForEachRows(RowCount(data.dims[0]),
                      [&](int32_t first_row, int32_t row_count) { data.run(args, first_row, row_count); });
  return Status::kOk;
}

Status StoreRuns(PrepareContext& context, const TensorInfo& whole, int32_t axis, int32_t pieces,
                 RunsData** data) {
  LUTRA_TRY(context.AllocateData(data));
  RunsData& runs = **data;
  runs.run = context.Choose(kCopy);
  runs.outer = whole.shape.Count(0, axis);
  runs.whole_bytes = whole.shape.Count(axis, whole.shape.rank) * ElementBytes(whole.type);
  return context.AllocateArray(pieces, RecordKind::kOperatorData, &runs.run_bytes);
}

Status PreparePack(PrepareContext& context) {
  const bool whole_is_input = context.op().code == BuiltinOperator::kUnpack;
  const int whole_operand = whole_is_input ? 0 : OutputOperand(0);
  const int pieces = whole_is_input ? context.output_count() : context.input_count();
  LUTRA_TRY(whole_is_input ? context.CheckOperandCounts(1, 1, pieces)
                           : context.CheckOperandCounts(pieces, pieces, 1));
  LUTRA_TRY(RequireMovable(context, whole_operand));
  AxisOptions options;
  LUTRA_TRY(ReadOptions(context, ReadAxisOptions, &options));
  if (options.count != pieces || pieces < 1) {
    return context.Refuse(whole_is_input ? Rule::kOutputCount : Rule::kInputCount, kNoOperand, pieces,
                          options.count);
  }
  const TensorInfo whole = OperandInfo(context, whole_operand);
  int32_t axis = 0;
  LUTRA_TRY(RequireAxis(context, kNoOperand, options.axis, whole.shape.rank, &axis));
  if (whole.shape.dims[axis] != pieces) {
    return context.Refuse(Rule::kOperandShape, whole_operand, whole.shape.dims[axis], pieces);
  }
  Shape shape;
  for (int32_t i = 0; i < whole.shape.rank; ++i) {
    if (i != axis) shape.dims[shape.rank++] = whole.shape.dims[i];
  }
  RunsData* data = nullptr;
  LUTRA_TRY(StoreRuns(context, whole, axis, pieces, &data));
  for (int i = 0; i < pieces; ++i) {
    const int piece = whole_is_input ? OutputOperand(i) : i;
    LUTRA_TRY(RequireSameType(context, whole_operand, piece));
    LUTRA_TRY(RequireShape(context, piece, shape));
    data->run_bytes[i] = data->whole_bytes / pieces;
  }
  return Status::kOk;
}

namespace {

// Copies runs of so many bytes, which begin `input_stride` and `output_stride` bytes apart.
void CopyRuns(const RunsData& data, int32_t bytes, int32_t input_stride, int32_t output_stride,
              const uint8_t* input, uint8_t* output) {
  if (data.outer == 1) {
    memcpy(output, input, static_cast<size_t>(bytes));
    return;
  }
  CopyPlan plan = {{{data.outer, input_stride, output_stride, 0, 0}, {bytes, 1, 1, 0, 0}}, 2, 1};
  RunCopy(data.run, plan, input, output);
}

}  // namespace

void JoinPiece(const RunsData& data, int piece, const uint8_t* input, uint8_t* output) {
  const int32_t bytes = data.run_bytes[piece];
  CopyRuns(data, bytes, bytes, data.whole_bytes, input, output);
}

Status EvalJoin(EvalContext& context) {
  const auto& data = context.Data<RunsData>();
  uint8_t* output = context.OutputData<uint8_t>(0);
  for (int i = 0; i < context.input_count(); ++i) {
    JoinPiece(data, i, context.InputData<uint8_t>(i), output);
    output += data.run_bytes[i];
  }
  return Status::kOk;
}

Status EvalTakeApart(EvalContext& context, int input) {
  const auto& data = context.Data<RunsData>();
  const uint8_t* from = context.InputData<uint8_t>(input);
  for (int i = 0; i < context.output_count(); ++i) {
    const int32_t bytes = data.run_bytes[i];
    CopyRuns(data, bytes, data.whole_bytes, bytes, from, context.OutputData<uint8_t>(i));
    from += bytes;
  }
  return Status::kOk;
}

void RunCopy(CopyFn run, CopyPlan& plan, const uint8_t* input, uint8_t* output) {
  CopyArgs args;
  args.input = input + plan.input_offset;
  args.output = output;
  args.dims = plan.dims;
  args.rank = MergeCopyDims(plan.dims, plan.rank, 0, plan.element_bytes);
  args.element_bytes = plan.element_bytes;
  memcpy(args.fill, plan.fill, sizeof(args.fill));
  run(args, 0, RowCount(plan.dims[0]));
}

}  // namespace lutra
