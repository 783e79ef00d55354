// SPDX-License-Identifier: Apache-2.0
// Builds the planner's lists from the requests of prepare, and stores the planner's answers.

#include "runtime/head_plan.h"

#include <limits.h>

#include "lutra/node_info.h"
#include "lutra/row_groups.h"
#include "lutra/streaming.h"

namespace lutra {
namespace {

constexpr uint16_t kNone = TensorLifetime::kNone;
constexpr char kOfflinePlanName[] = "OfflineMemoryAllocation";
constexpr int kOfflinePlanHeader = 3;  // Version, number of subgraphs, number of offsets.

static_assert(sizeof(PlanSlot) == sizeof(PlanOverlap), "overlaps are handed to the planner as an array");

uint32_t RoundUp(uint32_t bytes) { return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

}  // namespace

Status HeadPlan::Make(const Streaming* streaming) {
  auto capacity = static_cast<size_t>(graph_->live_count);
  for (int n = 0; n < graph_->node_count; ++n) {
    capacity += graph_->nodes[n].request.scratch_bytes > 0 ? 1 : 0;
  }
  if (capacity >= kNone) return graph_->Refuse(Rule::kTooMany, -1, -1, -1);
  LUTRA_TRY(graph_->GrowHead(capacity, &buffers_));
  LUTRA_TRY(ReadOfflinePlan());
  AddTensors();
  JoinAliases();
  if (row_plan_ != nullptr) LUTRA_TRY(graph_->options.row_groups->join(*row_plan_, *this));
  AddScratch();
  ResolveOverlaps();
  if (row_plan_ != nullptr) graph_->options.row_groups->overlap(*row_plan_, *this);

  uint8_t* workspace = nullptr;
  const size_t workspace_bytes = PlanWorkspaceBytes(buffer_count_);
  LUTRA_TRY(graph_->GrowHead(workspace_bytes, &workspace));
  workspace_ = {workspace, workspace_bytes};
  result_ = PlanMemory({buffers_, buffer_count_}, overlaps(), graph_->options.plan, workspace_);
  if (row_plan_ != nullptr) graph_->options.row_groups->check(*row_plan_, *this);
  if (!result_.ok) return RefuseCollision(result_);
  if (streaming != nullptr) streaming->spread(*this);
#if LUTRA_HOSTED
  for (int n = 0; n < graph_->node_count && graph_->visitor.step_bound != nullptr; ++n) {
    const auto step = static_cast<uint16_t>(n + 1);
    graph_->visitor.step_bound(graph_->visitor.user, step,
                               StepBound({buffers_, buffer_count_}, overlaps(), step));
  }
#endif
  LUTRA_TRY(StoreUse(result_));
  if (streaming != nullptr) streaming->grow(*this);
  StoreScratch();
  StoreTensors();
  StoreRowOrders();
  if (streaming != nullptr) streaming->gather(*this);
  return Status::kOk;
}

uint16_t HeadPlan::BufferOfInput(const Node& node, int input) const {
  const int32_t tensor = graph_->model->node(node.subgraph, node.index).inputs[input];
  return tensor < 0 ? kNone : LifetimeOf(node.subgraph, tensor).buffer;
}

uint16_t HeadPlan::BufferOfOutput(const Node& node, int output) const {
  return LifetimeOf(node.subgraph, graph_->model->node(node.subgraph, node.index).outputs[output]).buffer;
}

// Reads and checks the offsets in the model's metadata.
Status HeadPlan::ReadOfflinePlan() {
  const Model& model = *graph_->model;
  const Span<const uint8_t> metadata = model.Metadata(kOfflinePlanName);
  if (metadata.empty()) return Status::kOk;
  const PackedList<int32_t> plan = {metadata.data(), static_cast<int32_t>(metadata.size() / 4)};
  Diagnosis& diagnosis = graph_->diagnosis;
  const int tensor_count = graph_->FirstTensor(model.subgraph_count());
  diagnosis.required = tensor_count;
  diagnosis.found = plan.count < kOfflinePlanHeader ? 0 : plan[2];
  if (diagnosis.found != tensor_count || plan.count - kOfflinePlanHeader < tensor_count) {
    return graph_->Refuse(Rule::kOfflinePlanSize, -1, -1, -1);
  }
  offline_ = {metadata.data() + kOfflinePlanHeader * sizeof(int32_t), tensor_count};
  int at = 0;
  for (int s = 0; s < model.subgraph_count(); ++s) {
    for (int t = 0; t < model.tensor_count(s); ++t, ++at) {
      const int32_t offset = offline_[at];
      if (offset == kNoOffset) continue;
      diagnosis.found = offset;
      diagnosis.required = kNoValue;
      const TensorInfo info = model.tensor(s, t);
      if (offset < 0 || offset % static_cast<int>(kArenaAlignment) != 0 || info.is_constant() ||
          offset > INT32_MAX - info.bytes - static_cast<int>(kArenaAlignment)) {
        return graph_->Refuse(Rule::kOfflinePlanOffset, s, -1, t);
      }
    }
  }
  diagnosis = Diagnosis();
  return Status::kOk;
}

// One buffer for each tensor that the plan places.
void HeadPlan::AddTensors() {
  for (int i = 0; i < graph_->live_count; ++i) {
    const LiveTensor& live = graph_->live[i];
    const TensorInfo info = graph_->model->tensor(live.subgraph, live.tensor);
    if (info.is_variable || live.offset == LiveTensor::kOutsidePlan) continue;
    TensorLifetime& lifetime = LifetimeOf(live.subgraph, live.tensor);
    PlanBuffer& buffer = buffers_[tensor_buffers_];
    lifetime.buffer = static_cast<uint16_t>(tensor_buffers_++);
    buffer = {.bytes = info.bytes, .first = lifetime.first, .last = lifetime.last};
    if (offline_.count != 0) buffer.offset = offline_[graph_->FirstTensor(live.subgraph) + live.tensor];
  }
  buffer_count_ = tensor_buffers_;
}

// An alias joins the buffer of its input.
void HeadPlan::JoinAliases() {
  for (const PlanSlot& slot : slots_) {
    const OverlapRequest& request = slot.request;
    if (!request.alias) continue;
    const Node& node = graph_->nodes[request.node];
    const uint16_t input = BufferOfInput(node, request.input);
    const uint16_t output = BufferOfOutput(node, request.output);
    if (input == kNone || output == kNone || input == output ||
        buffers_[input].bytes != buffers_[output].bytes)
      continue;
    if (buffers_[input].offset != buffers_[output].offset) continue;  // The offline plan's wish.
    if (buffers_[output].last > buffers_[input].last) buffers_[input].last = buffers_[output].last;
    // The output's own buffer stays in the list, empty, so that indices hold.
    buffers_[output] = {.bytes = 0, .first = kNone, .last = 0};
    const NodeInfo info = graph_->model->node(node.subgraph, node.index);
    LifetimeOf(node.subgraph, info.outputs[request.output]).buffer = input;
  }
}

void HeadPlan::AddScratch() {
  for (int n = 0; n < graph_->node_count; ++n) {
    const uint32_t bytes = graph_->nodes[n].request.scratch_bytes;
    if (bytes == 0) continue;
    const auto step = static_cast<uint16_t>(n + 1);
    buffers_[buffer_count_++] = {.bytes = static_cast<int32_t>(bytes), .first = step, .last = step};
  }
}

// An overlap is valid if no later node reads the input and this node reads it as one operand only.
bool HeadPlan::ResolveOverlap(const OverlapRequest& request, PlanOverlap* overlap) const {
  if (request.alias || !graph_->options.overlap) return false;
  const Node& node = graph_->nodes[request.node];
  const uint16_t input = BufferOfInput(node, request.input);
  if (input == kNone || buffers_[input].last != request.node + 1) return false;
  // A subgraph that is called twice makes its tensors where it is called first.
  const uint16_t output = BufferOfOutput(node, request.output);
  if (output == kNone || buffers_[output].first != request.node + 1) return false;
  int readers = 0;
  for (int i = 0; i < node.input_count; ++i) readers += BufferOfInput(node, i) == input ? 1 : 0;
  *overlap = {.input = input,
              .output = output,
              .element_bytes = request.element_bytes,
              .forward = request.forward,
              .reverse = request.reverse};
  return readers == 1;
}

// Leaves the overlaps in the first slots, sorted by output. There are never more of them than requests read
// so far, so that no request is lost.
void HeadPlan::ResolveOverlaps() {
  for (const PlanSlot& slot : slots_) {
    PlanOverlap overlap;
    if (ResolveOverlap(slot.request, &overlap)) AddOverlap(overlap);
  }
}

void HeadPlan::AddOverlap(const PlanOverlap& overlap) {
  size_t at = overlap_count_++;
  for (; at > 0 && slots_[at - 1].overlap.output > overlap.output; --at) {
    slots_[at].overlap = slots_[at - 1].overlap;
  }
  slots_[at].overlap = overlap;
}

void HeadPlan::DropOverlaps(int node) {
  for (PlanSlot& slot : slots_) {
    if (slot.request.node == node) slot.request.alias = true;
  }
}

Status HeadPlan::RefuseCollision(const PlanResult& result) const {
  if (result.collision[0] < 0) return graph_->Refuse(Rule::kTensorSize, -1, -1, -1);
  const Status status = graph_->Refuse(Rule::kOfflinePlanOverlap, -1, -1, -1);
  for (int i = 0; i < graph_->live_count; ++i) {
    const LiveTensor& live = graph_->live[i];
    const TensorLifetime& lifetime = LifetimeOf(live.subgraph, live.tensor);
    if (lifetime.buffer == result.collision[0]) {
      graph_->diagnosis.subgraph = static_cast<int16_t>(live.subgraph);
      graph_->diagnosis.tensor = live.tensor;
    }
    if (lifetime.buffer == result.collision[1]) graph_->diagnosis.other_tensor = live.tensor;
  }
  return status;
}

// Stores how much memory the plan takes, and refuses an arena that has less.
Status HeadPlan::StoreUse(const PlanResult& result) {
  MemoryUse& memory = graph_->memory;
  memory.head_bytes = static_cast<size_t>(result.peak_bytes);
  memory.bound_bytes = static_cast<size_t>(result.bound_bytes);
  memory.persistent_bytes = graph_->arena.persistent_bytes();
  const size_t planned_bytes = RoundUp(static_cast<uint32_t>(memory.persistent_bytes)) + memory.head_bytes;
  const size_t peak_bytes = RoundUp(static_cast<uint32_t>(graph_->arena.peak_bytes()));
  memory.used_bytes = planned_bytes > peak_bytes ? planned_bytes : peak_bytes;
#if LUTRA_HOSTED
  if (graph_->visitor.board != nullptr) graph_->visitor.board->Finish(memory.head_bytes);
#endif
  if (memory.head_bytes <= graph_->arena.head_capacity_bytes()) return Status::kOk;
  return graph_->RefuseArenaOf(planned_bytes);
}

void HeadPlan::StoreTensors() {
  MemoryUse& memory = graph_->memory;
  for (int i = 0; i < graph_->live_count; ++i) {
    LiveTensor& live = graph_->live[i];
    const uint16_t index = LifetimeOf(live.subgraph, live.tensor).buffer;
    if (index == kNone) continue;
    const PlanBuffer& buffer = buffers_[index];
    live.offset = static_cast<uint32_t>(buffer.offset);
    const size_t end = RoundUp(static_cast<uint32_t>(buffer.offset + buffer.bytes));
    if (end > memory.activation_bytes) memory.activation_bytes = end;
    Show(live.tensor, live.subgraph, buffer);
  }
  memory.scratch_bytes = memory.head_bytes - memory.activation_bytes;
}

void HeadPlan::StoreScratch() {
  for (int n = 0; n < graph_->node_count; ++n) {
    Node& node = graph_->nodes[n];
#if LUTRA_HAVE_SCRATCH_LAYERS
    const int32_t wanted = node.request.more_scratch_bytes;
    node.plan = {};
    if (wanted > 0) node.plan.more_scratch_bytes = GrowScratch(n, wanted);
#else
    node.plan = {};
#endif
  }
  for (size_t i = tensor_buffers_; i < buffer_count_; ++i) {
    Node& node = graph_->nodes[buffers_[i].first - 1];
    node.plan.scratch_offset = static_cast<uint32_t>(buffers_[i].offset);
    Show(-1, node.subgraph, buffers_[i]);
  }
}

void HeadPlan::StoreRowOrders() {
  const Span<const PlanOverlap> all = overlaps();
  for (size_t i = 0; i < all.size();) {
    const uint16_t output = all[i].output;
    Node& node = graph_->nodes[buffers_[output].first - 1];
    bool upwards = true;
    for (; i < all.size() && all[i].output == output; ++i) {
      const PlanBuffer& in = buffers_[all[i].input];
      const PlanBuffer& out = buffers_[output];
      const RowOrder order = OrderOf(in, out, all[i].forward, all[i].reverse);
      if (order.disjoint) continue;
      upwards = upwards && order.upwards;
      int32_t rows = 1;
      if (all[i].element_bytes != 0) {
        // Pieces no longer than the distance of the two do not overlap; in place, any length will do.
        rows =
            (in.offset > out.offset ? in.offset - out.offset : out.offset - in.offset) / all[i].element_bytes;
        if (rows == 0) continue;
      }
      int32_t& rows_per_call = node.plan.rows_per_call;
      if (rows_per_call == 0 || rows < rows_per_call) rows_per_call = rows;
    }
    node.rows_downwards = !upwards;
  }
}

void HeadPlan::Show(int tensor, int subgraph, const PlanBuffer& buffer) const {
  const GraphVisitor& visitor = graph_->visitor;
  if (visitor.buffer == nullptr) return;
  visitor.buffer(visitor.user, {.tensor = tensor,
                                .subgraph = subgraph,
                                .offset = buffer.offset,
                                .bytes = buffer.bytes,
                                .first_step = buffer.first,
                                .last_step = buffer.last});
}

}  // namespace lutra
