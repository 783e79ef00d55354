// SPDX-License-Identifier: Apache-2.0
// Operators that run nodes of one type of activations in place of those that an application lists (uint8.h,
// int16.h).

#pragma once

#include "lutra/graph.h"
#include "lutra/op.h"

namespace lutra {

struct SecondEntry {
  Op op;
  Status (*plain)(PrepareContext& context);  // The prepare of the operator that it replaces.
  int activations = 0;                       // The input whose type decides.
};

// The entry that runs a node with activations of this type in place of `op`; null if there is none. An
// application may have an operator of its own under the same code.
template <int N>
const Op* FindSecondEntry(const SecondEntry (&entries)[N], TensorType type, const Graph& graph, const Op& op,
                          int subgraph, int index) {
  for (const SecondEntry& entry : entries) {
    if (entry.op.code != op.code || entry.plain != op.prepare) continue;
    const NodeInfo node = graph.model->node(subgraph, index);
    if (node.inputs.count <= entry.activations) return nullptr;
    const int32_t tensor = node.inputs[entry.activations];
    return tensor >= 0 && graph.model->tensor(subgraph, tensor).type == type ? &entry.op : nullptr;
  }
  return nullptr;
}

}  // namespace lutra
