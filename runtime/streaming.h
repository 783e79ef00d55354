// SPDX-License-Identifier: Apache-2.0
// Streaming: what policy streamed needs, for InterpreterOptions::streaming. Applications for bare metal name
// it if they want the policy; the others do not link it.
//
//   MicroInterpreter interpreter(model, kOps, arena,
//                                {.decompression = DecompressionPolicy::kStreamed, .streaming =
//                                &kStreaming});
//
// An operator that can stream has a second entry here. It checks and prepares as the first does, and eval
// decodes compressed inputs itself: into its output (CONCATENATION, ASSIGN_VARIABLE), or filter by filter
// into a block that many rows of the output are made from. A TFLM_DECODE whose outputs are streamed is no
// node of the graph.

#pragma once

#include "lutra/graph.h"
#include "lutra/op.h"
#include "lutra/span.h"
#include "lutra/status.h"

namespace lutra {

class HeadPlan;

struct Streaming {
  // The prepare of all operators that stream.
  Status (*prepare)(PrepareContext& context);
  // Returns the operator that runs a node in place of `op`, one of `ops`; null: `op` itself.
  const Op* (*find)(const Graph& graph, Span<const Op> ops, const Op& op, int subgraph, int index);
  // Returns whether a node is a TFLM_DECODE that need not run, as the readers of its outputs decode them.
  bool (*replaces)(const Graph& graph, Span<const Op> ops, int subgraph, int index);
  // Returns whether the tensor is an output of such a TFLM_DECODE.
  bool (*makes)(const Graph& graph, Span<const Op> ops, int subgraph, int tensor);
  // Called once the head is planned with the smallest blocks: plans it anew with larger blocks, and with rows
  // made in fewer portions, as long as streaming adds less than 1 KB in all.
  void (*spread)(HeadPlan& plan);
  // Gives blocks the memory that is free while their nodes run.
  void (*grow)(HeadPlan& plan);
  // Once the orders of rows are known: lets calls make more rows where input and output are far enough apart.
  void (*gather)(HeadPlan& plan);
};

extern const Streaming kStreaming;

}  // namespace lutra
