// SPDX-License-Identifier: Apache-2.0
// GraphBuilder: what AllocateTensors does. Lays out the nodes, finds when each tensor lives, prepares every
// operator, plans memory and stores addresses.
//
//   GraphBuilder builder(&graph, ops);
//   LUTRA_TRY(builder.Build());

#pragma once

#include "lutra/graph.h"
#include "lutra/micro_context.h"
#include "lutra/op.h"
#include "lutra/span.h"
#include "lutra/status.h"
#include "runtime/head_plan.h"

namespace lutra {

class GraphBuilder {
 public:
  GraphBuilder(Graph* graph, Span<const Op> ops) : graph_(graph), ops_(ops) {}

  Status Build();

 private:
  Status CollectNodes();
  Status FillNode(int position, int subgraph, int index);
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
  TensorLifetime* lifetimes_ = nullptr;  // In the head; those of all subgraphs, one after the other.
  PrepareContext::Shared shared_;
};

}  // namespace lutra
