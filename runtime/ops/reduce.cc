// SPDX-License-Identifier: Apache-2.0
// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_ALL.

#include "lutra/kernels/reduce/reduce.h"

#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"
#include "runtime/ops/int16.h"

namespace lutra {
namespace {

struct ReduceData {
  static constexpr BoardRecord kBoardRecord = {24, 24};

  ReduceFn run;
  const ReduceDim* dims;  // The kept dimensions, then the reduced ones.
  uint8_t kept_rank;
  uint8_t reduced_rank;
  int16_t output_offset;
  int32_t sum_offset;
  union {
    Multiplier multiplier;
    float scale;
  };
};

// Reads the axes, checks the output's shape and stores the merged dimensions. Sets `count` to the number of
// input elements for each output.
Status PrepareDims(PrepareContext& context, ReduceData* data, int32_t* count) {
  bool keep_dims = false;
  LUTRA_TRY(ReadOptions(context, ReadKeepDims, &keep_dims));
  const Shape in = context.Input(0).shape;
  // Axes may repeat and be negative.
  int32_t axes[2 * kMaxRank];
  int32_t axis_count = 0;
  LUTRA_TRY(ReadConstantInts(context, 1, 2 * kMaxRank, axes, &axis_count));
  uint32_t is_reduced = 0;
  for (int32_t i = 0; i < axis_count; ++i) {
    int32_t axis = 0;
    // The axis 0 of a scalar reduces nothing.
    if (!NormalizeAxis(axes[i], in.rank > 0 ? in.rank : 1, &axis)) {
      return context.Refuse(Rule::kAxis, 1, axes[i], in.rank);
    }
    is_reduced |= 1u << axis;
  }
  Shape out;
  *count = 1;
  for (int32_t i = 0; i < in.rank; ++i) {
    if ((is_reduced >> i & 1) == 0) {
      out.dims[out.rank++] = in.dims[i];
    } else {
      *count *= in.dims[i];
      if (keep_dims) out.dims[out.rank++] = 1;
    }
  }
  LUTRA_TRY(RequireShape(context, OutputOperand(0), out));

  ReduceDim dims[2][kMaxReduceRank];  // Kept and reduced dimensions, the innermost first.
  int32_t ranks[2] = {};
  int previous = -1;
  int32_t stride = 1;
  for (int32_t i = in.rank - 1; i >= 0; --i) {
    if (in.dims[i] == 1) continue;
    const int kind = is_reduced >> i & 1;
    if (kind == previous) {
      dims[kind][ranks[kind] - 1].count *= in.dims[i];
    } else {
      dims[kind][ranks[kind]++] = {in.dims[i], stride};
    }
    previous = kind;
    stride *= in.dims[i];
  }
  ReduceDim* stored = nullptr;
  LUTRA_TRY(context.AllocateArray(ranks[0] + ranks[1], RecordKind::kOperatorData, &stored));
  data->dims = stored;
  data->kept_rank = static_cast<uint8_t>(ranks[0]);
  data->reduced_rank = static_cast<uint8_t>(ranks[1]);
  for (int kind = 0; kind < 2; ++kind) {
    for (int32_t i = ranks[kind] - 1; i >= 0; --i) *stored++ = dims[kind][i];
  }
  return Status::kOk;
}

// Returns the offset in the input of element `i` of these dimensions, which start with the innermost.
int32_t OffsetOf(const ReduceDim* dims, int32_t rank, int32_t i) {
  int32_t offset = 0;
  for (int32_t d = rank - 1; d >= 0; --d) {
    offset += i % dims[d].count * dims[d].stride;
    i /= dims[d].count;
  }
  return offset;
}

int32_t CountOf(const ReduceDim* dims, int32_t rank) {
  int32_t count = 1;
  for (int32_t d = 0; d < rank; ++d) count *= dims[d].count;
  return count;
}

// Sets the output to 1 if all bytes are true, that is, not 0.
void All(const ReduceArgs& args) {
  const ReduceShape& shape = args.shape;
  const auto* const input = static_cast<const uint8_t*>(args.input);
  auto* const output = static_cast<uint8_t*>(args.output);
  const int32_t kept = CountOf(shape.kept, shape.kept_rank);
  const int32_t reduced = CountOf(shape.reduced, shape.reduced_rank);
  for (int32_t k = 0; k < kept; ++k) {
    const uint8_t* const first = input + OffsetOf(shape.kept, shape.kept_rank, k);
    int32_t r = 0;
    while (r < reduced && first[OffsetOf(shape.reduced, shape.reduced_rank, r)] != 0) ++r;
    output[k] = r == reduced ? 1 : 0;
  }
}

template <TensorType kCodes = TensorType::kInt8>
Status PrepareReduce(PrepareContext& context, ReduceData** data, int32_t* count) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  if (context.Input(0).type != TensorType::kFloat32) {
    LUTRA_TRY(RequireType(context, 0, kCodes));
  }
  LUTRA_TRY(context.AllocateData(data));
  return PrepareDims(context, *data, count);
}

int32_t FloorLog2(int32_t x) { return 31 - __builtin_clz(static_cast<uint32_t>(x)); }

// Divides the multiplier of a sum by n: the value keeps as many bits as the shift can give, and is truncated,
// not rounded.
Multiplier DividedBy(Multiplier multiplier, int32_t n) {
  int32_t shift = FloorLog2(n);
  if (shift > 31 + multiplier.shift) shift = 31 + multiplier.shift;
  const int64_t value = (static_cast<int64_t>(multiplier.value) << shift) / n;
  return {static_cast<int32_t>(value), multiplier.shift - shift};
}

// Prepares sums of `count` codes; more than `most` are refused.
Status PrepareCodes(PrepareContext& context, bool mean, int32_t count, int32_t most, ReduceData* data) {
  LUTRA_TRY(RequirePerTensor(context, 0));
  LUTRA_TRY(RequirePerTensor(context, OutputOperand(0)));
  if (count > most) return context.Refuse(Rule::kAccumulator, 0, count, most);
  const TensorInfo input = context.Input(0);
  const TensorInfo output = context.Output(0);
  data->sum_offset = -input.zero_point * count;
  data->output_offset = static_cast<int16_t>(output.zero_point);
  LUTRA_TRY(RequireMultiplier(context, 0, ScaleRatio(1.0f, output.scale), input.scale, &data->multiplier));
  if (mean) data->multiplier = DividedBy(data->multiplier, count);
  return Status::kOk;
}

// Each operator names its own kernels, so that its users link no others.
template <const auto& kInt8, const auto& kFloat>
Status PrepareExtreme(PrepareContext& context) {
  ReduceData* data = nullptr;
  int32_t count = 0;
  LUTRA_TRY(PrepareReduce(context, &data, &count));
  if (context.Input(0).type == TensorType::kFloat32) {
    data->run = context.Choose(kFloat);
    return Status::kOk;
  }
  data->run = context.Choose(kInt8);
  return RequireSameQuantization(context, 0, OutputOperand(0));
}

template <bool kHasFloat>
Status PrepareSumOf(PrepareContext& context) {
  const bool mean = context.op().code == BuiltinOperator::kMean;
  ReduceData* data = nullptr;
  int32_t count = 0;
  LUTRA_TRY(PrepareReduce(context, &data, &count));
  if (!kHasFloat) LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  if (kHasFloat && context.Input(0).type == TensorType::kFloat32) {
    data->run = context.Choose(kReduceSumFloat);
    data->scale = mean ? 1.0f / static_cast<float>(count) : 1.0f;
    return Status::kOk;
  }
  data->run = context.Choose(kReduceSumInt8);
  return PrepareCodes(context, mean, count, INT32_MAX / 255, data);
}

}  // namespace

