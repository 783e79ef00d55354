// SPDX-License-Identifier: Apache-2.0

#include "lutra/micro_interpreter.h"

#include <limits.h>
#include <string.h>

#include "runtime/text.h"

namespace lutra {
namespace {

constexpr uint16_t kNone = TensorLifetime::kNone;
// Offset of a live tensor whose place a CompressionTensorData knows; no multiple of 16.
constexpr uint32_t kOutsidePlan = 0xFFFFFFFF;
constexpr char kOfflinePlanName[] = "OfflineMemoryAllocation";
constexpr int kOfflinePlanHeader = 3;  // Version, number of subgraphs, number of offsets.

bool IsCompressible(const Op& op, int input) {
  return op.compressible_inputs == kAllInputs || (input < 32 && (op.compressible_inputs >> input & 1) != 0);
}

uint32_t RoundUp(uint32_t bytes) { return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

}  // namespace

MicroInterpreter::MicroInterpreter(const Model& model, Span<const Op> ops, Span<uint8_t> arena,
                                   const InterpreterOptions& options)
    : model_(&model), ops_(ops), arena_(arena), options_(options) {
  context_.model_ = model_;
  context_.arena_ = &arena_;
  context_.diagnosis_ = &diagnosis_;
  context_.policy_ = options.policy;
  context_.cpu_features_ = options.cpu_features;
  context_.decompression_ = options.decompression;
  context_.decode_ = options.decode;
}

Status MicroInterpreter::SetDecompressionMemory(Span<const AlternateMemoryRegion> regions) {
  if (nodes_ != nullptr || !context_.regions_.empty()) return Status::kInvalidArgument;
  context_.regions_ = regions;
  return Status::kOk;
}

Status MicroInterpreter::Refuse(Rule rule, int subgraph, int node, int tensor) {
  diagnosis_.rule = rule;
  diagnosis_.subgraph = static_cast<int16_t>(subgraph);
  diagnosis_.node = node;
  diagnosis_.tensor = tensor;
  return rule == Rule::kOperatorUnknown ? Status::kUnsupported : Status::kInvalidModel;
}

template <typename T>
Status MicroInterpreter::GrowHead(size_t count, T** array) {
  *array = static_cast<T*>(arena_.GrowHead(count * sizeof(T)));
  // The head grows in steps of 8.
  return *array == nullptr ? context_.TooSmall((count * sizeof(T) + 7) / 8 * 8) : Status::kOk;
}

template <typename T>
Status MicroInterpreter::AllocateRecords(int count, int records, RecordKind kind, T** array) {
  void* memory = nullptr;
  LUTRA_TRY(context_.AllocatePersistent(static_cast<size_t>(count) * sizeof(T), alignof(T), kind, &memory,
                                        records));
  *array = static_cast<T*>(memory);
  return Status::kOk;
}

Status MicroInterpreter::AllocateTensors() {
  if (allocated_) return Status::kInvalidArgument;
  if (model_->subgraph_count() == 0) return Status::kInvalidArgument;
  diagnosis_ = Diagnosis();
  LUTRA_TRY(CollectNodes());
  int tensor_count = 0;
  for (int s = 0; s < model_->subgraph_count(); ++s) tensor_count += model_->tensor_count(s);
  Lifetime* lifetimes = nullptr;
  LUTRA_TRY(GrowHead(static_cast<size_t>(tensor_count), &lifetimes));
  for (int i = 0; i < tensor_count; ++i) lifetimes[i] = Lifetime();
  context_.lifetimes_ = lifetimes;
  LUTRA_TRY(CollectLifetimes(lifetimes));
  LUTRA_TRY(CollectTensors(lifetimes));
  const size_t requests_at = arena_.head_bytes();
  LUTRA_TRY(PrepareNodes());
  const Span<PlanOverlap> requests(reinterpret_cast<PlanOverlap*>(arena_.base() + requests_at),
                                   (arena_.head_bytes() - requests_at) / sizeof(PlanOverlap));
  LUTRA_TRY(PlanHead(lifetimes, requests));
  arena_.ClearHead();
  SetAddresses();
  allocated_ = true;
  ResetVariables();
  return Status::kOk;
}

// Lays out the nodes in the order in which they run: the main graph's, and after each CALL_ONCE those
// of the subgraph it calls, the first time that one is called.
Status MicroInterpreter::CollectNodes() {
  struct Called {
    uint8_t bits[32] = {};
    bool Set(int i) {
      const bool was = (bits[i / 8] >> (i % 8) & 1) != 0;
      bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | 1 << (i % 8));
      return !was;
    }
  };
  // Twice the same walk: first it counts, then it fills in.
  for (int pass = 0; pass < 2; ++pass) {
    const bool fill = pass == 1;
    Called called;
    called.Set(0);
    int count = 0;
    for (int i = 0; i < model_->node_count(0); ++i) {
      if (fill) LUTRA_TRY(FillNode(count, 0, i));
      ++count;
      const NodeInfo node = model_->node(0, i);
      int32_t init = 0;
      if (node.code != BuiltinOperator::kCallOnce || !ReadInitSubgraph(node, &init)) continue;
      if (!called.Set(init)) continue;
      if (model_->inputs(init).count != 0) return Refuse(Rule::kInputCount, init, -1, -1);
      for (int k = 0; k < model_->node_count(init); ++k) {
        if (model_->node(init, k).code == BuiltinOperator::kCallOnce) {
          return Refuse(Rule::kRecursion, init, k, -1);
        }
        if (fill) LUTRA_TRY(FillNode(count, init, k));
        ++count;
      }
    }
    if (fill) break;
    node_count_ = count;
    LUTRA_TRY(AllocateRecords(count, count, RecordKind::kNodes, &nodes_));
  }
  context_.nodes_ = nodes_;
  return Status::kOk;
}

Status MicroInterpreter::FillNode(int position, int subgraph, int index) {
  const NodeInfo info = model_->node(subgraph, index);
  Node& node = nodes_[position];
  node = Node();
  for (const Op& op : ops_) {
    if (op.code != info.code) continue;
    if (op.custom_code == nullptr || SameText(op.custom_code, info.custom_code)) node.op = &op;
  }
  if (node.op == nullptr) return Refuse(Rule::kOperatorUnknown, subgraph, index, -1);
  node.index = static_cast<uint16_t>(index);
  node.subgraph = static_cast<uint8_t>(subgraph);
  node.input_count = static_cast<uint16_t>(info.inputs.count);
  node.output_count = static_cast<uint16_t>(info.outputs.count);
  return Status::kOk;
}

int MicroInterpreter::FirstTensor(int subgraph) const {
  int first = 0;
  for (int s = 0; s < subgraph; ++s) first += model_->tensor_count(s);
  return first;
}

// When each tensor is first written and last read; and that nothing is read before it is written.
Status MicroInterpreter::CollectLifetimes(Lifetime* lifetimes) {
  const PackedList<int32_t> inputs = model_->inputs(0);
  for (int i = 0; i < inputs.count; ++i) {
    if (!model_->tensor(0, inputs[i]).is_constant()) lifetimes[inputs[i]].first = 0;
  }
  for (int n = 0; n < node_count_; ++n) {
    const int subgraph = nodes_[n].subgraph;
    const int index = nodes_[n].index;
    const NodeInfo node = model_->node(subgraph, index);
    Lifetime* const tensors = lifetimes + FirstTensor(subgraph);
    const auto step = static_cast<uint16_t>(n + 1);
    for (int i = 0; i < node.inputs.count; ++i) {
      const int t = node.inputs[i];
      if (t < 0) continue;
      const TensorInfo info = model_->tensor(subgraph, t);
      if (info.is_constant()) continue;
      if (info.is_variable) tensors[t].first = 0;
      if (tensors[t].first == kNone) return Refuse(Rule::kNotProduced, subgraph, index, t);
      tensors[t].last = step;
    }
    for (int i = 0; i < node.outputs.count; ++i) {
      const int t = node.outputs[i];
      const TensorInfo info = model_->tensor(subgraph, t);
      if (info.is_constant() || info.is_variable) {
        return Refuse(Rule::kConstantWritten, subgraph, index, t);
      }
      if (tensors[t].first != kNone) return Refuse(Rule::kProducedTwice, subgraph, index, t);
      tensors[t].first = step;
      tensors[t].last = step;
    }
  }
  const PackedList<int32_t> outputs = model_->outputs(0);
  for (int i = 0; i < outputs.count; ++i) {
    const TensorInfo info = model_->tensor(0, outputs[i]);
    Lifetime& tensor = lifetimes[outputs[i]];
    if (info.is_variable) tensor.first = 0;
    if (tensor.first == kNone && !info.is_constant()) {
      return Refuse(Rule::kGraphOutput, 0, -1, outputs[i]);
    }
    tensor.last = static_cast<uint16_t>(node_count_ + 1);
  }
  return Status::kOk;
}

// Records for what lives in the arena, and memory for the variable tensors among them.
Status MicroInterpreter::CollectTensors(Lifetime* lifetimes) {
  const auto for_each_live = [this, lifetimes](const auto& visit) {
    Lifetime* lifetime = lifetimes;
    for (int s = 0; s < model_->subgraph_count(); ++s) {
      for (int t = 0; t < model_->tensor_count(s); ++t, ++lifetime) {
        if (lifetime->first == kNone) continue;
        const TensorInfo info = model_->tensor(s, t);
        if (info.type == TensorType::kResource) continue;
        LUTRA_TRY(visit(s, t, info, *lifetime));
      }
    }
    return Status::kOk;
  };
  LUTRA_TRY(for_each_live([this](int s, int t, const TensorInfo& info, Lifetime&) {
    if (ElementBytes(info.type) == 0) return Refuse(Rule::kTensorType, s, -1, t);
    ++live_count_;
    return Status::kOk;
  }));
  LUTRA_TRY(AllocateRecords(live_count_, live_count_, RecordKind::kTensors, &live_));
  uint16_t next = 0;
  return for_each_live([this, &next](int s, int t, const TensorInfo& info, Lifetime& lifetime) {
    lifetime.live = next++;
    LiveTensor& live = live_[lifetime.live];
    live = {static_cast<uint16_t>(t), static_cast<uint16_t>(s), 0};
    if (!info.is_variable) return Status::kOk;
    void* memory = nullptr;
    LUTRA_TRY(context_.AllocatePersistent(static_cast<size_t>(info.bytes), kArenaAlignment,
                                          RecordKind::kVariables, &memory));
    live.offset = static_cast<uint32_t>(static_cast<uint8_t*>(memory) - arena_.base());
    return Status::kOk;
  });
}

Status MicroInterpreter::PrepareNodes() {
  for (int n = 0; n < node_count_; ++n) LUTRA_TRY(PrepareNode(&nodes_[n]));
  return Status::kOk;
}

Status MicroInterpreter::PrepareNode(Node* node) {
  const NodeInfo info = model_->node(node->subgraph, node->index);
  context_.node_ = node;
  // Part of the node's record.
  LUTRA_TRY(AllocateRecords(node->input_count + node->output_count, 0, RecordKind::kNodes, &node->addresses));
  for (int i = 0; i < node->input_count; ++i) {
    if (info.inputs[i] < 0) continue;
    LUTRA_TRY(ConstantAddress(model_->tensor(node->subgraph, info.inputs[i]), &node->addresses[i]));
    int scratch = 0;
    if (IsCompressible(*node->op, i)) LUTRA_TRY(context_.AllocateDecompressionScratchBuffer(i, &scratch));
  }
  // Builtin operators say it all in their Op; custom ones may ask for memory in prepare.
  const auto check_compressed = [&] {
    for (int i = 0; i < node->input_count; ++i) {
      if (info.inputs[i] < 0 || !model_->tensor(node->subgraph, info.inputs[i]).is_compressed) continue;
      if (context_.GetTensorCompressionData(i) == nullptr)
        return context_.Refuse(Rule::kCompressedOperand, i);
    }
    return Status::kOk;
  };
  if (node->op->custom_code == nullptr) LUTRA_TRY(check_compressed());
  LUTRA_TRY(node->op->prepare(context_));
  LUTRA_TRY(check_compressed());
  for (const CompressionTensorData* r = context_.node_compressed_; r != nullptr; r = r->next) {
    const int output = r->operand - MicroContext::OutputOperand(0);
    if (r->node != node - nodes_ || output < 0 || r->values == nullptr) continue;
    const int tensor = FirstTensor(node->subgraph) + info.outputs[output];
    live_[context_.lifetimes_[tensor].live].offset = kOutsidePlan;
  }
  return Status::kOk;
}

// Where kernels find a constant: in the file, or in a copy if the file does not align it or has the
// other byte order. Null for what is not constant, or compressed.
Status MicroInterpreter::ConstantAddress(const TensorInfo& info, void** address) {
  *address = nullptr;
  if (!info.is_constant() || info.is_compressed) return Status::kOk;
  const auto element = static_cast<size_t>(ElementBytes(info.type));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  const bool as_it_is = element <= 1;
#else
  const bool as_it_is = element <= 1 || reinterpret_cast<uintptr_t>(info.data.data()) % element == 0;
#endif
  if (as_it_is) {
    *address = const_cast<uint8_t*>(info.data.data());  // No kernel writes to an input.
    return Status::kOk;
  }
  LUTRA_TRY(context_.AllocatePersistent(static_cast<size_t>(info.bytes), kArenaAlignment,
                                        RecordKind::kConstants, address));
  memcpy(*address, info.data.data(), static_cast<size_t>(info.bytes));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  auto* bytes = static_cast<uint8_t*>(*address);
  for (size_t at = 0; at < static_cast<size_t>(info.bytes); at += element) {
    for (size_t a = at, b = at + element - 1; a < b; ++a, --b) {
      const uint8_t swap = bytes[a];
      bytes[a] = bytes[b];
      bytes[b] = swap;
    }
  }
#endif
  return Status::kOk;
}

// Plans the head and stores what the plan says: offsets of tensors and scratch, directions of nodes.
Status MicroInterpreter::PlanHead(Lifetime* lifetimes, Span<PlanOverlap> requests) {
  const auto lifetime_of = [this, lifetimes](int subgraph, int tensor) -> Lifetime& {
    return lifetimes[FirstTensor(subgraph) + tensor];
  };
  size_t capacity = static_cast<size_t>(live_count_);
  for (int n = 0; n < node_count_; ++n) capacity += nodes_[n].scratch_offset > 0 ? 1 : 0;
  if (capacity >= kNone) return Refuse(Rule::kTooMany, -1, -1, -1);
  PlanBuffer* buffers = nullptr;
  LUTRA_TRY(GrowHead(capacity, &buffers));
  const Span<const uint8_t> offline = model_->Metadata(kOfflinePlanName);
  const PackedList<int32_t> plan = {offline.data(), static_cast<int32_t>(offline.size() / 4)};
  if (!offline.empty()) LUTRA_TRY(CheckOfflinePlan(plan));

  // One buffer for each tensor; an alias joins the buffer of its input.
  size_t count = 0;
  for (int i = 0; i < live_count_; ++i) {
    Lifetime& lifetime = lifetime_of(live_[i].subgraph, live_[i].tensor);
    const TensorInfo info = model_->tensor(live_[i].subgraph, live_[i].tensor);
    if (info.is_variable || live_[i].offset == kOutsidePlan) continue;
    lifetime.buffer = static_cast<uint16_t>(count);
    buffers[count] = {.bytes = info.bytes, .first = lifetime.first, .last = lifetime.last};
    if (!offline.empty()) {
      buffers[count].offset = plan[kOfflinePlanHeader + FirstTensor(live_[i].subgraph) + live_[i].tensor];
    }
    ++count;
  }
  const auto buffer_of_operand = [&](const Node& node, bool output, int operand) {
    const NodeInfo info = model_->node(node.subgraph, node.index);
    const int32_t tensor = output ? info.outputs[operand] : info.inputs[operand];
    return tensor < 0 ? kNone : lifetime_of(node.subgraph, tensor).buffer;
  };
  for (const PlanOverlap& request : requests) {
    if (!request.alias) continue;
    const Node& node = nodes_[request.step - 1];
    const uint16_t input = buffer_of_operand(node, false, request.input);
    const uint16_t output = buffer_of_operand(node, true, request.output);
    if (input == kNone || buffers[input].bytes != buffers[output].bytes) continue;
    if (buffers[input].offset != buffers[output].offset) continue;  // The offline plan's wish.
    if (buffers[output].last > buffers[input].last) buffers[input].last = buffers[output].last;
    // The output's own buffer stays in the list, empty, so that indices hold.
    buffers[output] = {.bytes = 0, .first = kNone, .last = 0};
    const NodeInfo info = model_->node(node.subgraph, node.index);
    lifetime_of(node.subgraph, info.outputs[request.output]).buffer = input;
  }
  const size_t tensor_buffers = count;
  for (int n = 0; n < node_count_; ++n) {
    if (nodes_[n].scratch_offset == 0) continue;
    const auto step = static_cast<uint16_t>(n + 1);
    buffers[count] = {.bytes = static_cast<int32_t>(nodes_[n].scratch_offset), .first = step, .last = step};
    ++count;
  }

  // An overlap holds where the input dies at the node and the node reads it in one place only.
  // The list takes the place of the requests.
  PlanOverlap* const overlaps = requests.data();
  size_t overlap_count = 0;
  for (const PlanOverlap request : requests) {
    if (request.alias || !options_.overlap) continue;
    const Node& node = nodes_[request.step - 1];
    PlanOverlap overlap = request;
    overlap.input = buffer_of_operand(node, false, request.input);
    overlap.output = buffer_of_operand(node, true, request.output);
    if (overlap.input == kNone || buffers[overlap.input].last != request.step) continue;
    int readers = 0;
    for (int i = 0; i < node.input_count; ++i) {
      if (buffer_of_operand(node, false, i) == overlap.input) ++readers;
    }
    if (readers != 1) continue;
    size_t at = overlap_count++;
    for (; at > 0 && overlaps[at - 1].output > overlap.output; --at) overlaps[at] = overlaps[at - 1];
    overlaps[at] = overlap;
  }

  uint8_t* workspace = nullptr;
  const size_t workspace_bytes = PlanWorkspaceBytes(count);
  LUTRA_TRY(GrowHead(workspace_bytes, &workspace));
  const PlanResult result =
      PlanMemory({buffers, count}, {overlaps, overlap_count}, options_.plan, {workspace, workspace_bytes});
  if (!result.ok) return RefusePlan(result, lifetimes);
  for (size_t i = tensor_buffers; i < count; ++i) {
    Node& node = nodes_[buffers[i].first - 1];
    node.scratch_offset = static_cast<uint32_t>(buffers[i].offset);
    ShowPlanned(-1, node.subgraph, buffers[i]);
  }
  return ApplyPlan(result, {buffers, count}, {overlaps, overlap_count}, lifetimes);
}

void MicroInterpreter::ShowPlanned(int tensor, int subgraph, const PlanBuffer& buffer) const {
  if (visitor_.buffer == nullptr) return;
  visitor_.buffer(visitor_.user, {.tensor = tensor,
                                  .subgraph = subgraph,
                                  .offset = buffer.offset,
                                  .bytes = buffer.bytes,
                                  .first_step = buffer.first,
                                  .last_step = buffer.last});
}

Status MicroInterpreter::RefusePlan(const PlanResult& result, const Lifetime* lifetimes) {
  if (result.collision[0] < 0) return Refuse(Rule::kTensorSize, -1, -1, -1);
  const Status status = Refuse(Rule::kOfflinePlanOverlap, -1, -1, -1);
  for (int i = 0; i < live_count_; ++i) {
    const Lifetime& lifetime = lifetimes[FirstTensor(live_[i].subgraph) + live_[i].tensor];
    if (lifetime.buffer == result.collision[0]) {
      diagnosis_.subgraph = static_cast<int16_t>(live_[i].subgraph);
      diagnosis_.tensor = live_[i].tensor;
    }
    if (lifetime.buffer == result.collision[1]) diagnosis_.other_tensor = live_[i].tensor;
  }
  return status;
}

Status MicroInterpreter::CheckOfflinePlan(PackedList<int32_t> plan) {
  const int tensor_count = FirstTensor(model_->subgraph_count());
  diagnosis_.required = tensor_count;
  diagnosis_.found = plan.count < kOfflinePlanHeader ? 0 : plan[2];
  if (diagnosis_.found != tensor_count || plan.count - kOfflinePlanHeader < tensor_count) {
    return Refuse(Rule::kOfflinePlanSize, -1, -1, -1);
  }
  int at = kOfflinePlanHeader;
  for (int s = 0; s < model_->subgraph_count(); ++s) {
    for (int t = 0; t < model_->tensor_count(s); ++t, ++at) {
      const int32_t offset = plan[at];
      if (offset == kNoOffset) continue;
      diagnosis_.found = offset;
      diagnosis_.required = kNoValue;
      const TensorInfo info = model_->tensor(s, t);
      if (offset < 0 || offset % static_cast<int>(kArenaAlignment) != 0 || info.is_constant() ||
          offset > INT32_MAX - info.bytes - static_cast<int>(kArenaAlignment)) {
        return Refuse(Rule::kOfflinePlanOffset, s, -1, t);
      }
    }
  }
  diagnosis_ = Diagnosis();
  return Status::kOk;
}

Status MicroInterpreter::ApplyPlan(const PlanResult& result, Span<const PlanBuffer> buffers,
                                   Span<const PlanOverlap> overlaps, const Lifetime* lifetimes) {
  memory_.head_bytes = static_cast<size_t>(result.peak_bytes);
  memory_.bound_bytes = static_cast<size_t>(result.bound_bytes);
  memory_.persistent_bytes = arena_.persistent_bytes();
  memory_.used_bytes = memory_.head_bytes + memory_.persistent_bytes;
  if (memory_.head_bytes > arena_.head_capacity_bytes()) {
    diagnosis_.rule = Rule::kArenaTooSmall;
    diagnosis_.wanted_bytes = RoundUp(static_cast<uint32_t>(memory_.persistent_bytes)) + memory_.head_bytes;
    return Status::kArenaTooSmall;
  }
  for (int i = 0; i < live_count_; ++i) {
    const Lifetime& lifetime = lifetimes[FirstTensor(live_[i].subgraph) + live_[i].tensor];
    if (lifetime.buffer == kNone) continue;
    const PlanBuffer& buffer = buffers[lifetime.buffer];
    live_[i].offset = static_cast<uint32_t>(buffer.offset);
    const size_t end = RoundUp(static_cast<uint32_t>(buffer.offset + buffer.bytes));
    if (end > memory_.activation_bytes) memory_.activation_bytes = end;
    ShowPlanned(live_[i].tensor, live_[i].subgraph, buffer);
  }
  memory_.scratch_bytes = memory_.head_bytes - memory_.activation_bytes;
  for (size_t i = 0; i < overlaps.size();) {
    const uint16_t output = overlaps[i].output;
    Node& node = nodes_[buffers[output].first - 1];
    bool upwards = true;
    for (; i < overlaps.size() && overlaps[i].output == output; ++i) {
      const PlanBuffer& in = buffers[overlaps[i].input];
      const PlanBuffer& out = buffers[output];
      const RowOrder order = OrderOf(in, out, overlaps[i].forward, overlaps[i].reverse);
      if (order.disjoint) continue;
      upwards = upwards && order.upwards;
      int32_t rows = 1;
      if (overlaps[i].element_bytes != 0) {
        // Pieces as long as the two are apart do not overlap; in place, any piece will do.
        rows = (in.offset > out.offset ? in.offset - out.offset : out.offset - in.offset) /
               overlaps[i].element_bytes;
        if (rows == 0) continue;
      }
      if (node.rows_per_call == 0 || rows < node.rows_per_call) node.rows_per_call = rows;
    }
    node.rows_downwards = !upwards;
  }
  return Status::kOk;
}

void MicroInterpreter::SetAddresses() {
  for (int n = 0; n < node_count_; ++n) {
    Node& node = nodes_[n];
    const NodeInfo info = model_->node(node.subgraph, node.index);
    for (int i = 0; i < node.input_count + node.output_count; ++i) {
      const int32_t t = i < node.input_count ? info.inputs[i] : info.outputs[i - node.input_count];
      if (t >= 0 && node.addresses[i] == nullptr) node.addresses[i] = LiveAddress(node.subgraph, t);
    }
  }
  for (CompressionTensorData* r = context_.compressed_; r != nullptr; r = r->next) {
    const Node& node = nodes_[r->node];
    if (r->scratch >= 0) r->values = arena_.base() + node.scratch_offset + r->scratch;
    if (r->operand < node.input_count) node.addresses[r->operand] = r->values;
  }
}

// Null for a constant or a resource handle. The records are sorted by subgraph and tensor.
void* MicroInterpreter::LiveAddress(int subgraph, int tensor) const {
  int low = 0;
  int high = live_count_;
  while (low < high) {
    const int middle = (low + high) / 2;
    const LiveTensor& live = live_[middle];
    if (live.subgraph == subgraph && live.tensor == tensor) {
      return live.offset == kOutsidePlan ? DecodedAddress(subgraph, tensor) : arena_.base() + live.offset;
    }
    if (live.subgraph < subgraph || (live.subgraph == subgraph && live.tensor < tensor)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return nullptr;
}

void* MicroInterpreter::DecodedAddress(int subgraph, int tensor) const {
  for (const CompressionTensorData* r = context_.compressed_; r != nullptr; r = r->next) {
    const Node& node = nodes_[r->node];
    const int output = r->operand - MicroContext::OutputOperand(0);
    if (output < 0 || node.subgraph != subgraph) continue;
    if (model_->node(subgraph, node.index).outputs[output] == tensor) return r->values;
  }
  return nullptr;
}

// The inputs that the operator finds decoded.
void MicroInterpreter::DecodeInputs(const Node& node) {
  for (const CompressionTensorData* r = context_.node_compressed_; r != nullptr; r = r->next) {
    if (r->node != &node - nodes_) break;
    if (r->operand < node.input_count && IsCompressible(*node.op, r->operand)) (void)context_.DecodeInput(*r);
  }
}

Status MicroInterpreter::Invoke() {
  if (!allocated_) return Status::kInvalidArgument;
  const Profiler* const profiler = context_.profiler_;
  CompressionTensorData*& compressed = context_.node_compressed_;
  compressed = context_.compressed_;
  for (int n = 0; n < node_count_; ++n) {
    while (compressed != nullptr && compressed->node < n) compressed = compressed->next;
    // Nodes of a called subgraph run once.
    if (initialized_ && nodes_[n].subgraph != 0) continue;
    context_.node_ = &nodes_[n];
    DecodeInputs(nodes_[n]);
    if (profiler != nullptr) profiler->begin(profiler->user, n);
    const Status status = nodes_[n].op->eval(context_);
    if (profiler != nullptr) profiler->end(profiler->user, n);
    if (status != Status::kOk) return status;
  }
  initialized_ = true;
  return Status::kOk;
}

void MicroInterpreter::ResetVariables() {
  if (!allocated_) return;
  for (int i = 0; i < live_count_; ++i) {
    const TensorInfo info = model_->tensor(live_[i].subgraph, live_[i].tensor);
    if (!info.is_variable) continue;
    const int zero = info.type == TensorType::kInt8 ? info.zero_point : 0;
    memset(arena_.base() + live_[i].offset, zero, static_cast<size_t>(info.bytes));
  }
  for (Resource* r = context_.resources_; r != nullptr; r = r->next) {
    if (r->data != nullptr) memset(r->data, r->reset_byte, static_cast<size_t>(r->bytes));
  }
  initialized_ = false;
}

int MicroInterpreter::input_count() const { return model_->inputs(0).count; }
int MicroInterpreter::output_count() const { return model_->outputs(0).count; }
Tensor MicroInterpreter::input(int i) const { return TensorAt(model_->inputs(0)[i]); }
Tensor MicroInterpreter::output(int i) const { return TensorAt(model_->outputs(0)[i]); }

Tensor MicroInterpreter::TensorAt(int index) const {
  Tensor tensor;
  tensor.info = model_->tensor(0, index);
  tensor.data = LiveAddress(0, index);
  if (tensor.data == nullptr) tensor.data = const_cast<uint8_t*>(tensor.info.data.data());
  return tensor;
}

}  // namespace lutra
