// SPDX-License-Identifier: Apache-2.0
// PAD, PADV2, MIRROR_PAD.

#include <string.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/copy.h"
#include "runtime/ops/uint8.h"

namespace lutra {
namespace {

struct Paddings {
  int32_t before[kMaxRank];
  int32_t after[kMaxRank];
};

// Reads operand 1, [rank, 2], and checks the output's shape against it.
Status ReadPaddings(PrepareContext& context, const Shape& input, Paddings* paddings) {
  int32_t values[2 * kMaxRank];
  int32_t count = 0;
  LUTRA_TRY(ReadConstantInts(context, 1, 2 * kMaxRank, values, &count));
  if (count != 2 * input.rank) return context.Refuse(Rule::kPaddings, 1, count, 2 * input.rank);
  LUTRA_TRY(RequireRank(context, OutputOperand(0), input.rank, input.rank));
  const Shape output = context.Output(0).shape;
  for (int32_t i = 0; i < input.rank; ++i) {
    const int32_t before = paddings->before[i] = values[2 * i];
    const int32_t after = paddings->after[i] = values[2 * i + 1];
    if (before < 0) return context.Refuse(Rule::kPaddings, 1, before, 0);
    if (after < 0) return context.Refuse(Rule::kPaddings, 1, after, 0);
    const int64_t padded = static_cast<int64_t>(input.dims[i]) + before + after;
    if (padded != output.dims[i]) {
      return context.Refuse(Rule::kOperandShape, OutputOperand(0), output.dims[i],
                            padded > INT32_MAX ? kNoValue : static_cast<int32_t>(padded));
    }
  }
  return Status::kOk;
}

// `fill`: the bytes of one element.
Status PreparePadWith(PrepareContext& context, const uint8_t* fill) {
  const TensorInfo input = context.Input(0);
  Paddings paddings;
  LUTRA_TRY(ReadPaddings(context, input.shape, &paddings));
  const Shape output = context.Output(0).shape;
  CopyPlan plan;
  PlanDense(input.shape, output, ElementBytes(input.type), &plan);
  memcpy(plan.fill, fill, static_cast<size_t>(plan.element_bytes));
  int32_t begin[kMaxRank];
  int32_t step[kMaxRank];
  for (int32_t i = 0; i < plan.rank; ++i) {
    plan.dims[i].count = input.shape.dims[i];
    plan.dims[i].before = paddings.before[i];
    plan.dims[i].after = paddings.after[i];
    begin[i] = -paddings.before[i];
    step[i] = 1;
  }
  LUTRA_TRY(DeclareBoxRows(context, input.shape, output, begin, step, &plan));
  return StoreCopy(context, plan);
}

struct MirrorPadData {
  static constexpr BoardRecord kBoardRecord = {72, 72};

  CopyFn run;
  Paddings paddings;
  uint8_t skip_edge;  // 1: REFLECT, which does not repeat the edge.
};

}  // namespace

Status PreparePad(PrepareContext& context) {
  LUTRA_TRY(RequireMove(context, 2, 0));
  uint8_t fill[8] = {};
  if (context.Input(0).type == TensorType::kInt8) {
    LUTRA_TRY(RequirePerTensor(context, OutputOperand(0)));
    fill[0] = static_cast<uint8_t>(context.Output(0).zero_point);
  }
  return PreparePadWith(context, fill);
}

#if LUTRA_HAVE_UINT8
Status PreparePadUint8(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireUint8(context, OutputOperand(0)));
  const uint8_t fill[8] = {static_cast<uint8_t>(context.Output(0).zero_point)};
  return PreparePadWith(context, fill);
}
#endif

Status PreparePadv2(PrepareContext& context) {
  LUTRA_TRY(RequireMove(context, 3, 0));
  LUTRA_TRY(RequireSameType(context, 0, 2));
  LUTRA_TRY(RequireConstant(context, 2));
  const TensorInfo constant = context.Input(2);
  if (constant.shape.Count() != 1) {
    return context.Refuse(Rule::kElementCount, 2, constant.shape.Count(), 1);
  }
  if (constant.type == TensorType::kInt8 || constant.type == TensorType::kUInt8) {
    LUTRA_TRY(RequireSameQuantization(context, OutputOperand(0), 2));
  }
  const auto* const fill = context.ConstantInput<uint8_t>(2);
  if (fill == nullptr) return context.Refuse(Rule::kConstantRequired, 2);
  return PreparePadWith(context, fill);
}

Status PrepareMirrorPad(PrepareContext& context) {
  LUTRA_TRY(RequireMove(context, 2, 0));
  bool symmetric = false;
  LUTRA_TRY(ReadOptions(context, ReadMirrorPadSymmetric, &symmetric));
  MirrorPadData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kCopy);
  data->skip_edge = symmetric ? 0 : 1;
  const Shape input = context.Input(0).shape;
  LUTRA_TRY(ReadPaddings(context, input, &data->paddings));
  for (int32_t i = 0; i < input.rank; ++i) {
    const int32_t limit = input.dims[i] - data->skip_edge;
    const int32_t before = data->paddings.before[i];
    const int32_t after = data->paddings.after[i];
    if (before > limit) return context.Refuse(Rule::kPaddings, 1, before, limit);
    if (after > limit) return context.Refuse(Rule::kPaddings, 1, after, limit);
  }
  return Status::kOk;
}

// Each dimension of the output has up to three parts: the mirrored beginning, the input as it is,
// the mirrored end. Each combination of parts is one box of the input, copied on its own.
Status EvalMirrorPad(EvalContext& context) {
  const auto& data = context.Data<MirrorPadData>();
  const TensorInfo input = context.Input(0);
  CopyPlan whole;
  PlanDense(input.shape, context.Output(0).shape, ElementBytes(input.type), &whole);
  const int32_t rank = whole.rank;
  uint8_t part[kMaxRank] = {};
  for (;;) {
    CopyPlan plan = whole;
    int32_t output_offset = 0;
    bool empty = false;
    for (int32_t i = 0; i < rank; ++i) {
      const int32_t dim = input.shape.dims[i];
      const int32_t before = data.paddings.before[i];
      const int32_t firsts[] = {before - 1 + data.skip_edge, 0, dim - 1 - data.skip_edge};
      const int32_t counts[] = {before, dim, data.paddings.after[i]};
      const int32_t offsets[] = {0, before, before + dim};
      const int p = part[i];
      empty = empty || counts[p] == 0;
      plan.input_offset += firsts[p] * whole.dims[i].input_stride;
      output_offset += offsets[p] * whole.dims[i].output_stride;
      plan.dims[i].count = counts[p];
      if (p != 1) plan.dims[i].input_stride = -whole.dims[i].input_stride;
    }
    if (!empty) {
      RunCopy(data.run, plan, context.InputData<uint8_t>(0), context.OutputData<uint8_t>(0) + output_offset);
    }
    int32_t i = rank;
    while (i > 0 && part[i - 1] == 2) part[--i] = 0;
    if (i == 0) return Status::kOk;
    ++part[i - 1];
  }
}

}  // namespace lutra
