// SPDX-License-Identifier: Apache-2.0
// SELECT_V2: takes each element from one of two inputs, as a bool says; all three inputs are broadcast.

#include "lutra/kernels/select/select.h"

#include "lutra/ops/ops.h"
#include "runtime/ops/broadcast.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

struct SelectData {
  static constexpr BoardRecord kBoardRecord = {4, 4};

  SelectFn run;
};

}  // namespace

Status PrepareSelectV2(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(3, 3, 1));
  LUTRA_TRY(RequireType(context, 0, TensorType::kBool));
  LUTRA_TRY(RequireSameType(context, 1, 2));
  LUTRA_TRY(RequireSameType(context, 1, OutputOperand(0)));
  if (context.Input(1).type == TensorType::kUInt8 && !context.TakesUint8()) {
    return context.Refuse(Rule::kUint8, 1);
  }
  if (ElementBytes(context.Input(1).type) == 0) return context.Refuse(Rule::kOperandType, 1);
  Shape both;
  Shape expected;
  if (!BroadcastShape(context.Input(1).shape, context.Input(2).shape, &both) ||
      !BroadcastShape(context.Input(0).shape, both, &expected)) {
    return context.Refuse(Rule::kBroadcast);
  }
  LUTRA_TRY(RequireShape(context, OutputOperand(0), expected));
  SelectData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kSelect);
  return Status::kOk;
}

Status EvalSelectV2(EvalContext& context) {
  const int32_t bytes = ElementBytes(context.Output(0).type);
  const auto* const condition = context.InputData<uint8_t>(0);
  const auto* const a = context.InputData<uint8_t>(1);
  const auto* const b = context.InputData<uint8_t>(2);
  auto* const output = context.OutputData<uint8_t>(0);
  const Shape shapes[] = {context.InputShape(0), context.InputShape(1), context.InputShape(2)};
  Broadcast(shapes, context.OutputShape(0)).ForEachRun([&](const Broadcast::Run& r) {
    context.Data<SelectData>().run({.condition = condition + r.offset[0],
                                    .a = a + r.offset[1] * bytes,
                                    .b = b + r.offset[2] * bytes,
                                    .output = output + r.output * bytes,
                                    .condition_step = r.step[0],
                                    .a_step = r.step[1],
                                    .b_step = r.step[2],
                                    .element_bytes = bytes},
                                   r.count);
  });
  return Status::kOk;
}

}  // namespace lutra
