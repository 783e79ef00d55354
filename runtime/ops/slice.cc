// SPDX-License-Identifier: Apache-2.0
// SLICE, STRIDED_SLICE.

#include "lutra/ops/ops.h"
#include "runtime/ops/copy.h"

namespace lutra {
namespace {

// The elements begin, begin + step, ... of each dimension of the input, `counts` of them, which all lie
// inside the input.
struct Box {
  int32_t begin[kMaxRank];
  int32_t step[kMaxRank];
  Shape counts;  // One for each dimension of the input.
};

Status StoreBox(PrepareContext& context, const TensorInfo& input, const Box& box) {
  const int32_t element_bytes = ElementBytes(input.type);
  int32_t strides[kMaxRank];
  DenseStrides(input.shape, element_bytes, strides);
  CopyPlan plan;
  PlanDense(input.shape, box.counts, element_bytes, &plan);
  for (int32_t i = 0; i < plan.rank; ++i) {
    plan.input_offset += box.begin[i] * strides[i];
    // The step of a single element is not used, and may be too large for a stride.
    plan.dims[i].input_stride = box.counts.dims[i] == 1 ? strides[i] : box.step[i] * strides[i];
  }
  LUTRA_TRY(DeclareBoxRows(context, input.shape, box.counts, box.begin, box.step, &plan));
  return StoreCopy(context, plan);
}

int64_t Clamp(int64_t x, int64_t min, int64_t max) { return x < min ? min : x > max ? max : x; }

constexpr int kBegin = 1;
constexpr int kSize = 2;

// Prepares a slice whose begin or size other nodes or the caller compute. The file has the output's shape.
Status PrepareComputedSlice(PrepareContext& context) {
  const Shape input = context.Input(0).shape;
  const Shape output = context.Output(0).shape;
  LUTRA_TRY(RequireRank(context, OutputOperand(0), input.rank, input.rank));
  for (int32_t i = 0; i < input.rank; ++i) {
    if (output.dims[i] > input.dims[i]) {
      return context.Refuse(Rule::kOperandShape, OutputOperand(0), output.dims[i], input.dims[i]);
    }
  }
  for (int list = kBegin; list <= kSize; ++list) {
    const TensorInfo info = context.Input(list);
    if (info.type != TensorType::kInt64) LUTRA_TRY(RequireType(context, list, TensorType::kInt32));
    if (info.shape.Count() != input.rank) {
      return context.Refuse(Rule::kElementCount, list, info.shape.Count(), input.rank);
    }
  }
  CopyData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kCopy);
  data->dims = nullptr;  // The plan is made when begin is known.
  return Status::kOk;
}

Status EvalComputedSlice(EvalContext& context, CopyFn run) {
  const TensorInfo input = context.Input(0);
  const Shape output = context.Output(0).shape;
  const int32_t element_bytes = ElementBytes(input.type);
  int32_t strides[kMaxRank];
  DenseStrides(input.shape, element_bytes, strides);
  CopyPlan plan;
  PlanDense(input.shape, output, element_bytes, &plan);
  for (int32_t i = 0; i < output.rank; ++i) {
    const int64_t begin = IntegerInput(context, kBegin, i);
    const int64_t size = IntegerInput(context, kSize, i);
    const int32_t last = input.shape.dims[i] - output.dims[i];
    if (begin < 0 || begin > last) {
      const auto found = static_cast<int32_t>(Clamp(begin, INT32_MIN, INT32_MAX));
      return context.Refuse(Rule::kRuntimeIndex, kBegin, found, last + 1);
    }
    // A size of -1 extends to the end.
    if (size != output.dims[i] && (size != -1 || begin != last)) {
      const auto found = static_cast<int32_t>(Clamp(size, INT32_MIN, INT32_MAX));
      return context.Refuse(Rule::kRuntimeShape, kSize, found, output.dims[i]);
    }
    plan.input_offset += static_cast<int32_t>(begin) * strides[i];
  }
  RunCopy(run, plan, context.InputData<uint8_t>(0), context.OutputData<uint8_t>(0));
  return Status::kOk;
}

}  // namespace

