// SPDX-License-Identifier: Apache-2.0
// L2_NORMALIZATION of int8 and float32, along the last dimension. Rules: TFLite Micro's kernel.

#include <math.h>

#include "lutra/kernels/l2_normalize/l2_normalize.h"
#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/rowwise.h"

namespace lutra {
namespace {

constexpr int32_t kMaxDepth = INT32_MAX / (255 * 255);

struct L2NormalizationData {
  static constexpr BoardRecord kBoardRecord = {16, 16};

  L2NormalizeFn run;  // Null for float32.
  int32_t rows;
  int32_t depth;
  int32_t input_zero_point;
};

// Divides rows by their lengths; a shorter length than a millionth counts as a millionth.
void NormalizeFloat(const FloatRowArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* in = reinterpret_cast<const float*>(input.Row(row));
    auto* out = reinterpret_cast<float*>(output.Row(row));
    float squares = 0;
    for (int32_t i = 0; i < args.depth; ++i) squares += in[i] * in[i];
    float length = sqrtf(squares);
    if (length < 1e-6f) length = 1e-6f;
    for (int32_t i = 0; i < args.depth; ++i) out[i] = in[i] / length;
  }
}

// The output of int8 has the scale 1/128 and zero point 0, whatever its tensor says. kAllTypes: float32, too.
template <bool kAllTypes>
Status Prepare(PrepareContext& context) {
  LUTRA_TRY(RequireRowwise(context));
  Activation activation = Activation::kNone;
  LUTRA_TRY(ReadOptions(context, ReadActivation, &activation));
  if (activation != Activation::kNone) {
    return context.Refuse(Rule::kActivation, kNoOperand, static_cast<int32_t>(activation), 0);
  }
  const TensorInfo input = context.Input(0);
  const int32_t depth = input.shape.Depth();
  if (kAllTypes && input.type == TensorType::kFloat32) {
    LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
    L2NormalizationData* data = nullptr;
    LUTRA_TRY(context.AllocateData(&data));
    *data = {nullptr, input.shape.OuterCount(), depth, 0};
    return DeclareRowwise(context);
  }
  LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kInt8));
  LUTRA_TRY(RequirePerTensor(context, 0));
  if (depth > kMaxDepth) return context.Refuse(Rule::kAccumulator, 0, depth, kMaxDepth);
  L2NormalizationData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  *data = {context.Choose(kL2NormalizeInt8), input.shape.OuterCount(), depth, input.zero_point};
  return DeclareRowwise(context);
}

Status EvalInt8(const EvalContext& context, const L2NormalizationData& data) {
  const L2NormalizeArgs args = {data.depth, data.input_zero_point};
  return EvalRowwise(context, data.run, args, data.rows);
}

}  // namespace

Status PrepareL2Normalization(PrepareContext& context) { return Prepare<true>(context); }
Status PrepareL2NormalizationInt8Only(PrepareContext& context) { return Prepare<false>(context); }

Status EvalL2Normalization(EvalContext& context) {
  const auto& data = context.Data<L2NormalizationData>();
  if (data.run != nullptr) return EvalInt8(context, data);
  return EvalRowwise(context, NormalizeFloat, FloatRowArgs{data.depth}, data.rows, sizeof(float),
                     sizeof(float));
}
Status EvalL2NormalizationInt8Only(EvalContext& context) {
  return EvalInt8(context, context.Data<L2NormalizationData>());
}

}  // namespace lutra
