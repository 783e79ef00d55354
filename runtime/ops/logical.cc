// SPDX-License-Identifier: Apache-2.0
// LOGICAL_AND, LOGICAL_OR with broadcasting, LOGICAL_NOT: bool. A byte other than 0 is true. Rules: TFLite
// Micro's kernels.

#include "lutra/ops/ops.h"
#include "runtime/ops/broadcast.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

struct LogicalData {
  static constexpr BoardRecord kBoardRecord = {8, 8};

  int32_t count;  // Elements of the output.
  Pairing pairing;
};

struct LogicalArgs {
  const void* a;
  const void* b;
  void* output;
  int32_t a_step;
  int32_t b_step;
};

// Sets each element to function(a, b) of truth values.
template <typename Function>
void ForEach(const LogicalArgs& args, int32_t first, int32_t count, const Function& function) {
  const auto* const a = static_cast<const uint8_t*>(args.a);
  const auto* const b = static_cast<const uint8_t*>(args.b);
  auto* const output = static_cast<uint8_t*>(args.output);
  for (int32_t i = first; i < first + count; ++i) {
    output[i] = function(a[i * args.a_step] != 0, b[i * args.b_step] != 0) ? 1 : 0;
  }
}

void And(const LogicalArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](bool a, bool b) { return a && b; });
}

void Or(const LogicalArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](bool a, bool b) { return a || b; });
}

Status EvalLogical(EvalContext& context, void (*run)(const LogicalArgs& args, int32_t first, int32_t count)) {
  const auto& data = context.Data<LogicalData>();
  return EvalTwoInputs(context, data.pairing, data.count, 1, 1, LogicalArgs{}, run);
}

}  // namespace

Status PrepareLogical(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireType(context, 0, TensorType::kBool));
  LUTRA_TRY(RequireSameType(context, 0, 1));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  LogicalData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->count = context.Output(0).shape.Count();
  return PrepareBroadcast(context, &data->pairing);
}

Status EvalLogicalAnd(EvalContext& context) { return EvalLogical(context, And); }
Status EvalLogicalOr(EvalContext& context) { return EvalLogical(context, Or); }

Status PrepareLogicalNot(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LUTRA_TRY(RequireType(context, 0, TensorType::kBool));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  LUTRA_TRY(RequireShape(context, OutputOperand(0), context.Input(0).shape));
  return DeclareElementwise(context, 0, 0);
}

Status EvalLogicalNot(EvalContext& context) {
  const auto* const input = context.InputData<uint8_t>(0);
  auto* const output = context.OutputData<uint8_t>(0);
  context.ForEachRows(context.Output(0).shape.Count(), [&](int32_t first, int32_t count) {
    for (int32_t i = first; i < first + count; ++i) output[i] = input[i] == 0 ? 1 : 0;
  });
  return Status::kOk;
}

}  // namespace lutra
