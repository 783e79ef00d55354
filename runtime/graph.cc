// SPDX-License-Identifier: Apache-2.0
// The graph's memory, its refusals, and its tensors' addresses.

#include "lutra/graph.h"

#include "lutra/node_info.h"

namespace lutra {

Status Graph::RefuseArena(size_t more_bytes) {
  return RefuseArenaOf(arena.persistent_bytes() + arena.head_bytes() + more_bytes);
}

Status Graph::RefuseArenaOf(size_t bytes) {
  diagnosis.rule = Rule::kArenaTooSmall;
  const size_t wanted = (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
  diagnosis.wanted_bytes = arena.skipped_bytes() + wanted;
  return Status::kArenaTooSmall;
}

Status Graph::AllocateMemory(size_t bytes, size_t alignment, RecordKind kind, void** memory,
                             int32_t records) {
  *memory = arena.AllocatePersistent(bytes, alignment, kind, records);
  if (*memory != nullptr) return Status::kOk;
  // Includes the gap before aligned memory.
  const size_t used = arena.persistent_bytes();
  return RefuseArena((used + bytes + alignment - 1) / alignment * alignment - used);
}

Status Graph::Refuse(Rule rule, int subgraph, int node, int tensor) {
  diagnosis.rule = rule;
  diagnosis.subgraph = static_cast<int16_t>(subgraph);
  diagnosis.node = node;
  diagnosis.tensor = tensor;
  return rule == Rule::kOperatorUnknown ? Status::kUnsupported : Status::kInvalidModel;
}

int Graph::FirstTensor(int subgraph) const {
  int first = 0;
  for (int s = 0; s < subgraph; ++s) first += model->tensor_count(s);
  return first;
}

void* Graph::LiveAddress(int subgraph, int tensor) const {
  int low = 0;
  int high = live_count;
  while (low < high) {
    const int middle = (low + high) / 2;
    const LiveTensor& l = live[middle];
    if (l.subgraph == subgraph && l.tensor == tensor) {
      return l.offset == LiveTensor::kOutsidePlan ? DecodedAddress(subgraph, tensor)
                                                  : arena.base() + l.offset;
    }
    if (l.subgraph < subgraph || (l.subgraph == subgraph && l.tensor < tensor)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return nullptr;
}

void* Graph::DecodedAddress(int subgraph, int tensor) const {
  for (const DecodedOperand* r = decoded_operands; r != nullptr; r = r->next) {
    const Node& node = nodes[r->node];
    const int output = r->operand - OutputOperand(0);
    if (output < 0 || node.subgraph != subgraph) continue;
    if (model->node(subgraph, node.index).outputs[output] == tensor) return r->values;
  }
  return nullptr;
}

}  // namespace lutra
