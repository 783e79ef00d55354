// SPDX-License-Identifier: Apache-2.0
// VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE.
//
// A resource is identified by (container, shared_name). Bytes are copied without requantisation; a new
// variable holds real 0.

#include <string.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

struct ResourceData {
  static constexpr BoardRecord kBoardRecord = {4, 4};

  Resource* resource;
};

}  // namespace

Status PrepareVarHandle(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(0, 0, 1));
  LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kResource));
  VarHandleOptions options;
  LUTRA_TRY(ReadOptions(context, ReadVarHandleOptions, &options));
  ResourceData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  return context.FindOrCreateResource(options, &data->resource);
}

Status PrepareReadVariable(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LUTRA_TRY(RequireType(context, 0, TensorType::kResource));
  ResourceData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  return context.ResourceOfInput(0, context.Output(0), &data->resource);
}

Status EvalReadVariable(EvalContext& context) {
  const Resource& resource = *context.Data<ResourceData>().resource;
  memcpy(context.OutputData<uint8_t>(0), resource.data, static_cast<size_t>(resource.bytes));
  return Status::kOk;
}

Status PrepareAssignVariable(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 0));
  LUTRA_TRY(RequireType(context, 0, TensorType::kResource));
  ResourceData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  return context.ResourceOfInput(0, context.Input(1), &data->resource);
}

Status EvalAssignVariable(EvalContext& context) {
  const Resource& resource = *context.Data<ResourceData>().resource;
  memcpy(resource.data, context.InputData<uint8_t>(1), static_cast<size_t>(resource.bytes));
  return Status::kOk;
}

// VAR_HANDLE does nothing in eval.
Status EvalNothing(EvalContext&) { return Status::kOk; }

}  // namespace lutra
