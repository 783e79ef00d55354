// SPDX-License-Identifier: Apache-2.0
// Asks delegates which nodes they take, groups these into partitions, and lets delegates make kernels for
// them. delegated_graph.cc changes the graph for the partitions.

#include "runtime/delegation.h"

#include "lutra/compression/encoding.h"
#include "lutra/micro_interpreter.h"
#include "lutra/op.h"
#include "runtime/decoders.h"
#include "runtime/find_op.h"

namespace lutra {

template <>
inline constexpr bool kOnlyOnHosts<Op> = true;
template <>
inline constexpr bool kOnlyOnHosts<DelegatePartition> = true;
namespace {

// Marks and the searches over them are made for graphs of this size.
constexpr int kMaxNodes = 4096;
constexpr int kMaxOperands = 0xFF00;
constexpr int kMaxNodesWithDecoders = 512;  // Decoders are searched one by one.
constexpr char kOfflinePlanName[] = "OfflineMemoryAllocation";
constexpr char kNoReason[] = "no reason given";

// ---- Operators that this runtime lacks, and a delegate may know.

Status PrepareUnknown(PrepareContext& context) {
  (void)context.Refuse(Rule::kOperatorUnknown);
  return Status::kUnsupported;
}
Status EvalUnknown(EvalContext&) { return Status::kUnsupported; }

// Adds an operator for each that the application lacks, so that no node is refused before a delegate has seen
// it.
Status AddUnknownOps(Graph* graph, Span<const Op>* ops) {
  const Model& model = *graph->model;
  int missing = 0;
  for (int n = 0; n < model.node_count(0); ++n) missing += FindOp(*ops, model.node(0, n)) != nullptr ? 0 : 1;
  if (missing == 0) return Status::kOk;
  Op* list = nullptr;
  LUTRA_TRY(
      graph->AllocateRecords(static_cast<int>(ops->size()) + missing, 1, RecordKind::kDelegates, &list));
  size_t count = 0;
  for (const Op& op : *ops) list[count++] = op;
  for (int n = 0; n < model.node_count(0); ++n) {
    const NodeInfo node = model.node(0, n);
    if (FindOp({list, count}, node) != nullptr) continue;
    const bool custom = node.code == BuiltinOperator::kCustom;
    list[count++] = {node.code, PrepareUnknown, EvalUnknown, kNoInputs, custom ? node.custom_code : nullptr};
  }
  *ops = {list, count};
  return Status::kOk;
}

}  // namespace

Status MicroInterpreter::AllocateTensors(const DelegateList& delegates) {
  if (delegates.delegates.empty()) return AllocateTensors();
  if (allocated_ || graph().model->subgraph_count() == 0) return Status::kInvalidArgument;
  graph().diagnosis = Diagnosis();
  Span<const Op> ops = ops_;
  LUTRA_TRY(AddUnknownOps(&graph(), &ops));
  GraphBuilder builder(&graph(), ops);
  Delegation delegation(&graph(), &builder, delegates);
  const Status status = builder.BuildWith(&delegation);
  if (status != Status::kOk) {
    delegation.FreeKernels();
    return status;
  }
  allocated_ = true;
  ResetVariables();
  return Status::kOk;
}

void MicroInterpreter::FreeKernels() {
  for (int n = 0; allocated_ && n < node_count(); ++n) {
    if (!RunsPartition(node(n))) continue;
    const DelegateKernel& kernel = PartitionOf(node(n))->kernel;
    if (kernel.Free != nullptr) kernel.Free(kernel.state);
  }
  allocated_ = false;
}

Status Delegation::TakeNodes() {
  const size_t head_bytes = graph_->arena.head_bytes();
  if (!CanDelegate()) return Status::kOk;
  LUTRA_TRY(AllocateMarks());
  for (size_t d = 0; d < list_.delegates.size(); ++d) LUTRA_TRY(TakeNodesOf(static_cast<int>(d)));
  if (partitions_ != nullptr && IndexNodes()) LeaveOutDecoders();
  graph_->arena.ShrinkHead(head_bytes);
  return Status::kOk;
}

// Returns whether the graph is one that partitions are made of.
bool Delegation::CanDelegate() const {
  int operands = model().outputs(0).count;
  for (int n = 0; n < graph_->node_count && operands <= kMaxOperands; ++n) {
    const Node& node = graph_->nodes[n];
    operands += node.input_count + node.output_count;
  }
  return graph_->node_count <= kMaxNodes && operands <= kMaxOperands;
}

Status Delegation::AllocateMarks() {
  const auto nodes = static_cast<size_t>(graph_->node_count);
  const auto tensors = static_cast<size_t>(model().tensor_count(0));
  LUTRA_TRY(graph_->GrowHead(nodes, &marks_));
  LUTRA_TRY(graph_->GrowHead(tensors, &producers_));
  LUTRA_TRY(graph_->GrowHead(tensors, &readers_));
  LUTRA_TRY(graph_->GrowHead(tensors, &inside_));
  LUTRA_TRY(graph_->GrowHead(nodes, &order_));
  LUTRA_TRY(graph_->GrowHead(nodes, &stack_));
  return graph_->GrowHead(2 * nodes + 2, &sizes_);  // A level may be two above the last.
}

Status Delegation::TakeNodesOf(int d) {
  number_ = d;
  delegate_ = list_.delegates[static_cast<size_t>(d)];
  // If the graph is wrong, the builder will say how.
  if (!IndexNodes()) return Status::kOk;
  LUTRA_TRY(Probe());
  const Arena arena = graph_->arena;
  DelegatePartition* const before = last_;
  for (bool again = true; again;) {
    again = false;
    Plan();
    LUTRA_TRY(MakePartitions(&again));
    if (!again) break;
    FreeKernelsAfter(before);
    graph_->arena.Restore(arena);
    last_ = before;
    (before == nullptr ? partitions_ : before->next) = nullptr;
  }
  DelegatePartition* partition = before == nullptr ? partitions_ : before->next;
  for (int level = 1; level < level_count_; level += 2) {
    if (sizes_[level] == 0) continue;
    JoinNodes(level, partition);
    partition = partition->next;
  }
  PlaceNodes();
  PermuteNodes();
  return Status::kOk;
}

// ---- What there is.

bool Delegation::IsStateful(const Graph& graph, const Node& node) {
  if (node.subgraph != 0) return true;  // It is called.
  const NodeInfo info = graph.model->node(0, node.index);
  switch (info.code) {
    case BuiltinOperator::kCallOnce:
    case BuiltinOperator::kIf:
    case BuiltinOperator::kWhile:
    case BuiltinOperator::kVarHandle:
    case BuiltinOperator::kReadVariable:
    case BuiltinOperator::kAssignVariable:
      return true;
    default:
      break;
  }
  for (int i = 0; i < info.inputs.count; ++i) {
    if (info.inputs[i] < 0) continue;
    const TensorInfo tensor = graph.model->tensor(0, info.inputs[i]);
    if (tensor.is_variable || tensor.type == TensorType::kResource) return true;
  }
  for (int i = 0; i < info.outputs.count; ++i) {
    if (graph.model->tensor(0, info.outputs[i]).is_variable) return true;
  }
  return false;
}

// Returns false if the graph is wrong: a tensor is read before it is made, or made twice.
bool Delegation::IndexNodes() {
  has_decoders_ = false;
  for (int t = 0; t < model().tensor_count(0); ++t) {
    producers_[t] = kNone;
    readers_[t] = 0;
  }
  const PackedList<int32_t> inputs = model().inputs(0);
  for (int i = 0; i < inputs.count; ++i) producers_[inputs[i]] = kGraphInput;
  uint16_t stateful = kNone;
  const DelegatePartition* partition = nullptr;
  for (int n = 0; n < graph_->node_count; ++n) {
    const Node& node = graph_->nodes[n];
    Mark& mark = marks_[n];
    mark = {.level = 0, .before = kNone, .unit = static_cast<uint16_t>(n), .next = kNone};
    // The nodes of a partition stand side by side.
    const DelegatePartition* const own = PartitionOf(node);
    if (own != nullptr && own == partition) {
      mark.unit = marks_[n - 1].unit;
      marks_[n - 1].next = static_cast<uint16_t>(n);
    }
    partition = own;
    if (own == nullptr && IsStateful(*graph_, node)) {
      mark.before = stateful;
      stateful = static_cast<uint16_t>(n);
    }
    if (node.subgraph == 0 && !IndexNode(n)) return false;
  }
  const PackedList<int32_t> outputs = model().outputs(0);
  for (int i = 0; i < outputs.count; ++i) ++readers_[outputs[i]];
  if (graph_->node_count > kMaxNodesWithDecoders) has_decoders_ = false;
  return true;
}

bool Delegation::IndexNode(int position) {
  const NodeInfo info = model().node(0, graph_->nodes[position].index);
  if (IsDecoder(info)) has_decoders_ = true;
  for (int i = 0; i < info.inputs.count; ++i) {
    if (info.inputs[i] >= 0) ++readers_[info.inputs[i]];
  }
  for (int i = 0; i < info.outputs.count; ++i) {
    const int32_t t = info.outputs[i];
    // The nodes of one operator that calls subgraphs: the last one has its outputs.
    const bool again =
        producers_[t] < kGraphInput && graph_->nodes[producers_[t]].index == graph_->nodes[position].index;
    if ((producers_[t] != kNone && !again) || readers_[t] != 0) return false;
    producers_[t] = static_cast<uint16_t>(position);
  }
  return true;
}

// ---- Probe.

void Delegation::Decline(int position, const char* reason) {
  marks_[position].candidate = false;
  const DelegateObserver* const observer = list_.observer;
  if (observer == nullptr || observer->declined == nullptr) return;
  const Node& node = graph_->nodes[position];
  if (node.subgraph == 0) {
    observer->declined(observer->user, number_, node.index, reason != nullptr ? reason : kNoReason);
  }
}

const char* Delegation::WhyNotCompressed(const DelegateNode& node, int i) const {
  if (!node.IsCompressed(i)) return nullptr;
  Encoding encoding;
  if (node.Input(i).is_compressed) {
    encoding = node.InputEncoding(i);
  } else {
    Fault fault = ReadDecoder(model(), 0, {node.DecoderOf(i), node.InputTensor(i)}, &encoding);
    if (fault.rule == Rule::kNone) fault = CheckContents(encoding);
    if (fault.rule != Rule::kNone) return "a compressed constant is broken";
  }
  if (!delegate_->compressed.Contains(encoding.type)) return "a constant is compressed";
  return CanDecode(graph_->options, encoding) ? nullptr
                                              : "the application's decoder lacks a constant's codec";
}

// Returns why no delegate may have the node, or why this delegate does not take it; null: it takes the node.
const char* Delegation::WhyNot(const Node& node, const DelegateNode& asked) const {
  if (IsStateful(*graph_, node)) return "variables and calls of subgraphs stay on the CPU";
  if (IsDecoder(asked.info())) return "constants are decoded on the CPU";
  for (int i = 0; i < asked.input_count(); ++i) {
    const char* const reason = WhyNotCompressed(asked, i);
    if (reason != nullptr) return reason;
  }
  const char* reason = nullptr;
  if (delegate_->IsNodeSupportedByDelegate(delegate_->state, asked, &reason)) return nullptr;
  return reason != nullptr ? reason : kNoReason;
}

// Prepares the node as if it ran on the CPU, since no delegate may have a node that the CPU would refuse. All
// effects but a refusal are undone.
Status Delegation::CheckNode(Node* node) {
  if (node->op->prepare == PrepareUnknown) return Status::kOk;  // Only the delegate knows the operator.
  Graph before = *graph_;
  const Node kept = *node;
  const auto shared = builder_->shared_;
  graph_->options.policy = MemoryPolicy::kSmall;
  graph_->options.decompression = DecompressionPolicy::kPerUse;
  graph_->regions = {};
  graph_->visitor = {};
  const Status status = builder_->PrepareNode(node);
  graph_->arena.Restore(before.arena);
  before.arena = graph_->arena;
  if (status != Status::kOk) before.diagnosis = graph_->diagnosis;
  *graph_ = before;
  *node = kept;
  builder_->shared_ = shared;
  return status;
}

Status Delegation::Probe() {
  const char* all = nullptr;
  if (!model().Metadata(kOfflinePlanName).empty()) all = "the model says where its tensors lie";
  if (all == nullptr && (delegate_->IsNodeSupportedByDelegate == nullptr ||
                         delegate_->CreateDelegateKernelInterface == nullptr)) {
    all = "the delegate lacks a function";
  }
  if (all == nullptr && delegate_->Initialize != nullptr &&
      delegate_->Initialize(delegate_->state, graph_->options.cpu_features & CpuFeaturesHere()) !=
          Status::kOk) {
    all = "Initialize has failed";
  }
  for (int n = 0; n < graph_->node_count; ++n) {
    Node& node = graph_->nodes[n];
    if (node.subgraph != 0 || PartitionOf(node) != nullptr) continue;
    const char* const reason = all != nullptr ? all : WhyNot(node, {*graph_, has_decoders_, node.index});
    marks_[n].candidate = reason == nullptr;
    if (reason != nullptr) {
      Decline(n, reason);
    } else {
      LUTRA_TRY(CheckNode(&node));
    }
  }
  return Status::kOk;
}

// ---- Plan.

int Delegation::LevelBefore(int position) const {
  int level = 0;
  ForEachProducer(position, [&](int q) {
    if (marks_[q].unit != marks_[position].unit && marks_[q].level > level) level = marks_[q].level;
  });
  return level;
}

void Delegation::AssignLevels(int most_nodes) {
  const int most = 2 * graph_->node_count + 2;
  for (int i = 0; i < most; ++i) sizes_[i] = 0;
  level_count_ = 0;
  for (int n = 0; n < graph_->node_count; ++n) {
    if (marks_[n].unit != n) continue;
    int level = 0;
    for (int m = n; m != kNone; m = marks_[m].next) {
      const int before = LevelBefore(m);
      if (before > level) level = before;
    }
    const bool candidate = marks_[n].candidate;
    if ((level % 2 == 1) != candidate) ++level;
    while (candidate && most_nodes > 0 && sizes_[level] >= most_nodes) level += 2;
    for (int m = n; m != kNone; m = marks_[m].next) marks_[m].level = static_cast<uint16_t>(level);
    if (candidate) ++sizes_[level];
    if (level >= level_count_) level_count_ = level + 1;
  }
}

void Delegation::DropLevel(int level, const char* reason) {
  for (int n = 0; n < graph_->node_count; ++n) {
    if (IsOf(n, level)) Decline(n, reason);
  }
  sizes_[level] = 0;
}

void Delegation::ApplyOptions(const SimpleDelegateOptions& options) {
  int count = 0;
  for (int level = 1; level < level_count_; level += 2) {
    if (sizes_[level] == 0) continue;
    if (sizes_[level] < options.min_nodes_per_partition) {
      DropLevel(level, "the partition would have too few nodes");
    } else {
      ++count;
    }
  }
  if (options.max_delegated_partitions <= 0) return;
  for (; count > options.max_delegated_partitions; --count) {
    int least = 0;
    for (int level = 1; level < level_count_; level += 2) {
      if (sizes_[level] != 0 && (least == 0 || sizes_[level] <= sizes_[least])) least = level;
    }
    DropLevel(least, "there would be too many partitions");
  }
}

void Delegation::Plan() {
  SimpleDelegateOptions options;
  if (delegate_->DelegateOptions != nullptr) options = delegate_->DelegateOptions(delegate_->state);
  AssignLevels(options.max_nodes_per_partition);
  ApplyOptions(options);
}

// ---- Prepare.

Status Delegation::MakePartitions(bool* again) {
  for (int level = 1; level < level_count_ && !*again; level += 2) {
    if (sizes_[level] != 0) LUTRA_TRY(MakePartition(level, again));
  }
  return Status::kOk;
}

Status Delegation::MakePartition(int level, bool* again) {
  const Arena arena = graph_->arena;
  DelegatePartition* partition = nullptr;
  LUTRA_TRY(graph_->AllocateRecords(1, 1, RecordKind::kDelegates, &partition));
  *partition = DelegatePartition();
  LUTRA_TRY(FillPartition(level, partition));
  DelegatePrepareContext context(this, graph_, partition);
  const Status status = AskKernel(partition, context);
  if (status == Status::kOk && context.reason_ == nullptr && !context.handed_back_ &&
      !context.arena_too_small_) {
    (last_ == nullptr ? partitions_ : last_->next) = partition;
    last_ = partition;
    return Status::kOk;
  }
  const bool declined = !context.handed_back_ || context.reason_ != nullptr;
  if (declined && !context.arena_too_small_) {
    DropLevel(level, context.reason_ != nullptr ? context.reason_ : kNoReason);
  }
  const DelegateKernel kernel = partition->kernel;
  if (kernel.Free != nullptr) kernel.Free(kernel.state);
  if (context.arena_too_small_) return Status::kArenaTooSmall;
  graph_->arena.Restore(arena);
  *again = context.handed_back_;
  return Status::kOk;
}

Status Delegation::FillPartition(int level, DelegatePartition* partition) {
  int inputs = 0;
  int outputs = 0;
  ListTensors(level, nullptr, &inputs, nullptr, &outputs);
  const int nodes = sizes_[level];
  int32_t* list = nullptr;
  LUTRA_TRY(graph_->AllocateRecords(nodes + inputs + outputs, 0, RecordKind::kDelegates, &list));
  LUTRA_TRY(graph_->AllocateRecords(inputs + outputs, 0, RecordKind::kDelegates, &partition->addresses));
  int at = 0;
  for (int n = 0; n < graph_->node_count; ++n) {
    if (IsOf(n, level)) list[at++] = graph_->nodes[n].index;
  }
  ListTensors(level, list + nodes, &inputs, list + nodes + inputs, &outputs);
  partition->delegate = delegate_;
  partition->graph = graph_;
  partition->params = {{list, static_cast<size_t>(nodes)},
                       {list + nodes, static_cast<size_t>(inputs)},
                       {list + nodes + inputs, static_cast<size_t>(outputs)}};
  return Status::kOk;
}

void Delegation::ListTensors(int level, int32_t* inputs, int* input_count, int32_t* outputs,
                             int* output_count) {
  for (int t = 0; t < model().tensor_count(0); ++t) inside_[t] = 0;
  *input_count = 0;
  *output_count = 0;
  for (int n = 0; n < graph_->node_count; ++n) {
    if (!IsOf(n, level)) continue;
    const DelegateNode node(*graph_, has_decoders_, graph_->nodes[n].index);
    for (int i = 0; i < node.input_count(); ++i) {
      const int32_t t = node.InputTensor(i);
      if (t < 0 || inside_[t] == kListed) continue;
      const uint16_t producer = producers_[t];
      if (producer < kGraphInput && IsOf(producer, level)) {
        ++inside_[t];
      } else if (!node.IsConstant(i)) {
        inside_[t] = kListed;
        if (inputs != nullptr) inputs[*input_count] = t;
        ++*input_count;
      }
    }
  }
  for (int n = 0; n < graph_->node_count; ++n) {
    if (!IsOf(n, level)) continue;
    const NodeInfo node = model().node(0, graph_->nodes[n].index);
    for (int i = 0; i < node.outputs.count; ++i) {
      const int32_t t = node.outputs[i];
      if (readers_[t] == inside_[t]) continue;
      if (outputs != nullptr) outputs[*output_count] = t;
      ++*output_count;
    }
  }
}

Status Delegation::AskKernel(DelegatePartition* partition, DelegatePrepareContext& context) const {
  DelegateKernel& kernel = partition->kernel;
  LUTRA_TRY(delegate_->CreateDelegateKernelInterface(delegate_->state, context, &kernel));
  if (kernel.Eval == nullptr) return context.Decline("the kernel has no Eval");
  if (kernel.Init != nullptr) LUTRA_TRY(kernel.Init(kernel.state, context, partition->params));
  return kernel.Prepare == nullptr ? Status::kOk : kernel.Prepare(kernel.state, context);
}

bool Delegation::HandBack(const DelegatePartition& partition, int k, const char* reason) {
  const Span<const int32_t> nodes = partition.params.nodes_to_replace;
  if (k < 0 || static_cast<size_t>(k) >= nodes.size()) return false;
  for (int n = 0; n < graph_->node_count; ++n) {
    const Node& node = graph_->nodes[n];
    if (node.subgraph != 0 || node.index != nodes[static_cast<size_t>(k)]) continue;
    if (marks_[n].candidate) Decline(n, reason);
    return true;
  }
  return false;
}

Status Delegation::PlaceConstant(const TensorInfo& info, void** address) {
  return builder_->PlaceConstant(info, address);
}

void Delegation::FreeKernelsAfter(const DelegatePartition* partition) {
  const DelegatePartition* p = partition == nullptr ? partitions_ : partition->next;
  for (; p != nullptr; p = p->next) {
    if (p->kernel.Free != nullptr) p->kernel.Free(p->kernel.state);
  }
}

}  // namespace lutra
