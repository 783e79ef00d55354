// SPDX-License-Identifier: Apache-2.0
// FLOOR_DIV, FLOOR_MOD with broadcasting: float32. Rules: TFLite Micro's kernels. FLOOR_DIV refuses a divisor
// of 0 when it runs, FLOOR_MOD makes it not-a-number.

#include "lutra/kernels/binary/binary.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/broadcast.h"
#include "runtime/ops/common.h"
#include "runtime/ops/divisors.h"

namespace lutra {
namespace {

struct FloorDivisionData {
  static constexpr BoardRecord kBoardRecord = {12, 12};

  BinaryFn run;
  int32_t count;  // Elements of the output.
  Pairing pairing;
};

// Each operator names its own kernel, so that its users link no other.
template <const auto& kKernel>
Status PrepareFloorDivision(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireType(context, 0, TensorType::kFloat32));
  LUTRA_TRY(RequireSameType(context, 0, 1));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  FloorDivisionData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kKernel);
  data->count = context.Output(0).shape.Count();
  return PrepareBroadcast(context, &data->pairing);
}

}  // namespace

Status PrepareFloorDiv(PrepareContext& context) { return PrepareFloorDivision<kFloorDivFloat>(context); }
Status PrepareFloorMod(PrepareContext& context) { return PrepareFloorDivision<kFloorModFloat>(context); }

Status EvalFloorMod(EvalContext& context) {
  const auto& data = context.Data<FloorDivisionData>();
  BinaryArgs args = {};
  args.float_min = -__builtin_inff();
  args.float_max = __builtin_inff();
  return EvalTwoInputs(context, data.pairing, data.count, 4, 4, args, data.run);
}

Status EvalFloorDiv(EvalContext& context) {
  LUTRA_TRY(RequireDivisors(context, context.Data<FloorDivisionData>().pairing, 0.0f));
  return EvalFloorMod(context);
}

}  // namespace lutra
