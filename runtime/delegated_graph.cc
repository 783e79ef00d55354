// SPDX-License-Identifier: Apache-2.0
// The graph with the partitions of delegates: their nodes, the order of nodes, and the lifetimes of their
// tensors.

#include "runtime/decoders.h"
#include "runtime/delegation.h"

namespace lutra {
namespace {

Status PreparePartition(PrepareContext& context) {
  int index = 0;
  const uint32_t bytes = context.Prepared<DelegatePartition>().scratch_bytes;
  return bytes == 0 ? Status::kOk : context.RequestScratch(static_cast<int32_t>(bytes), &index);
}

Status EvalPartition(EvalContext& context) {
  auto& partition = const_cast<DelegatePartition&>(context.Data<DelegatePartition>());
  DelegateEvalContext eval(partition.graph, &partition, context.ScratchData<uint8_t>(0));
  const Status status = partition.kernel.Eval(partition.kernel.state, eval);
  if (status == Status::kOk) return status;
  (void)context.Refuse(Rule::kDelegateFailed);
  return Status::kInvalidInput;
}

Status PrepareNothing(PrepareContext&) { return Status::kOk; }
Status EvalMember(EvalContext&) { return Status::kOk; }

constexpr Op kPartitionOp = {BuiltinOperator::kCustom, PreparePartition, EvalPartition, kNoInputs,
                             "DELEGATE"};
constexpr Op kMemberOp = {BuiltinOperator::kCustom, PrepareNothing, EvalMember, kNoInputs, "DELEGATE"};
// Stands for a TFLM_DECODE that only partitions read.
constexpr Op kLeftOutOp = {BuiltinOperator::kCustom, PrepareNothing, EvalMember, kNoInputs, "TFLM_DECODE"};

void Replace(Node* node, const Op& op, DelegatePartition* partition) {
  node->op = &op;
  node->data = partition;
  // Its operands belong to the partition.
  node->input_count = 0;
  node->output_count = 0;
}

}  // namespace

bool RunsPartition(const Node& node) { return node.op == &kPartitionOp; }

const DelegatePartition* PartitionOf(const Node& node) {
  const bool taken = node.op == &kPartitionOp || node.op == &kMemberOp;
  return taken ? static_cast<const DelegatePartition*>(node.data) : nullptr;
}

void Delegation::JoinNodes(int level, DelegatePartition* partition) {
  int first = kNone;
  int last = kNone;
  for (int n = 0; n < graph_->node_count; ++n) {
    if (!IsOf(n, level)) continue;
    if (first == kNone) {
      first = n;
    } else {
      marks_[last].next = static_cast<uint16_t>(n);
    }
    last = n;
    marks_[n].unit = static_cast<uint16_t>(first);
    marks_[n].candidate = false;
    Replace(&graph_->nodes[n], n == first ? kPartitionOp : kMemberOp, partition);
  }
}

// Returns a unit, by its first node, that must run before this one and has no place yet; else kNone.
int Delegation::UnplacedBefore(int unit) const {
  int found = kNone;
  for (int m = unit; m != kNone && found == kNone; m = marks_[m].next) {
    ForEachProducer(m, [&](int q) {
      const int other = marks_[q].unit;
      if (other != unit && !marks_[other].placed) found = other;
    });
  }
  return found;
}

// Nodes keep their order, except those that a partition needs, which are placed before its first node.
void Delegation::PlaceNodes() {
  int placed = 0;
  for (int n = 0; n < graph_->node_count; ++n) {
    if (marks_[marks_[n].unit].placed) continue;
    int depth = 0;
    stack_[depth++] = marks_[n].unit;
    while (depth > 0) {
      const int unit = stack_[depth - 1];
      const int other = UnplacedBefore(unit);
      if (other != kNone) {
        stack_[depth++] = static_cast<uint16_t>(other);
        continue;
      }
      --depth;
      marks_[unit].placed = true;
      for (int m = unit; m != kNone; m = marks_[m].next) order_[placed++] = static_cast<uint16_t>(m);
    }
  }
}

// Moves nodes along the cycles of the permutation.
void Delegation::PermuteNodes() {
  Node* const nodes = graph_->nodes;
  for (int n = 0; n < graph_->node_count; ++n) {
    const Node kept = nodes[n];
    int to = n;
    while (order_[to] != kNone) {
      const int from = order_[to];
      order_[to] = kNone;
      if (from == n) {
        nodes[to] = kept;
        break;
      }
      nodes[to] = nodes[from];
      to = from;
    }
  }
}

// Leaves out decoders whose values only partitions read, as these decode them.
void Delegation::LeaveOutDecoders() {
  if (!has_decoders_) return;
  for (int n = 0; n < graph_->node_count; ++n) {
    Node& node = graph_->nodes[n];
    if (node.subgraph != 0 || PartitionOf(node) != nullptr) continue;
    const NodeInfo info = model().node(0, node.index);
    if (!IsDecoder(info)) continue;
    bool unused = info.outputs.count > 0;
    for (int i = 0; i < info.outputs.count; ++i) {
      unused = unused && IsReadByPartitionsOnly(info.outputs[i]);
    }
    if (unused) Replace(&node, kLeftOutOp, nullptr);
  }
}

bool Delegation::IsReadByPartitionsOnly(int32_t tensor) const {
  int reads = 0;
  for (int n = 0; n < graph_->node_count; ++n) {
    const Node& node = graph_->nodes[n];
    if (PartitionOf(node) == nullptr) continue;
    const NodeInfo info = model().node(0, node.index);
    for (int i = 0; i < info.inputs.count; ++i) reads += info.inputs[i] == tensor ? 1 : 0;
  }
  return reads > 0 && reads == readers_[tensor];
}

void Delegation::SetLifetimes(TensorLifetime* lifetimes) {
  const auto forget = [&](const Node& node) {
    const NodeInfo info = model().node(0, node.index);
    for (int i = 0; i < info.outputs.count; ++i) lifetimes[info.outputs[i]].first = TensorLifetime::kNone;
  };
  uint16_t first = 0;
  for (int n = 0; n < graph_->node_count; ++n) {
    const Node& node = graph_->nodes[n];
    if (node.op == &kLeftOutOp || PartitionOf(node) != nullptr) forget(node);
  }
  for (int n = 0; n < graph_->node_count; ++n) {
    if (!RunsPartition(graph_->nodes[n])) continue;
    first = static_cast<uint16_t>(n + 1);
    for (const int32_t t : PartitionOf(graph_->nodes[n])->params.output_tensors) lifetimes[t].first = first;
  }
}

void Delegation::SetAddresses() {
  for (DelegatePartition* p = partitions_; p != nullptr; p = p->next) {
    const size_t inputs = p->params.input_tensors.size();
    for (size_t i = 0; i < inputs; ++i) p->addresses[i] = graph_->LiveAddress(0, p->params.input_tensors[i]);
    for (size_t i = 0; i < p->params.output_tensors.size(); ++i) {
      p->addresses[inputs + i] = graph_->LiveAddress(0, p->params.output_tensors[i]);
    }
  }
}

}  // namespace lutra
