// SPDX-License-Identifier: Apache-2.0
// GATHER and GATHER_ND. Indices that are constants are checked once, others at each run.

#include "lutra/kernels/gather/gather.h"

#include <stdint.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

constexpr int kInput = 0;
constexpr int kIndices = 1;
constexpr int kOutput = OutputOperand(0);

struct GatherData {
  static constexpr BoardRecord kBoardRecord = {28, 28};

  int32_t batches;
  int32_t outer;
  int32_t axis_size;
  int32_t index_count;
  int32_t block_bytes;
  bool wide_indices;
  bool constant_indices;
  GatherFn run;
};

struct GatherNdData {
  static constexpr BoardRecord kBoardRecord = {52, 52};

  int32_t tuple_count;
  int32_t depth;
  int32_t block_bytes;
  bool wide_indices;
  bool constant_indices;
  int32_t sizes[kMaxRank];
  GatherNdFn run;
};

// Elements of any type are moved.
Status CheckTypes(PrepareContext& context) {
  const TensorType type = context.Input(kInput).type;
  if (type == TensorType::kUInt8 && !context.TakesUint8()) return context.Refuse(Rule::kUint8, kInput);
  if (ElementBytes(type) == 0) {
    return context.Refuse(Rule::kOperandType, kInput, static_cast<int32_t>(type));
  }
  LUTRA_TRY(RequireSameType(context, kInput, kOutput));
  if (context.Input(kIndices).type == TensorType::kInt64) return Status::kOk;
  return RequireType(context, kIndices, TensorType::kInt32);
}

Status CheckConstantIndices(PrepareContext& context, bool wide, const int32_t* sizes, int32_t depth) {
  const void* const values = context.ConstantInput<void>(kIndices);
  int32_t bad = 0;
  const IndexList indices = {values, wide};
  if (IndicesInside(indices, context.Input(kIndices).shape.Count(), sizes, depth, &bad)) {
    return Status::kOk;
  }
  return context.Refuse(Rule::kIndex, kIndices, static_cast<int32_t>(indices[bad]), sizes[bad % depth]);
}

Status CheckIndices(const MicroContext& context, const IndexList& indices, int32_t count,
                    const int32_t* sizes, int32_t depth) {
  int32_t bad = 0;
  if (IndicesInside(indices, count, sizes, depth, &bad)) return Status::kOk;
  return context.Refuse(Rule::kRuntimeIndex, kIndices, static_cast<int32_t>(indices[bad]),
                        sizes[bad % depth]);
}

// Appends the dimensions [first, last) of `from` to `shape`. Returns false if they are too many.
bool Append(const Shape& from, int32_t first, int32_t last, Shape* shape) {
  for (int32_t i = first; i < last; ++i) {
    if (shape->rank == kMaxRank) return false;
    shape->dims[shape->rank++] = from[i];
  }
  return true;
}

}  // namespace

