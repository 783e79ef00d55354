// SPDX-License-Identifier: Apache-2.0
// Plans the arena's head: where activations and scratch lie, and in which direction nodes run.
//
//   HeadPlan plan(graph, lifetimes, slots);   // The slots hold what prepare asked for.
//   LUTRA_TRY(plan.Make());                    // Offsets of tensors and scratch, NodePlans, Graph::memory.
//
// Working data is in the arena's head and may be overwritten afterwards.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/graph.h"
#include "lutra/span.h"
#include "lutra/status.h"
#include "runtime/memory_planner.h"

namespace lutra {

// When a tensor is written and read. Step 0 is when the inputs are filled, node i runs at step i + 1,
// outputs are read at step node_count + 1.
struct TensorLifetime {
  static constexpr uint16_t kNone = 0xFFFF;
  uint16_t first = kNone;  // kNone: no node has made it.
  uint16_t last = 0;
  uint16_t live = kNone;    // Its record in the graph; kNone for constants, handles, unused ones.
  uint16_t buffer = kNone;  // Its PlanBuffer; that of its root for an alias.
};

// An input and an output of a node that may overlap, as prepare says it: by numbers of operands.
struct OverlapRequest {
  uint16_t input = 0;
  uint16_t output = 0;
  uint16_t node = 0;          // By its position.
  uint8_t element_bytes = 0;  // Where output element i needs input element i alone, else 0.
  bool alias = false;         // The output has the input's bytes.
  int32_t forward = INT32_MAX;
  int32_t reverse = INT32_MAX;
};

// An entry in the list of requests. The plan turns valid requests into overlaps of buffers in the same list,
// one by one from the front, as working memory is scarce.
struct PlanSlot {
  union {
    OverlapRequest request = {};
    PlanOverlap overlap;
  };
};

struct RowPlan;
struct Streaming;

class HeadPlan {
 public:
  // `lifetimes`: one for each tensor of each subgraph. `slots` are the last thing in the head. `row_plan`:
  // null if no nodes run in groups.
  HeadPlan(Graph* graph, TensorLifetime* lifetimes, Span<PlanSlot> slots, RowPlan* row_plan)
      : graph_(graph), lifetimes_(lifetimes), slots_(slots), row_plan_(row_plan) {}

  // `streaming`: what policy streamed needs, else null.
  Status Make(const Streaming* streaming);

  // ---- For Streaming: streamed_plan.cc.

  // A node that has to do some work anew for each portion of its output's rows that the plan lets it make.
  struct Portions {
    int node;
    int32_t rows;
    int32_t row_bytes;
  };

  const Graph& graph() const { return *graph_; }
  // False if the model has an offline plan, or so many buffers that further plans would take long.
  bool MayPlanAgain() const { return offline_.count == 0 && buffer_count_ <= kMaxBuffersToPlanAgain; }
  const PlanResult& result() const { return result_; }
  // Plans anew, with overlaps and scratch as they are now. Returns the head's bytes, or INT32_MAX.
  int32_t PlanAgain();
  // Adds `more_bytes` to the scratch that the node asks for.
  void SetMoreScratch(int node, int32_t more_bytes);
  // Plans anew, so that each of these nodes makes its rows in one or two portions if the head need not grow
  // for it, or in two if the head stays within `most_bytes`. The portions of the remaining nodes get more
  // rows as far as the head stays within `most_bytes`.
  void EnlargeOverlaps(Span<const Portions> nodes, int32_t most_bytes);
  // Moves a node's scratch to the largest stretch of the head that is free while the node runs, and enlarges
  // it by up to `wanted` bytes. Returns by how many bytes it has grown.
  int32_t GrowScratch(int node, int32_t wanted);
  // Enlarges the node's portions as far as the distance that the plan leaves between input and output allows.
  void IncreaseRowsPerCall(const Portions& node);

  // ---- For RowGroups: row_groups.cc.

  TensorLifetime& LifetimeOf(int subgraph, int tensor) const {
    return lifetimes_[graph_->FirstTensor(subgraph) + tensor];
  }
  // Null for a tensor that has no buffer in the plan.
  PlanBuffer* BufferOf(int subgraph, int tensor) const {
    const uint16_t index = LifetimeOf(subgraph, tensor).buffer;
    return index == TensorLifetime::kNone ? nullptr : &buffers_[index];
  }
  uint16_t IndexOf(const PlanBuffer& buffer) const { return static_cast<uint16_t>(&buffer - buffers_); }
  // Removes the node's overlaps. AddOverlap can then add as many.
  void DropOverlaps(int node);
  void AddOverlap(const PlanOverlap& overlap);

 private:
  PlanOverlap* OverlapOf(int node);
  PlanBuffer* ScratchOf(int node);
  void Widen(const PlanOverlap& before, int32_t by, PlanOverlap* overlap) const;
  uint16_t BufferOfInput(const Node& node, int input) const;
  uint16_t BufferOfOutput(const Node& node, int output) const;
  Status ReadOfflinePlan();
  void AddTensors();
  void JoinAliases();
  void AddScratch();
  bool ResolveOverlap(const OverlapRequest& request, PlanOverlap* overlap) const;
  void ResolveOverlaps();
  Span<const PlanOverlap> overlaps() const { return {&slots_.data()->overlap, overlap_count_}; }
  Status RefuseCollision(const PlanResult& result) const;
  Status StoreUse(const PlanResult& result);
  void StoreTensors();
  void StoreScratch();
  void StoreRowOrders();
  void Show(int tensor, int subgraph, const PlanBuffer& buffer) const;

  static constexpr size_t kMaxBuffersToPlanAgain = 256;

  Graph* graph_;
  TensorLifetime* lifetimes_;
  Span<PlanSlot> slots_;
  RowPlan* row_plan_;
  PackedList<int32_t> offline_;  // The offsets of all tensors; empty without an offline plan.
  PlanBuffer* buffers_ = nullptr;
  size_t tensor_buffers_ = 0;
  size_t buffer_count_ = 0;  // Those of tensors, then those of scratch.
  size_t overlap_count_ = 0;
  Span<uint8_t> workspace_;
  PlanResult result_;
};

}  // namespace lutra