Status PrepareSlice(PrepareContext& context) {
  LUTRA_TRY(RequireMove(context, 3, 0));
  if (!context.Input(kBegin).is_constant() || !context.Input(kSize).is_constant()) {
    return PrepareComputedSlice(context);
  }
  const TensorInfo input = context.Input(0);
  Box box;
  int32_t sizes[kMaxRank];
  const int32_t rank = input.shape.rank;
  LUTRA_TRY(ReadConstantList(context, kBegin, rank, box.begin));
  LUTRA_TRY(ReadConstantList(context, kSize, rank, sizes));
  box.counts.rank = rank;
  for (int32_t i = 0; i < rank; ++i) {
    const int32_t dim = input.shape.dims[i];
    if (box.begin[i] < 0 || box.begin[i] >= dim) {
      return context.Refuse(Rule::kSliceRange, kBegin, box.begin[i], dim);
    }
    const int32_t rest = dim - box.begin[i];
    box.counts.dims[i] = sizes[i] == -1 ? rest : sizes[i];
    if (box.counts.dims[i] < 1 || box.counts.dims[i] > rest) {
      return context.Refuse(Rule::kSliceRange, kSize, sizes[i], rest);
    }
    box.step[i] = 1;
  }
  LUTRA_TRY(RequireShape(context, OutputOperand(0), box.counts));
  return StoreBox(context, input, box);
}

Status EvalSlice(EvalContext& context) {
  const auto& data = context.Data<CopyData>();
  return data.dims != nullptr ? EvalCopy(context) : EvalComputedSlice(context, data.run);
}

Status PrepareStridedSlice(PrepareContext& context) {
  LUTRA_TRY(RequireMove(context, 4, 0));
  StridedSliceOptions options;
  LUTRA_TRY(ReadOptions(context, ReadStridedSliceOptions, &options));
  if (options.ellipsis_mask != 0) {
    return context.Refuse(Rule::kOptionValue, kNoOperand, options.ellipsis_mask, 0);
  }
  if (options.new_axis_mask != 0) {
    return context.Refuse(Rule::kOptionValue, kNoOperand, options.new_axis_mask, 0);
  }
  const TensorInfo input = context.Input(0);
  int32_t values[3][kMaxRank];  // begin, end, stride
  int32_t count = 0;
  for (int32_t i = 0; i < 3; ++i) {
    int32_t found = 0;
    LUTRA_TRY(ReadConstantInts(context, i + 1, input.shape.rank, values[i], &found));
    if (i == 0) count = found;
    if (found != count) return context.Refuse(Rule::kElementCount, i + 1, found, count);
  }
  Box box;
  Shape shape;  // The box's shape without the dimensions that the slice drops.
  box.counts.rank = input.shape.rank;
  for (int32_t i = 0; i < input.shape.rank; ++i) {
    const int64_t dim = input.shape.dims[i];
    const uint32_t bit = 1u << i;
    const auto has = [&](int32_t mask) { return (static_cast<uint32_t>(mask) & bit) != 0; };
    // Dimensions that are not listed are taken whole.
    const bool listed = i < count;
    const int64_t stride = listed ? values[2][i] : 1;
    if (stride == 0) return context.Refuse(Rule::kOptionValue, 3, 0);
    // A bound is a position inside the dimension, or the one behind the last in the direction of the stride.
    const int64_t low = stride > 0 ? 0 : -1;
    const int64_t high = stride > 0 ? dim : dim - 1;
    int64_t begin = listed ? values[0][i] : 0;
    if (begin < 0) begin += dim;
    if (has(options.begin_mask)) begin = stride > 0 ? low : high;
    begin = Clamp(begin, low, high);
    int64_t end = listed ? values[1][i] : dim;
    if (options.offset) end += begin;
    if (end < 0) end += dim;
    if (!listed || has(options.end_mask)) end = stride > 0 ? high : low;
    end = Clamp(end, low, high);
    const bool shrink = listed && has(options.shrink_axis_mask);
    const int64_t span = stride > 0 ? end - begin : begin - end;
    const int64_t step = stride > 0 ? stride : -stride;
    const int64_t elements = shrink ? 1 : span > 0 ? (span + step - 1) / step : 0;
    if (elements < 1 || begin < 0 || begin >= dim) {
      return context.Refuse(Rule::kSliceRange, 1, static_cast<int32_t>(begin), static_cast<int32_t>(dim));
    }
    box.begin[i] = static_cast<int32_t>(begin);
    box.step[i] = elements == 1 ? 1 : static_cast<int32_t>(stride);
    box.counts.dims[i] = static_cast<int32_t>(elements);
    if (!shrink) shape.dims[shape.rank++] = box.counts.dims[i];
  }
  LUTRA_TRY(RequireShape(context, OutputOperand(0), shape));
  return StoreBox(context, input, box);
}

}  // namespace lutra
