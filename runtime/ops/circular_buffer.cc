// SPDX-License-Identifier: Apache-2.0
// CIRCULAR_BUFFER: a streaming network gets a slice of its input at each inference, and runs the nodes behind
// this one after every `cycles_max` slices.
//
// The output, a variable tensor, has the newest slices of [1, 1, d2, d3], the oldest first. Models of two
// networks lack cycles_max; TensorFlow Lite Micro has built-in values for them.

#include <string.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

struct CircularBufferData {
  static constexpr BoardRecord kBoardRecord = {16, 16};

  int32_t* waited;  // Inferences since the last output.
  int32_t cycles;
  int32_t slice_bytes;
  int32_t kept_bytes;  // Of all slices but the newest.
};

// Returns the node's cycles_max; not positive: it has none.
int32_t StatedCycles(const NodeInfo& node) {
  int32_t cycles = 0;
  const CustomOption options[] = {{"cycles_max", &cycles}};
  return ReadCustomOptions(node, options) ? cycles : 0;
}

// TensorFlow Lite Micro's guess: 1 for the last layers of those two networks, which it knows by their slices,
// or as the fifth without cycles_max.
int32_t GuessedCycles(const PrepareContext& context) {
  const Graph& graph = context.graph();
  int nameless = 0;
  int32_t cycles = 2;
  for (int n = 0; n <= context.position(); ++n) {
    const Node& node = graph.nodes[n];
    const NodeInfo info = graph.model->node(node.subgraph, node.index);
    if (node.op->eval != EvalCircularBuffer || StatedCycles(info) > 0) continue;
    const Shape shape = graph.model->tensor(node.subgraph, info.outputs[0]).shape;
    const int32_t slices = shape.dims[1];
    const bool is_fifth = ++nameless == 5 && shape.dims[2] == 2 && shape.dims[3] == 96;
    cycles = slices == 5 || slices == 13 || slices == 25 || is_fifth ? 1 : 2;
    if (cycles == 1) nameless = 0;
  }
  return cycles;
}

}  // namespace

Status PrepareCircularBuffer(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kInt8));
  LUTRA_TRY(RequireRank(context, 0, 4, 4));
  Shape slices = context.Input(0).shape;
  for (int axis = 0; axis < 2; ++axis) {
    if (slices[axis] != 1) return context.Refuse(Rule::kOperandShape, 0, slices[axis], 1);
  }
  LUTRA_TRY(RequireRank(context, OutputOperand(0), 4, 4));
  const TensorInfo output = context.Output(0);
  slices.dims[1] = output.shape[1];
  LUTRA_TRY(RequireShape(context, OutputOperand(0), slices));
  if (!output.is_variable) return context.Refuse(Rule::kStateVariable, OutputOperand(0));
  CircularBufferData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->cycles = StatedCycles(context.node_info());
  if (data->cycles <= 0) data->cycles = GuessedCycles(context);
  data->slice_bytes = context.Input(0).bytes;
  data->kept_bytes = output.bytes - data->slice_bytes;
  void* state = nullptr;
  LUTRA_TRY(context.AllocateState(sizeof(int32_t), &state));
  data->waited = static_cast<int32_t*>(state);
  return Status::kOk;
}

Status EvalCircularBuffer(EvalContext& context) {
  const auto& data = context.Data<CircularBufferData>();
  auto* const slices = context.OutputData<uint8_t>(0);
  memmove(slices, slices + data.slice_bytes, static_cast<size_t>(data.kept_bytes));
  memcpy(slices + data.kept_bytes, context.InputData<uint8_t>(0), static_cast<size_t>(data.slice_bytes));
  if (++*data.waited < data.cycles) return Status::kNoOutputYet;
  *data.waited = 0;
  return Status::kOk;
}

}  // namespace lutra
