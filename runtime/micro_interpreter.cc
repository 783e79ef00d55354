// SPDX-License-Identifier: Apache-2.0
// Invoke, and the functions that applications call. graph_builder.cc does the work of AllocateTensors.

#include "lutra/micro_interpreter.h"

#include <string.h>

#include "lutra/micro_context.h"
#include "runtime/graph_builder.h"

namespace lutra {

MicroInterpreter::MicroInterpreter(const Model& model, Span<const Op> ops, Span<uint8_t> arena,
                                   const InterpreterOptions& options)
    : ops_(ops) {
  static_assert(sizeof(Graph) <= sizeof(graph_) && alignof(Graph) <= alignof(void*));
  new (graph_) Graph(model, arena, options);
#if LUTRA_HOSTED
  graph().options.cpu_features &= CpuFeaturesHere();  // Bare metal runs all that its build has.
#endif
}

Graph& MicroInterpreter::graph() { return *reinterpret_cast<Graph*>(graph_); }
const Graph& MicroInterpreter::graph() const { return *reinterpret_cast<const Graph*>(graph_); }

int MicroInterpreter::node_count() const { return graph().node_count; }
const Node& MicroInterpreter::node(int i) const { return graph().nodes[i]; }
const Diagnosis& MicroInterpreter::diagnosis() const { return graph().diagnosis; }
MemoryUse MicroInterpreter::memory() const { return graph().memory; }
RecordUse MicroInterpreter::record(RecordKind kind) const { return graph().arena.record(kind); }
void MicroInterpreter::set_profiler(const Profiler* profiler) { graph().profiler = profiler; }
void MicroInterpreter::set_visitor(const Visitor& visitor) { graph().visitor = visitor; }

Status MicroInterpreter::SetDecompressionMemory(Span<const AlternateMemoryRegion> regions) {
  if (graph().nodes != nullptr || !graph().regions.empty()) return Status::kInvalidArgument;
  graph().regions = regions;
  return Status::kOk;
}

Status MicroInterpreter::AllocateTensors() {
  if (allocated_ || graph().model->subgraph_count() == 0) return Status::kInvalidArgument;
  LUTRA_TRY(GraphBuilder(&graph(), ops_).Build());
  allocated_ = true;
  ResetVariables();
  return Status::kOk;
}

Status MicroInterpreter::Invoke() {
  if (!allocated_) return Status::kInvalidArgument;
  const Profiler* const profiler = graph().profiler;
  EvalContext context(&graph(), nullptr, graph().decoded_operands);
  for (int n = 0; n < graph().node_count; n = context.next_) {
    DecodedOperand*& decoded = context.first_decoded_;
    while (decoded != nullptr && decoded->node < n) decoded = decoded->next;
    Node& node = graph().nodes[n];
    context.next_ = n + 1;
    context.node_ = &node;
    if (decoded != nullptr && decoded->node == n) context.DecodeInputs();
    if (profiler != nullptr && profiler->begin != nullptr) profiler->begin(profiler->user, n);
    const Status status = node.op->eval(context);
    if (profiler != nullptr && profiler->end != nullptr) profiler->end(profiler->user, n);
    if (status != Status::kOk) return status;
  }
  return Status::kOk;
}

void MicroInterpreter::ResetVariables() {
  if (!allocated_) return;
  for (int i = 0; i < graph().live_count; ++i) {
    const LiveTensor& live = graph().live[i];
    const TensorInfo info = graph().model->tensor(live.subgraph, live.tensor);
    if (!info.is_variable) continue;
    const int zero = info.type == TensorType::kInt8 ? info.zero_point : 0;
    memset(graph().arena.base() + live.offset, zero, static_cast<size_t>(info.bytes));
  }
  for (Resource* r = graph().resources; r != nullptr; r = r->next) {
    if (r->data != nullptr) memset(r->data, r->reset_byte, static_cast<size_t>(r->bytes));
  }
}

int MicroInterpreter::input_count() const { return graph().model->inputs(0).count; }
int MicroInterpreter::output_count() const { return graph().model->outputs(0).count; }
Tensor MicroInterpreter::input(int i) const { return TensorAt(graph().model->inputs(0)[i]); }
Tensor MicroInterpreter::output(int i) const { return TensorAt(graph().model->outputs(0)[i]); }

Tensor MicroInterpreter::TensorAt(int index) const {
  Tensor tensor;
  tensor.info = graph().model->tensor(0, index);
  tensor.data = graph().LiveAddress(0, index);
  if (tensor.data == nullptr) tensor.data = const_cast<uint8_t*>(tensor.info.data.data());
  return tensor;
}

}  // namespace lutra
