// SPDX-License-Identifier: Apache-2.0
// SPACE_TO_DEPTH, DEPTH_TO_SPACE, SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND.

#include "lutra/ops/ops.h"
#include "runtime/ops/copy.h"

namespace lutra {
namespace {

// One spatial dimension of SPACE_TO_BATCH_ND or BATCH_TO_SPACE_ND.
struct SpaceDim {
  int32_t block;
  int32_t margin;  // Padding or crop before the first element.
};
struct BatchData {
  static constexpr BoardRecord kBoardRecord = {24, 24};

  CopyFn run;
  SpaceDim dims[2];  // Height and width; width is {1, 0} where the tensors have rank 3.
  uint8_t fill;
};

// Operand 1: blocks [M]; operand 2: paddings or crops [M, 2], where M = rank - 2.
// batched[(dy * block_w + dx) * B + b, y, x, c] =
//   spatial[b, y * block_h + dy - margin_h, x * block_w + dx - margin_w, c]
Status PrepareBatch(PrepareContext& context, BatchData** result) {
  const bool input_is_spatial = context.op().code == BuiltinOperator::kSpaceToBatchNd;
  LUTRA_TRY(RequireMove(context, 3, 0));
  LUTRA_TRY(RequireRank(context, 0, 3, 4));
  const Shape in = context.Input(0).shape;
  const int32_t spatial_rank = in.rank - 2;
  int32_t blocks[2];
  int32_t margins[4];
  LUTRA_TRY(ReadConstantList(context, 1, spatial_rank, blocks));
  LUTRA_TRY(ReadConstantList(context, 2, 2 * spatial_rank, margins));
  BatchData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kCopy);
  data->dims[1].block = 1;
  Shape out = in;
  int64_t batch = in.dims[0];
  for (int32_t i = 0; i < spatial_rank; ++i) {
    const int64_t block = blocks[i];
    const int64_t before = margins[2 * i];
    const int64_t after = margins[2 * i + 1];
    if (block < 1) return context.Refuse(Rule::kBlockSize, 1, blocks[i], 1);
    if (before < 0 || after < 0) return context.Refuse(Rule::kPaddings, 2);
    data->dims[i] = {blocks[i], margins[2 * i]};
    const int64_t size = in.dims[i + 1];
    int64_t out_size = 0;
    if (input_is_spatial) {
      const int64_t padded = size + before + after;
      if (padded % block != 0) return context.Refuse(Rule::kBlockSize, 1, blocks[i]);
      out_size = padded / block;
      batch *= block;
    } else {
      out_size = size * block - before - after;
      if (batch % block != 0) return context.Refuse(Rule::kBlockSize, 1, blocks[i]);
      batch /= block;
    }
    if (out_size < 1 || out_size > INT32_MAX) return context.Refuse(Rule::kPaddings, 2);
    if (batch > INT32_MAX) return context.Refuse(Rule::kBlockSize, 1, blocks[i]);
    out.dims[i + 1] = static_cast<int32_t>(out_size);
  }
  out.dims[0] = static_cast<int32_t>(batch);
  *result = data;
  return RequireShape(context, OutputOperand(0), out);
}

// Returns the shape as [B, H, W, C], with W = 1 if the rank is 3.
Shape ImageShape(Shape shape) {
  if (shape.rank == 3) {
    shape.dims[3] = shape.dims[2];
    shape.dims[2] = 1;
    shape.rank = 4;
  }
  return shape;
}

}  // namespace

// `wide` is the tensor with larger images, `deep` the one with more channels, both [B, H, W, C]:
//   deep[b, y, x, (dy * block + dx) * C + c] = wide[b, y * block + dy, x * block + dx, c]
Status PrepareDepth(PrepareContext& context) {
  const bool input_is_wide = context.op().code == BuiltinOperator::kSpaceToDepth;
  LUTRA_TRY(RequireMove(context, 1, 0));
  LUTRA_TRY(RequireRank(context, 0, 4, 4));
  int32_t block = 0;
  LUTRA_TRY(ReadOptions(context, ReadBlockSize, &block));
  if (block < 1) return context.Refuse(Rule::kBlockSize, 0, block, 1);
  const TensorInfo input = context.Input(0);
  const Shape& in = input.shape;
  Shape out = in;
  if (input_is_wide) {
    for (int i = 1; i <= 2; ++i) {
      if (in.dims[i] % block != 0) return context.Refuse(Rule::kBlockSize, 0, in.dims[i], block);
      out.dims[i] = in.dims[i] / block;
    }
    // `block` is at most a dimension, whose square fits int64.
    const int64_t depth = static_cast<int64_t>(block) * block;
    if (depth > INT32_MAX / in.dims[3]) return context.Refuse(Rule::kBlockSize, 0, block);
    out.dims[3] = in.dims[3] * static_cast<int32_t>(depth);
  } else {
    if (in.dims[3] / block % block != 0 || in.dims[3] % block != 0) {
      return context.Refuse(Rule::kBlockSize, 0, in.dims[3], block);
    }
    out.dims[3] = in.dims[3] / block / block;
    for (int i = 1; i <= 2; ++i) {
      if (in.dims[i] > INT32_MAX / block) return context.Refuse(Rule::kBlockSize, 0, block);
      out.dims[i] = in.dims[i] * block;
    }
  }
  LUTRA_TRY(RequireShape(context, OutputOperand(0), out));

  const Shape& wide = input_is_wide ? in : out;
  const Shape& deep = input_is_wide ? out : in;
  const int32_t element_bytes = ElementBytes(input.type);
  const int32_t pixel_bytes = wide.dims[3] * element_bytes;
  const int32_t wide_row_bytes = wide.dims[2] * pixel_bytes;
  const int32_t deep_pixel_bytes = deep.dims[3] * element_bytes;
  const int32_t deep_row_bytes = deep.dims[2] * deep_pixel_bytes;
  const struct {
    int32_t count;
    int32_t wide_stride;
    int32_t deep_stride;
  } loops[] = {{deep.dims[0] * deep.dims[1], block * wide_row_bytes, deep_row_bytes},
               {deep.dims[2], block * pixel_bytes, deep_pixel_bytes},
               {block, wide_row_bytes, block * pixel_bytes},
               {block, pixel_bytes, pixel_bytes},
               {wide.dims[3], element_bytes, element_bytes}};
  CopyPlan plan;
  plan.element_bytes = element_bytes;
  for (const auto& loop : loops) {
    plan.dims[plan.rank++] = {loop.count, input_is_wide ? loop.wide_stride : loop.deep_stride,
                              input_is_wide ? loop.deep_stride : loop.wide_stride, 0, 0};
  }
  plan.by_rows = true;
  // `block` rows of the wide tensor hold the elements of one row of the deep tensor.
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.images = deep.dims[0];
  map.in_rows = map.out_rows = deep.dims[1];
  map.in_row_bytes = plan.dims[0].input_stride;
  map.out_row_bytes = plan.dims[0].output_stride;
  LUTRA_TRY(context.DeclareRows(0, 0, map));
  return StoreCopy(context, plan);
}

