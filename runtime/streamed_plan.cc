// SPDX-License-Identifier: Apache-2.0
// Makes plans for policy streamed: with room for blocks, and with rows made in few portions.

#include "runtime/head_plan.h"

namespace lutra {
namespace {

constexpr int kMaxEnlarged = 48;

}  // namespace

// The overlap of a node's output with its input; null if there is none or several.
PlanOverlap* HeadPlan::OverlapOf(int node) {
  PlanOverlap* found = nullptr;
  for (size_t i = 0; i < overlap_count_; ++i) {
    PlanOverlap& overlap = slots_[i].overlap;
    if (buffers_[overlap.output].first != node + 1) continue;
    if (found != nullptr) return nullptr;
    found = &overlap;
  }
  return found;
}

// Plans anew, with the overlaps as they are now. Returns the head's bytes, or INT32_MAX.
int32_t HeadPlan::PlanAgain() {
  for (size_t i = 0; i < buffer_count_; ++i) buffers_[i].offset = kNoOffset;
  result_ = PlanMemory({buffers_, buffer_count_}, overlaps(), graph_->options.plan, workspace_);
  return result_.ok ? result_.peak_bytes : INT32_MAX;
}

// Sets the distances of `overlap` to those of `before` plus `by`, at most the output's size.
void HeadPlan::Widen(const PlanOverlap& before, int32_t by, PlanOverlap* overlap) const {
  const int32_t all = buffers_[overlap->output].bytes;
  overlap->forward = before.forward < all - by ? before.forward + by : all;
  overlap->reverse = before.reverse < all - by ? before.reverse + by : all;
}

void HeadPlan::EnlargeOverlaps(Span<const Portions> nodes, int32_t most_bytes) {
  struct Changed {
    PlanOverlap* overlap;
    PlanOverlap before;
    int32_t row_bytes;
  };
  Changed changed[kMaxEnlarged];
  int count = 0;
  int tight = 0;  // Nodes for which the head has no room; they are stored at the array's end.
  int32_t peak = result_.peak_bytes;
  for (const Portions& n : nodes) {
    PlanOverlap* const overlap = OverlapOf(n.node);
    if (overlap == nullptr || count + tight == kMaxEnlarged) continue;
    const PlanOverlap before = *overlap;
    const auto fits = [&](int32_t by, int32_t bytes) {
      Widen(before, by, overlap);
      const int32_t planned = PlanAgain();
      if (planned > bytes) return false;
      if (planned > peak) peak = planned;
      return true;
    };
    const int32_t half = n.row_bytes * ((n.rows + 1) / 2 - 1);
    const bool spread =
        fits(buffers_[overlap->output].bytes, peak) || fits(half, peak) || fits(half, most_bytes);
    if (!spread) *overlap = before;
    changed[spread ? count++ : kMaxEnlarged - ++tight] = {overlap, before, n.row_bytes};
  }
  const auto widen_tight = [&](int32_t rows) {
    for (int i = kMaxEnlarged - tight; i < kMaxEnlarged; ++i) {
      Widen(changed[i].before, rows * changed[i].row_bytes, changed[i].overlap);
    }
  };
  // The tight nodes get as many more rows to a portion as there is room for.
  constexpr int32_t kMostRows = 8;
  int32_t rows = 0;
  for (; tight > 0 && rows < kMostRows; ++rows) {
    widen_tight(rows + 1);
    if (PlanAgain() > most_bytes) break;
  }
  widen_tight(rows);
  // The planner makes the same plan again: it is deterministic.
  PlanAgain();
  for (int i = 0; i < count; ++i) *changed[i].overlap = changed[i].before;
  for (int i = kMaxEnlarged - tight; i < kMaxEnlarged; ++i) *changed[i].overlap = changed[i].before;
}

PlanBuffer* HeadPlan::ScratchOf(int node) {
  for (size_t i = tensor_buffers_; i < buffer_count_; ++i) {
    if (buffers_[i].first == node + 1) return &buffers_[i];
  }
  return nullptr;
}

void HeadPlan::SetMoreScratch(int node, int32_t more_bytes) {
  PlanBuffer* const own = ScratchOf(node);
  if (own == nullptr) return;
  own->bytes = static_cast<int32_t>(graph_->nodes[node].request.scratch_bytes) + more_bytes;
}

int32_t HeadPlan::GrowScratch(int node, int32_t wanted) {
  const auto step = static_cast<uint16_t>(node + 1);
  PlanBuffer* const own = ScratchOf(node);
  if (own == nullptr) return 0;
  // Stretches begin at 0 and behind each buffer that is alive, and end where the next one begins.
  const auto head = static_cast<int32_t>(graph_->memory.head_bytes);
  PlanBuffer best = *own;
  for (size_t i = 0; i <= buffer_count_; ++i) {
    const auto is_alive = [&](const PlanBuffer& b) {
      return &b != own && b.bytes > 0 && b.first <= step && b.last >= step;
    };
    if (i < buffer_count_ && !is_alive(buffers_[i])) continue;
    int32_t begin = 0;
    if (i < buffer_count_) begin = buffers_[i].offset + buffers_[i].bytes;
    begin = (begin + static_cast<int32_t>(kArenaAlignment) - 1) / static_cast<int32_t>(kArenaAlignment) *
            static_cast<int32_t>(kArenaAlignment);
    int32_t end = head;
    for (size_t k = 0; k < buffer_count_; ++k) {
      const PlanBuffer& other = buffers_[k];
      if (!is_alive(other) || other.offset + other.bytes <= begin) continue;
      if (other.offset < end) end = other.offset;
    }
    if (end - begin > best.bytes) {
      best.offset = begin;
      best.bytes = end - begin;
    }
  }
  const int32_t before = own->bytes;
  if (best.bytes - before > wanted) best.bytes = before + wanted;
  *own = best;
  return own->bytes - before;
}

void HeadPlan::IncreaseRowsPerCall(const Portions& n) {
  NodePlan& plan = graph_->nodes[n.node].plan;
  const PlanOverlap* const overlap = OverlapOf(n.node);
  if (plan.rows_per_call == 0 || overlap == nullptr || n.row_bytes == 0) return;
  const PlanBuffer& in = buffers_[overlap->input];
  const PlanBuffer& out = buffers_[overlap->output];
  // A row more in a portion is as if the output had been written a row further.
  const int64_t upwards = int64_t{in.offset} - out.offset - overlap->forward;
  const int64_t downwards = int64_t{out.offset} + out.bytes - in.offset - in.bytes - overlap->reverse;
  graph_->nodes[n.node].rows_downwards = downwards > upwards;
  const int64_t apart = downwards > upwards ? downwards : upwards;
  plan.rows_per_call = static_cast<int32_t>(apart / n.row_bytes + 1);
}

}  // namespace lutra
