// SPDX-License-Identifier: Apache-2.0
// L2_NORMALIZATION of int8, along the last dimension.

#include "lutra/kernels/l2_normalize/l2_normalize.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/rowwise.h"

namespace lutra {
namespace {

constexpr int32_t kMaxDepth = INT32_MAX / (255 * 255);

struct L2NormalizationData {
  static constexpr BoardRecord kBoardRecord = {16, 16};

  L2NormalizeFn run;
  int32_t rows;
  int32_t depth;
  int32_t input_zero_point;
};

}  // namespace

// The output counts in 1/128 with zero point 0, whatever its tensor says.
Status PrepareL2Normalization(PrepareContext& context) {
  LUTRA_TRY(RequireRowwise(context));
  Activation activation = Activation::kNone;
  LUTRA_TRY(ReadOptions(context, ReadActivation, &activation));
  if (activation != Activation::kNone) {
    return context.Refuse(Rule::kActivation, kNoOperand, static_cast<int32_t>(activation), 0);
  }
  LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kInt8));
  LUTRA_TRY(RequirePerTensor(context, 0));
  const TensorInfo input = context.Input(0);
  const int32_t depth = input.shape.Depth();
  if (depth > kMaxDepth) return context.Refuse(Rule::kAccumulator, 0, depth, kMaxDepth);
  L2NormalizationData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kL2NormalizeInt8);
  data->rows = input.shape.OuterCount();
  data->depth = depth;
  data->input_zero_point = input.zero_point;
  return DeclareRowwise(context);
}

Status EvalL2Normalization(EvalContext& context) {
  const auto& data = context.Data<L2NormalizationData>();
  const L2NormalizeArgs args = {data.depth, data.input_zero_point};
  return EvalRowwise(context, data.run, args, data.rows);
}

}  // namespace lutra