Status PrepareGather(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  AxisOptions options;
  LUTRA_TRY(ReadOptions(context, ReadAxisOptions, &options));
  LUTRA_TRY(CheckTypes(context));
  GatherData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  const TensorInfo input = context.Input(kInput);
  const TensorInfo indices = context.Input(kIndices);
  const Shape& shape = input.shape;
  int32_t axis = 0;
  LUTRA_TRY(RequireAxis(context, kInput, options.axis, shape.rank, &axis));
  const int32_t index_rank = indices.shape.rank;
  const int32_t batch_dims = options.batch_dims < 0 ? options.batch_dims + index_rank : options.batch_dims;
  if (batch_dims < 0 || batch_dims > index_rank || batch_dims > axis) {
    return context.Refuse(Rule::kAxis, kIndices, options.batch_dims, axis);
  }
  for (int32_t i = 0; i < batch_dims; ++i) {
    if (shape[i] != indices.shape[i]) {
      return context.Refuse(Rule::kOperandShape, kIndices, indices.shape[i], shape[i]);
    }
  }
  Shape required;
  if (!Append(shape, 0, axis, &required) || !Append(indices.shape, batch_dims, index_rank, &required) ||
      !Append(shape, axis + 1, shape.rank, &required)) {
    return context.Refuse(Rule::kOperandRank, kIndices, index_rank);
  }
  LUTRA_TRY(RequireShape(context, kOutput, required));
  data->batches = shape.Count(0, batch_dims);
  data->outer = shape.Count(batch_dims, axis);
  data->axis_size = shape[axis];
  data->index_count = indices.shape.Count(batch_dims, index_rank);
  data->block_bytes = shape.Count(axis + 1, shape.rank) * ElementBytes(input.type);
  data->wide_indices = indices.type == TensorType::kInt64;
  data->constant_indices = indices.is_constant();
  data->run = context.Choose(kGatherBlocks);
  if (!data->constant_indices) return Status::kOk;
  return CheckConstantIndices(context, data->wide_indices, &data->axis_size, 1);
}

Status EvalGather(EvalContext& context) {
  const auto& data = context.Data<GatherData>();
  const GatherArgs args = {
      .input = context.InputData<uint8_t>(kInput),
      .output = context.OutputData<uint8_t>(0),
      .indices = {context.InputData<void>(kIndices), data.wide_indices},
      .batches = data.batches,
      .outer = data.outer,
      .axis_size = data.axis_size,
      .index_count = data.index_count,
      .block_bytes = data.block_bytes,
  };
  if (!data.constant_indices) {
    LUTRA_TRY(CheckIndices(context, args.indices, data.batches * data.index_count, &data.axis_size, 1));
  }
  data.run(args);
  return Status::kOk;
}

Status PrepareGatherNd(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(CheckTypes(context));
  LUTRA_TRY(RequireRank(context, kIndices, 1, kMaxRank));
  GatherNdData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  const TensorInfo input = context.Input(kInput);
  const TensorInfo indices = context.Input(kIndices);
  const int32_t tuple_dims = indices.shape.rank - 1;
  const int32_t depth = indices.shape.Depth();
  if (depth > input.shape.rank) {
    return context.Refuse(Rule::kOperandShape, kIndices, depth, input.shape.rank);
  }
  Shape required;
  if (!Append(indices.shape, 0, tuple_dims, &required) ||
      !Append(input.shape, depth, input.shape.rank, &required)) {
    return context.Refuse(Rule::kOperandRank, kIndices, indices.shape.rank);
  }
  LUTRA_TRY(RequireShape(context, kOutput, required));
  data->tuple_count = indices.shape.OuterCount();
  data->depth = depth;
  data->block_bytes = input.shape.Count(depth, input.shape.rank) * ElementBytes(input.type);
  data->wide_indices = indices.type == TensorType::kInt64;
  data->constant_indices = indices.is_constant();
  for (int32_t i = 0; i < depth; ++i) data->sizes[i] = input.shape[i];
  data->run = context.Choose(kGatherNdBlocks);
  if (!data->constant_indices) return Status::kOk;
  return CheckConstantIndices(context, data->wide_indices, data->sizes, depth);
}

Status EvalGatherNd(EvalContext& context) {
  const auto& data = context.Data<GatherNdData>();
  const GatherNdArgs args = {
      .input = context.InputData<uint8_t>(kInput),
      .output = context.OutputData<uint8_t>(0),
      .indices = {context.InputData<void>(kIndices), data.wide_indices},
      .tuple_count = data.tuple_count,
      .depth = data.depth,
      .sizes = data.sizes,
      .block_bytes = data.block_bytes,
  };
  if (!data.constant_indices) {
    LUTRA_TRY(CheckIndices(context, args.indices, data.tuple_count * data.depth, data.sizes, data.depth));
  }
  data.run(args);
  return Status::kOk;
}

}  // namespace lutra