Status PrepareSum(PrepareContext& context) { return PrepareSumOf<true>(context); }
Status PrepareSumInt8Only(PrepareContext& context) { return PrepareSumOf<false>(context); }

#if LUTRA_HAVE_INT16
Status PrepareSumInt16(PrepareContext& context) {
  ReduceData* data = nullptr;
  int32_t count = 0;
  LUTRA_TRY(PrepareReduce<TensorType::kInt16>(context, &data, &count));
  LUTRA_TRY(RequirePerTensor(context, 0));
  const int32_t zero_point = context.Input(0).zero_point;
  const int32_t most = INT32_MAX / (32768 + (zero_point < 0 ? -zero_point : zero_point));
  data->run = context.Choose(kReduceSumInt16);
  return PrepareCodes(context, context.op().code == BuiltinOperator::kMean, count, most, data);
}
#endif

Status PrepareReduceMax(PrepareContext& context) {
  return PrepareExtreme<kReduceMaxInt8, kReduceMaxFloat>(context);
}

Status PrepareReduceMin(PrepareContext& context) {
  return PrepareExtreme<kReduceMinInt8, kReduceMinFloat>(context);
}

Status PrepareReduceAll(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireType(context, 0, TensorType::kBool));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  ReduceData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = All;
  int32_t count = 0;
  return PrepareDims(context, data, &count);
}

Status EvalReduce(EvalContext& context) {
  const auto& data = context.Data<ReduceData>();
  ReduceArgs args = {};
  args.shape = {data.dims, data.dims + data.kept_rank, data.kept_rank, data.reduced_rank};
  args.input = context.InputData<void>(0);
  args.output = context.OutputData<void>(0);
  args.sum_offset = data.sum_offset;
  args.output_offset = data.output_offset;
  args.multiplier = data.multiplier;
  args.scale = data.scale;
  data.run(args);
  return Status::kOk;
}

}  // namespace lutra
