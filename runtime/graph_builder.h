// SPDX-License-Identifier: Apache-2.0
// GraphBuilder does the work of AllocateTensors: lays out the nodes, finds when each tensor lives, prepares
// every operator, plans memory and stores addresses.
//
//   GraphBuilder builder(&graph, ops);
//   LUTRA_TRY(builder.Build());

#pragma once

#include "lutra/graph.h"
#include "lutra/int16.h"
#include "lutra/micro_context.h"
#include "lutra/op.h"
#include "lutra/row_groups.h"
#include "lutra/span.h"
#include "lutra/status.h"
#include "lutra/streaming.h"
#include "lutra/uint8.h"
#include "runtime/head_plan.h"

namespace lutra {

class Delegation;

class GraphBuilder {
 public:
  GraphBuilder(Graph* graph, Span<const Op> ops)
      : graph_(graph), ops_(ops), streaming_(Streams(graph->options) ? graph->options.streaming : nullptr) {}

  Status Build();
  // The same, where `delegation` lays out the nodes anew once they are collected.
  template <typename AnyDelegation>
  Status BuildWith(AnyDelegation* delegation);

 private:
  friend class Delegation;
  friend class CallLayout;

  // Returns whether layers see weights as they are stored: with policy streamed, and with policy at-init if
  // variants prepare copies of weights, beside which decoded values would be second copies.
  static bool Streams(const InterpreterOptions& options) {
    if (options.decompression == DecompressionPolicy::kStreamed) return true;
#if LUTRA_HOSTED
    return options.decompression == DecompressionPolicy::kAtInit && options.policy == MemoryPolicy::kFast &&
           options.repack;
#else
    return false;
#endif
  }
  Status CollectNodes();
  bool IsLeftOut(int subgraph, int index) const;
  Status LayOutNodes(bool fill);
  const Op* FindOp(int subgraph, int index) const;
  void AddNode(bool fill, int subgraph, int index, const Op& op, bool again);
  const Node& FirstOf(const Node& node) const;
  bool IsMadeBy(const TensorLifetime& tensor, const Node& node) const;
  Status CollectLifetimes();
  Status CollectNodeLifetimes(int position);
  Status CollectTensors();
  Status PrepareNodes();
  Status PrepareNode(Node* node);
  Status CheckCompressed(const PrepareContext& context) const;
  Status PlaceConstant(const TensorInfo& info, void** address);
  void MarkOutsidePlan(const PrepareContext& context);
  void SetAddresses();

  Graph* graph_;
  Span<const Op> ops_;
  const Streaming* streaming_;           // Null: nothing is streamed.
  TensorLifetime* lifetimes_ = nullptr;  // In the head; those of all subgraphs, one after the other.
  PrepareContext::Shared shared_;
};

// Always inlined, so that a program without delegates has none of their code, whatever the linker would
// inline.
template <typename AnyDelegation>
[[gnu::always_inline]] inline Status GraphBuilder::BuildWith(AnyDelegation* delegation) {
  graph_->diagnosis = Diagnosis();
  LUTRA_TRY(CollectNodes());
  if constexpr (AnyDelegation::kTakesNodes) LUTRA_TRY(delegation->TakeNodes());
  const int tensor_count = graph_->FirstTensor(graph_->model->subgraph_count());
  LUTRA_TRY(graph_->GrowHead(static_cast<size_t>(tensor_count), &lifetimes_));
  for (int i = 0; i < tensor_count; ++i) lifetimes_[i] = TensorLifetime();
  shared_.lifetimes = lifetimes_;
  LUTRA_TRY(CollectLifetimes());
  if constexpr (AnyDelegation::kTakesNodes) delegation->SetLifetimes(lifetimes_);
  LUTRA_TRY(CollectTensors());
  Arena& arena = graph_->arena;
  const RowGroups* const groups = graph_->options.overlap ? graph_->options.row_groups : nullptr;
  if (groups != nullptr) LUTRA_TRY(groups->read(graph_, &shared_.row_plan));
  // A LUTRA_PLAN has the file's numbers of nodes; delegates move nodes.
  if constexpr (AnyDelegation::kTakesNodes) shared_.row_plan = nullptr;
  const size_t slots_at = arena.head_bytes();
  LUTRA_TRY(PrepareNodes());
  const Span<PlanSlot> slots(reinterpret_cast<PlanSlot*>(arena.base() + slots_at),
                             (arena.head_bytes() - slots_at) / sizeof(PlanSlot));
  RowPlan* const row_plan = shared_.row_plan;
  LUTRA_TRY(HeadPlan(graph_, lifetimes_, slots, row_plan).Make(streaming_));
  SetAddresses();
  if (row_plan != nullptr) groups->finish(*row_plan, graph_);
  arena.ClearHead();
  if constexpr (AnyDelegation::kTakesNodes) delegation->SetAddresses();
  return Status::kOk;
}

}  // namespace lutra
