// SPDX-License-Identifier: Apache-2.0
// ARG_MAX, ARG_MIN.

#include "lutra/kernels/arg_max/arg_max.h"

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"
#include "runtime/ops/uint8.h"

namespace lutra {
namespace {

struct ArgMaxData {
  static constexpr BoardRecord kBoardRecord = {20, 20};

  ArgMaxFn run;
  int32_t outer;
  int32_t count;
  int32_t inner;
  bool int64_output;
};

// Checks and prepares everything but the input's type.
Status Prepare(PrepareContext& context, ArgMaxFn run, ArgMaxData* data) {
  const TensorInfo input = context.Input(0);
  const bool int64_output = context.Output(0).type == TensorType::kInt64;
  if (!int64_output) LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kInt32));
  int32_t axis = 0;
  const int32_t rank = input.shape.rank;
  LUTRA_TRY(ReadConstantAxis(context, 1, rank, &axis));
  Shape shape;
  for (int32_t i = 0; i < rank; ++i) {
    if (i != axis) shape.dims[shape.rank++] = input.shape.dims[i];
  }
  LUTRA_TRY(RequireShape(context, OutputOperand(0), shape));
  data->run = run;
  data->outer = input.shape.Count(0, axis);
  data->count = input.shape.dims[axis];
  data->inner = input.shape.Count(axis + 1, rank);
  data->int64_output = int64_output;
  return Status::kOk;
}

}  // namespace

Status PrepareArgMax(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  const bool is_float = context.Input(0).type == TensorType::kFloat32;
  if (!is_float) LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  ArgMaxData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  return Prepare(context, is_float ? context.Choose(kArgMaxOf<float>) : context.Choose(kArgMaxOf<int8_t>),
                 data);
}

Status EvalArgMax(EvalContext& context) {
  const auto& data = context.Data<ArgMaxData>();
  const bool smallest = context.op().code == BuiltinOperator::kArgMin;
  data.run({context.InputData<void>(0), context.OutputData<void>(0), data.outer, data.count, data.inner,
            smallest, data.int64_output});
  return Status::kOk;
}

#if LUTRA_HAVE_UINT8
namespace {

struct Uint8ArgMax {
  static constexpr BoardRecord kBoardRecord = {24, 24};

  ArgMaxData arg_max;
  int codes;  // Scratch: the input as int8.
};

}  // namespace

Status PrepareArgMaxUint8(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  Uint8ArgMax* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  LUTRA_TRY(context.RequestScratch(context.Input(0).bytes, &data->codes));
  return Prepare(context, context.Choose(kArgMaxOf<int8_t>), &data->arg_max);
}

Status EvalArgMaxUint8(EvalContext& context) {
  auto* const codes = context.ScratchData<uint8_t>(context.Data<Uint8ArgMax>().codes);
  SwitchSign(context.InputData<uint8_t>(0), context.Input(0).bytes, codes);
  return context.EvalWithInput(0, codes, EvalArgMax);
}
#endif

}  // namespace lutra
