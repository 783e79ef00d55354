// SPDX-License-Identifier: Apache-2.0

#include "runtime/kernels/l2_normalize/l2_normalize.h"
#include "runtime/ops/common.h"
#include "runtime/ops/ops.h"

namespace lutra {
namespace {

constexpr int32_t kMaxDepth = INT32_MAX / (255 * 255);

struct L2NormalizationData {
  L2NormalizeFn run;
  int32_t rows;
  int32_t depth;
  int32_t input_zero_point;
};

}  // namespace

// The output counts in 1/128 with zero point 0, whatever its tensor says.
Status PrepareL2Normalization(MicroContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  Activation activation = Activation::kNone;
  if (!ReadActivation(context.node_info(), &activation)) {
    return context.Refuse(Rule::kOptionsMissing);
  }
  if (activation != Activation::kNone) {
    return context.Refuse(Rule::kActivation, MicroContext::kNoOperand,
                          static_cast<int32_t>(activation), 0);
  }
  LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kInt8));
  LUTRA_TRY(RequirePerTensor(context, 0));
  LUTRA_TRY(RequireRank(context, 0, 1, kMaxRank));
  const TensorInfo input = context.Input(0);
  LUTRA_TRY(RequireShape(context, OutputOperand(0), input.shape));
  const int32_t depth = input.shape.Depth();
  if (depth > kMaxDepth) return context.Refuse(Rule::kAccumulator, 0, depth, kMaxDepth);
  L2NormalizationData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kL2NormalizeInt8);
  data->rows = input.shape.OuterCount();
  data->depth = depth;
  data->input_zero_point = input.zero_point;
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.in_rows = map.out_rows = data->rows;
  map.in_row_bytes = map.out_row_bytes = depth;
  return context.DeclareRows(0, 0, map);
}

Status EvalL2Normalization(MicroContext& context) {
  const auto& data = context.Data<L2NormalizationData>();
  const L2NormalizeArgs args = {data.depth, data.input_zero_point};
  const Rows input = context.InputRows(0, data.depth);
  const Rows output = context.OutputRows(0, data.depth);
  context.ForEachRows(data.rows, [&](int32_t first_row, int32_t row_count) {
    data.run(args, input, output, first_row, row_count);
  });
  return Status::kOk;
}

}  // namespace lutra
