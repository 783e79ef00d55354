// SPDX-License-Identifier: Apache-2.0
// Builds a graph: nodes, lifetimes, operators, plan, addresses.

#include "runtime/graph_builder.h"

#include "runtime/constants.h"
#include "runtime/find_op.h"

namespace lutra {
namespace {

constexpr uint16_t kNone = TensorLifetime::kNone;

// The data of nodes whose subgraph has been laid out before, until they are prepared.
constexpr char kLaidOutAgain = 0;

struct NoDelegation {
  static constexpr bool kTakesNodes = false;
};

}  // namespace

Status GraphBuilder::Build() { return BuildWith(static_cast<NoDelegation*>(nullptr)); }

bool GraphBuilder::IsLeftOut(int subgraph, int index) const {
  return streaming_ != nullptr && streaming_->replaces(*graph_, ops_, subgraph, index);
}

Status GraphBuilder::CollectNodes() {
  // The walk is made twice: first it counts, then it fills in.
  LUTRA_TRY(LayOutNodes(false));
  const int count = graph_->node_count;
  LUTRA_TRY(graph_->AllocateRecords(count, count, RecordKind::kNodes, &graph_->nodes));
  return LayOutNodes(true);
}

// Lays out the main graph's nodes, and behind each node that calls subgraphs the nodes of these.
Status GraphBuilder::LayOutNodes(bool fill) {
  graph_->node_count = 0;
  for (int i = 0; i < graph_->model->node_count(0); ++i) {
    if (IsLeftOut(0, i)) continue;
    const Op* const op = FindOp(0, i);
    if (op == nullptr) return graph_->Refuse(Rule::kOperatorUnknown, 0, i, -1);
    AddNode(fill, 0, i, *op, false);
    const Calls* const calls = CallsOf(*op);
    if (calls != nullptr) LUTRA_TRY(calls->lay_out(this, fill, i, *op));
  }
  return Status::kOk;
}

// Returns the operator that runs a node, or null if there is none.
const Op* GraphBuilder::FindOp(int subgraph, int index) const {
  const NodeInfo info = graph_->model->node(subgraph, index);
  const Op* found = lutra::FindOp(ops_, info);
  if (found == nullptr) return nullptr;
#if LUTRA_HAVE_UINT8
  if (graph_->options.uint8 != nullptr) {
    const Op* const uint8 = graph_->options.uint8->find(*graph_, *found, subgraph, index);
    if (uint8 != nullptr) found = uint8;
  }
#endif
#if LUTRA_HAVE_INT16
  if (graph_->options.int16 != nullptr) {
    const Op* const int16 = graph_->options.int16->find(*graph_, *found, subgraph, index);
    if (int16 != nullptr) found = int16;
  }
#endif
  if (streaming_ != nullptr) {
    const Op* const streams = streaming_->find(*graph_, ops_, *found, subgraph, index);
    if (streams != nullptr) found = streams;
  }
  return found;
}

// `again`: its subgraph has been laid out before.
void GraphBuilder::AddNode(bool fill, int subgraph, int index, const Op& op, bool again) {
  const int position = graph_->node_count++;
  if (!fill) return;
  const NodeInfo info = graph_->model->node(subgraph, index);
  Node& node = graph_->nodes[position];
  node = Node();
  node.op = &op;
  if (again) node.data = const_cast<char*>(&kLaidOutAgain);
  node.index = static_cast<uint16_t>(index);
  node.subgraph = static_cast<uint8_t>(subgraph);
  node.input_count = static_cast<uint16_t>(info.inputs.count);
  node.output_count = static_cast<uint16_t>(info.outputs.count);
}

// Returns the same node where its subgraph was called first.
const Node& GraphBuilder::FirstOf(const Node& node) const {
  const Node* first = graph_->nodes;
  while (first->subgraph != node.subgraph || first->index != node.index) ++first;
  return *first;
}

// Returns whether a tensor is made by this very node, at another position: its subgraph is called twice, or
// it calls some itself.
bool GraphBuilder::IsMadeBy(const TensorLifetime& tensor, const Node& node) const {
  if (tensor.first == 0) return false;
  const Node& maker = graph_->nodes[tensor.first - 1];
  return &maker != &node && maker.subgraph == node.subgraph && maker.index == node.index;
}

// Finds when each tensor is first written and last read; checks that none is read before it is written.
Status GraphBuilder::CollectLifetimes() {
  const Model& model = *graph_->model;
  const PackedList<int32_t> inputs = model.inputs(0);
  for (int i = 0; i < inputs.count; ++i) {
    if (!model.tensor(0, inputs[i]).is_constant()) lifetimes_[inputs[i]].first = 0;
  }
  for (int n = 0; n < graph_->node_count; ++n) LUTRA_TRY(CollectNodeLifetimes(n));
  const PackedList<int32_t> outputs = model.outputs(0);
  for (int i = 0; i < outputs.count; ++i) {
    const TensorInfo info = model.tensor(0, outputs[i]);
    TensorLifetime& tensor = lifetimes_[outputs[i]];
    if (info.is_variable) tensor.first = 0;
    if (tensor.first == kNone && !info.is_constant()) {
      return graph_->Refuse(Rule::kGraphOutput, 0, -1, outputs[i]);
    }
    tensor.last = static_cast<uint16_t>(graph_->node_count + 1);
  }
  return Status::kOk;
}

Status GraphBuilder::CollectNodeLifetimes(int position) {
  const Model& model = *graph_->model;
  const int subgraph = graph_->nodes[position].subgraph;
  const int index = graph_->nodes[position].index;
  const NodeInfo node = model.node(subgraph, index);
  TensorLifetime* const tensors = lifetimes_ + graph_->FirstTensor(subgraph);
  const auto step = static_cast<uint16_t>(position + 1);
  for (int i = 0; i < node.inputs.count; ++i) {
    const int t = node.inputs[i];
    if (t < 0) continue;
    const TensorInfo info = model.tensor(subgraph, t);
    if (info.is_constant() || info.shape.Count() == 0) continue;
    if (info.is_variable) tensors[t].first = 0;
    if (tensors[t].first == kNone) {
      if (streaming_ != nullptr && streaming_->makes(*graph_, ops_, subgraph, t)) continue;
      return graph_->Refuse(Rule::kNotProduced, subgraph, index, t);
    }
    tensors[t].last = step;
  }
  for (int i = 0; i < node.outputs.count; ++i) {
    const int t = node.outputs[i];
    const TensorInfo info = model.tensor(subgraph, t);
    const bool is_state = info.is_variable && node.code == BuiltinOperator::kCustom;
    if (info.is_constant() || (info.is_variable && !is_state)) {
      return graph_->Refuse(Rule::kConstantWritten, subgraph, index, t);
    }
    if (is_state) {
      tensors[t].first = 0;
      continue;
    }
    if (tensors[t].first == kNone) {
      tensors[t].first = step;
    } else if (!IsMadeBy(tensors[t], graph_->nodes[position])) {
      return graph_->Refuse(Rule::kProducedTwice, subgraph, index, t);
    }
    tensors[t].last = step;
  }
  const Calls* const calls = CallsOf(*graph_->nodes[position].op);
  if (calls == nullptr || calls->lifetimes == nullptr) return Status::kOk;
  return calls->lifetimes(graph_, lifetimes_, position);
}

// Makes records for the tensors in the arena, and allocates memory for the variable tensors among them.
Status GraphBuilder::CollectTensors() {
  const auto for_each_live = [this](const auto& visit) {
    TensorLifetime* lifetime = lifetimes_;
    for (int s = 0; s < graph_->model->subgraph_count(); ++s) {
      for (int t = 0; t < graph_->model->tensor_count(s); ++t, ++lifetime) {
        if (lifetime->first == kNone) continue;
        const TensorInfo info = graph_->model->tensor(s, t);
        if (info.type == TensorType::kResource) continue;
        LUTRA_TRY(visit(s, t, info, *lifetime));
      }
    }
    return Status::kOk;
  };
  int& count = graph_->live_count;
  LUTRA_TRY(for_each_live([&](int s, int t, const TensorInfo& info, TensorLifetime&) {
    if (ElementBytes(info.type) == 0) return graph_->Refuse(Rule::kTensorType, s, -1, t);
    ++count;
    return Status::kOk;
  }));
  LUTRA_TRY(graph_->AllocateRecords(count, count, RecordKind::kTensors, &graph_->live));
  uint16_t next = 0;
  return for_each_live([&](int s, int t, const TensorInfo& info, TensorLifetime& lifetime) {
    lifetime.live = next++;
    LiveTensor& live = graph_->live[lifetime.live];
    live = {static_cast<uint16_t>(t), static_cast<uint16_t>(s), 0};
    if (!info.is_variable) return Status::kOk;
    void* memory = nullptr;
    LUTRA_TRY(graph_->AllocatePersistent(static_cast<size_t>(info.bytes), kArenaAlignment,
                                         RecordKind::kVariables, &memory));
    live.offset = static_cast<uint32_t>(static_cast<uint8_t*>(memory) - graph_->arena.base());
    return Status::kOk;
  });
}

Status GraphBuilder::PrepareNodes() {
  for (int n = 0; n < graph_->node_count; ++n) LUTRA_TRY(PrepareNode(&graph_->nodes[n]));
  return Status::kOk;
}

Status GraphBuilder::PrepareNode(Node* node) {
  PrepareContext context(graph_, node, &shared_);
  const NodeInfo info = context.node_info();
  const bool again = node->data == &kLaidOutAgain;
  // The addresses are a part of the node's record.
  LUTRA_TRY(graph_->AllocateRecords(node->input_count + node->output_count, 0, RecordKind::kNodes,
                                    &node->addresses));
  for (int i = 0; i < node->input_count; ++i) {
    if (info.inputs[i] < 0) continue;
    LUTRA_TRY(PlaceConstant(graph_->model->tensor(node->subgraph, info.inputs[i]), &node->addresses[i]));
    if (Contains(node->op->compressible_inputs, i)) LUTRA_TRY(context.PlaceInput(i));
  }
  // The Op of a builtin operator names all inputs that it can decompress; custom operators and those that
  // stream may ask for memory in prepare.
  const bool streams = streaming_ != nullptr && node->op->prepare == streaming_->prepare;
  if (node->op->code != BuiltinOperator::kCustom && !streams) LUTRA_TRY(CheckCompressed(context));
  LUTRA_TRY(node->op->prepare(context));
  LUTRA_TRY(CheckCompressed(context));
  MarkOutsidePlan(context);
  if (again) node->data = FirstOf(*node).data;  // With the same state.
  return Status::kOk;
}

// Every compressed input must have a place for its values.
Status GraphBuilder::CheckCompressed(const PrepareContext& context) const {
  for (int i = 0; i < context.input_count(); ++i) {
    if (!context.HasInput(i) || !context.Input(i).is_compressed) continue;
    const bool placed = context.FindDecodedOperand(i) != nullptr || context.node_->addresses[i] != nullptr;
    if (!placed) return context.Refuse(Rule::kCompressedOperand, i);
  }
  return Status::kOk;
}

// Outputs that have a place outside the plan.
void GraphBuilder::MarkOutsidePlan(const PrepareContext& context) {
  for (const DecodedOperand* r = context.first_decoded_; r != nullptr; r = r->next) {
    const int output = r->operand - OutputOperand(0);
    if (r->node != context.NodePosition() || output < 0 || r->values == nullptr) continue;
    graph_->live[context.LifetimeOf(context.OutputTensor(output)).live].offset = LiveTensor::kOutsidePlan;
  }
}

// Finds where kernels read a constant: in the file, or in a copy if the file does not align it or has the
// other byte order. Null for what is not constant, or compressed.
Status GraphBuilder::PlaceConstant(const TensorInfo& info, void** address) {
  *address = nullptr;
  if (!info.is_constant() || info.is_compressed) return Status::kOk;
  const auto element = static_cast<size_t>(ElementBytes(info.type));
  const bool aligned = element <= 1 || reinterpret_cast<uintptr_t>(info.data.data()) % element == 0;
  if (element <= 1 || (kFilesHaveOurByteOrder && aligned)) {
    *address = const_cast<uint8_t*>(info.data.data());  // No kernel writes to an input.
    return Status::kOk;
  }
  const auto bytes = static_cast<size_t>(info.bytes);
  LUTRA_TRY(graph_->AllocatePersistent(bytes, kArenaAlignment, RecordKind::kConstants, address));
  CopyConstant(info, static_cast<uint8_t*>(*address));
  return Status::kOk;
}

void GraphBuilder::SetAddresses() {
  for (int n = 0; n < graph_->node_count; ++n) {
    Node& node = graph_->nodes[n];
    const NodeInfo info = graph_->model->node(node.subgraph, node.index);
    for (int i = 0; i < node.input_count + node.output_count; ++i) {
      const int32_t t = i < node.input_count ? info.inputs[i] : info.outputs[i - node.input_count];
      if (t >= 0 && node.addresses[i] == nullptr) node.addresses[i] = graph_->LiveAddress(node.subgraph, t);
    }
  }
  for (DecodedOperand* r = graph_->decoded_operands; r != nullptr; r = r->next) {
    const Node& node = graph_->nodes[r->node];
    if (r->scratch >= 0) r->values = graph_->arena.base() + node.plan.scratch_offset + r->scratch;
    // An input that is streamed keeps its record there.
    if (r->operand < node.input_count && node.addresses[r->operand] == nullptr) {
      node.addresses[r->operand] = r->values;
    }
  }
}

}  // namespace lutra