Status PrepareSpaceToBatchNd(PrepareContext& context) {
  BatchData* data = nullptr;
  LUTRA_TRY(PrepareBatch(context, &data));
  const TensorType type = context.Input(0).type;
  if (type == TensorType::kInt8 || type == TensorType::kUInt8) {
    LUTRA_TRY(RequirePerTensor(context, OutputOperand(0)));
    data->fill = static_cast<uint8_t>(context.Output(0).zero_point);
  }
  return Status::kOk;
}

Status PrepareBatchToSpaceNd(PrepareContext& context) {
  BatchData* data = nullptr;
  return PrepareBatch(context, &data);
}

Status EvalSpaceBatch(EvalContext& context) {
  const bool input_is_spatial = context.op().code == BuiltinOperator::kSpaceToBatchNd;
  const auto& data = context.Data<BatchData>();
  const TensorInfo input = context.Input(0);
  const Shape in = ImageShape(input.shape);
  const Shape out = ImageShape(context.Output(0).shape);
  const Shape& spatial = input_is_spatial ? in : out;
  const Shape& batched = input_is_spatial ? out : in;
  const int32_t element_bytes = ElementBytes(input.type);
  int32_t spatial_strides[4];
  int32_t batched_strides[4];
  DenseStrides(spatial, element_bytes, spatial_strides);
  DenseStrides(batched, element_bytes, batched_strides);
  const int32_t blocks = data.dims[0].block * data.dims[1].block;
  for (int32_t part = 0; part < blocks; ++part) {
    const int32_t shifts[] = {part / data.dims[1].block, part % data.dims[1].block};
    CopyPlan plan;
    plan.rank = 4;
    plan.element_bytes = element_bytes;
    plan.fill[0] = data.fill;
    int32_t spatial_offset = 0;
    int32_t batched_offset = part * spatial.dims[0] * batched_strides[0];
    for (int i = 0; i < 4; ++i) {
      CopyDim& dim = plan.dims[i];
      dim.count = spatial.dims[i];
      int32_t block = 1;
      if (i == 1 || i == 2) {
        // Batched element y is spatial element y * block - lead; those in [first, end) exist.
        block = data.dims[i - 1].block;
        const int64_t lead = static_cast<int64_t>(data.dims[i - 1].margin) - shifts[i - 1];
        const int64_t size = batched.dims[i];
        int64_t first = lead > 0 ? (lead + block - 1) / block : 0;
        int64_t end = spatial.dims[i] + lead > 0 ? (spatial.dims[i] + lead + block - 1) / block : 0;
        if (end > size) end = size;
        if (first > end) first = end;
        dim.count = static_cast<int32_t>(end - first);
        if (input_is_spatial) {
          dim.before = static_cast<int32_t>(first);
          dim.after = static_cast<int32_t>(size - end);
        } else {
          batched_offset += static_cast<int32_t>(first) * batched_strides[i];
        }
        if (dim.count > 0) {
          spatial_offset += static_cast<int32_t>(first * block - lead) * spatial_strides[i];
        }
      }
      // If at most one element is copied, the step is not used, and may be too large for a stride.
      const int32_t spatial_stride = spatial_strides[i] * (dim.count > 1 ? block : 1);
      dim.input_stride = input_is_spatial ? spatial_stride : batched_strides[i];
      dim.output_stride = input_is_spatial ? batched_strides[i] : spatial_stride;
    }
    plan.input_offset = input_is_spatial ? spatial_offset : batched_offset;
    const int32_t output_offset = input_is_spatial ? batched_offset : spatial_offset;
    // Without fill there is nothing to do for a box without elements.
    if (!input_is_spatial && (plan.dims[1].count == 0 || plan.dims[2].count == 0)) continue;
    RunCopy(data.run, plan, context.InputData<uint8_t>(0), context.OutputData<uint8_t>(0) + output_offset);
  }
  return Status::kOk;
}

}  // namespace lutra
