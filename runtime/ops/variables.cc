// SPDX-License-Identifier: Apache-2.0
// VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE, CALL_ONCE.
//
// A resource is known by (container, shared_name). Bytes are copied as they are, without any
// requantisation; a fresh variable holds real 0. CALL_ONCE itself does nothing: the interpreter lays
// out the nodes of the called subgraph behind it and skips them after the first inference.

#include <string.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

struct ResourceData {
  Resource* resource;
};

}  // namespace

Status PrepareVarHandle(MicroContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(0, 0, 1));
  LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kResource));
  VarHandleOptions options;
  if (!ReadVarHandleOptions(context.node_info(), &options)) {
    return context.Refuse(Rule::kOptionsMissing);
  }
  ResourceData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  return context.FindOrCreateResource(options, &data->resource);
}

Status EvalVarHandle(MicroContext&) { return Status::kOk; }

Status PrepareReadVariable(MicroContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LUTRA_TRY(RequireType(context, 0, TensorType::kResource));
  ResourceData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  return context.ResourceOfInput(0, context.Output(0), &data->resource);
}

Status EvalReadVariable(MicroContext& context) {
  const Resource& resource = *context.Data<ResourceData>().resource;
  memcpy(context.OutputData<uint8_t>(0), resource.data, static_cast<size_t>(resource.bytes));
  return Status::kOk;
}

Status PrepareAssignVariable(MicroContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 0));
  LUTRA_TRY(RequireType(context, 0, TensorType::kResource));
  ResourceData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  return context.ResourceOfInput(0, context.Input(1), &data->resource);
}

Status EvalAssignVariable(MicroContext& context) {
  const Resource& resource = *context.Data<ResourceData>().resource;
  memcpy(resource.data, context.InputData<uint8_t>(1), static_cast<size_t>(resource.bytes));
  return Status::kOk;
}

Status PrepareCallOnce(MicroContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(0, 0, 0));
  int32_t subgraph = 0;
  if (!ReadInitSubgraph(context.node_info(), &subgraph)) {
    return context.Refuse(Rule::kOptionsMissing);
  }
  if (subgraph == 0) return context.Refuse(Rule::kRecursion);
  return Status::kOk;
}

Status EvalCallOnce(MicroContext&) { return Status::kOk; }

}  // namespace lutra
