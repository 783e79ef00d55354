// SPDX-License-Identifier: Apache-2.0
// Invoke and what applications ask. AllocateTensors: graph_builder.cc.

#include "lutra/micro_interpreter.h"

#include <string.h>

#include "lutra/micro_context.h"
#include "runtime/graph_builder.h"

namespace lutra {

MicroInterpreter::MicroInterpreter(const Model& model, Span<const Op> ops, Span<uint8_t> arena,
                                   const InterpreterOptions& options)
    : ops_(ops), graph_(model, arena, options) {}

Status MicroInterpreter::SetDecompressionMemory(Span<const AlternateMemoryRegion> regions) {
  if (graph_.nodes != nullptr || !graph_.regions.empty()) return Status::kInvalidArgument;
  graph_.regions = regions;
  return Status::kOk;
}

Status MicroInterpreter::AllocateTensors() {
  if (allocated_ || graph_.model->subgraph_count() == 0) return Status::kInvalidArgument;
  LUTRA_TRY(GraphBuilder(&graph_, ops_).Build());
  allocated_ = true;
  ResetVariables();
  return Status::kOk;
}

Status MicroInterpreter::Invoke() {
  if (!allocated_) return Status::kInvalidArgument;
  const Profiler* const profiler = graph_.profiler;
  EvalContext context(&graph_, nullptr, graph_.decoded_operands);
  for (int n = 0; n < graph_.node_count; ++n) {
    DecodedOperand*& decoded = context.first_decoded_;
    while (decoded != nullptr && decoded->node < n) decoded = decoded->next;
    Node& node = graph_.nodes[n];
    // Nodes of a called subgraph run once.
    if (initialized_ && node.subgraph != 0) continue;
    context.node_ = &node;
    if (decoded != nullptr && decoded->node == n) context.DecodeInputs();
    if (profiler != nullptr && profiler->begin != nullptr) profiler->begin(profiler->user, n);
    const Status status = node.op->eval(context);
    if (profiler != nullptr && profiler->end != nullptr) profiler->end(profiler->user, n);
    if (status != Status::kOk) return status;
  }
  initialized_ = true;
  return Status::kOk;
}

void MicroInterpreter::ResetVariables() {
  if (!allocated_) return;
  for (int i = 0; i < graph_.live_count; ++i) {
    const LiveTensor& live = graph_.live[i];
    const TensorInfo info = graph_.model->tensor(live.subgraph, live.tensor);
    if (!info.is_variable) continue;
    const int zero = info.type == TensorType::kInt8 ? info.zero_point : 0;
    memset(graph_.arena.base() + live.offset, zero, static_cast<size_t>(info.bytes));
  }
  for (Resource* r = graph_.resources; r != nullptr; r = r->next) {
    if (r->data != nullptr) memset(r->data, r->reset_byte, static_cast<size_t>(r->bytes));
  }
  initialized_ = false;
}

int MicroInterpreter::input_count() const { return graph_.model->inputs(0).count; }
int MicroInterpreter::output_count() const { return graph_.model->outputs(0).count; }
Tensor MicroInterpreter::input(int i) const { return TensorAt(graph_.model->inputs(0)[i]); }
Tensor MicroInterpreter::output(int i) const { return TensorAt(graph_.model->outputs(0)[i]); }

Tensor MicroInterpreter::TensorAt(int index) const {
  Tensor tensor;
  tensor.info = graph_.model->tensor(0, index);
  tensor.data = graph_.LiveAddress(0, index);
  if (tensor.data == nullptr) tensor.data = const_cast<uint8_t*>(tensor.info.data.data());
  return tensor;
}

}  // namespace lutra
