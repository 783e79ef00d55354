// SPDX-License-Identifier: Apache-2.0
// MAXIMUM and MINIMUM with broadcasting. Codes are compared as they are.

#include "lutra/kernels/min_max/min_max.h"

#include "lutra/ops/ops.h"
#include "runtime/ops/broadcast.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

struct MinMaxData {
  static constexpr BoardRecord kBoardRecord = {12, 12};

  MinMaxFn run;
  bool maximum;
  Pairing pairing;
  TensorType type;
  int32_t count;
};

}  // namespace

Status PrepareMinMax(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireSameType(context, 0, 1));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  MinMaxData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kMinMax);
  data->maximum = context.op().code == BuiltinOperator::kMaximum;
  data->type = context.Output(0).type;
  data->count = context.Output(0).shape.Count();
  switch (data->type) {
    case TensorType::kInt8:
    case TensorType::kInt16:
    case TensorType::kInt32:
    case TensorType::kInt64:
    case TensorType::kFloat32:
      break;
    default:
      return RequireType(context, 0, TensorType::kInt8);
  }
  return PrepareBroadcast(context, &data->pairing);
}

Status EvalMinMax(EvalContext& context) {
  const auto& data = context.Data<MinMaxData>();
  MinMaxArgs args = {};
  args.maximum = data.maximum;
  args.type = data.type;
  const int32_t bytes = ElementBytes(data.type);
  return EvalTwoInputs(context, data.pairing, data.count, bytes, bytes, args, data.run);
}

}  // namespace lutra
