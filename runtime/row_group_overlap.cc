// SPDX-License-Identifier: Apache-2.0
// Lets the output of a group overlap the inputs that no later node reads.

#include <limits.h>

#include "lutra/node_info.h"
#include "runtime/head_plan.h"
#include "runtime/row_group_nodes.h"

namespace lutra {
namespace {

// Finds where the group still needs an input while it writes its output.
class GroupOverlap {
 public:
  GroupOverlap(RowPlan& plan, HeadPlan& head, const RowGroup& group)
      : plan_(plan), head_(head), group_(group) {}

  void AddAll() {
    for (int i = 0; i < group_.count; ++i) {
      for (int k = 0; k < group_.nodes[i].input_count; ++k) {
        if (group_.nodes[i].inputs[k].producer != GroupInput::kOutside) continue;
        const PlanBuffer* const buffer = BufferOf(group_.nodes[i], group_.nodes[i].inputs[k].operand);
        if (buffer != nullptr && DiesHere(*buffer) && IsFirstReader(*buffer, i, k)) Add(*buffer);
      }
    }
  }

 private:
  const PlanBuffer* BufferOf(const GroupNode& node, int operand) const {
    const int32_t tensor =
        plan_.graph->model->node(0, plan_.graph->nodes[node.position].index).inputs[operand];
    return tensor < 0 ? nullptr : head_.BufferOf(0, tensor);
  }

  // Returns whether no later node reads the buffer, and no node of the group reads it as a whole.
  bool DiesHere(const PlanBuffer& buffer) const {
    if (buffer.last != group_.last() + 1) return false;
    for (int i = 0; i < group_.count; ++i) {
      int readers = 0;
      int by_rows = 0;
      const GroupNode& node = group_.nodes[i];
      const int operands = plan_.graph->nodes[node.position].input_count;
      for (int k = 0; k < operands; ++k) readers += BufferOf(node, k) == &buffer ? 1 : 0;
      for (int k = 0; k < node.input_count; ++k) {
        by_rows += BufferOf(node, node.inputs[k].operand) == &buffer ? 1 : 0;
      }
      if (readers != by_rows) return false;
    }
    return true;
  }

  bool IsFirstReader(const PlanBuffer& buffer, int node, int input) const {
    for (int i = 0; i <= node; ++i) {
      const int end = i < node ? group_.nodes[i].input_count : input;
      for (int k = 0; k < end; ++k) {
        if (BufferOf(group_.nodes[i], group_.nodes[i].inputs[k].operand) == &buffer) return false;
      }
    }
    return true;
  }

  void Add(const PlanBuffer& buffer) {
    Overlap distance;
    distance.forward = Distance(buffer);
    Mirror(group_.nodes, group_.count);
    distance.reverse = Distance(buffer);
    Mirror(group_.nodes, group_.count);
    const Node& last = plan_.graph->nodes[group_.last()];
    const int32_t output = plan_.graph->model->node(0, last.index).outputs[0];
    head_.AddOverlap({.input = head_.IndexOf(buffer),
                      .output = head_.LifetimeOf(0, output).buffer,
                      .forward = distance.forward,
                      .reverse = distance.reverse});
  }

  // SafeDistance of the group as a whole.
  int32_t Distance(const PlanBuffer& buffer) const {
    GroupNode* const nodes = group_.nodes;
    const GroupNode& last = nodes[group_.count - 1];
    // Sums of rows are written after all reads, so that the output may lie anywhere in the input.
    if (last.SumsRows()) return -buffer.bytes;
    int32_t distance = INT32_MIN;
    ForEachRowMade(nodes, group_.count, [&](int at) {
      if (at != group_.count - 1) return;
      int32_t needed = INT32_MAX;
      for (int i = 0; i < group_.count; ++i) {
        for (int k = 0; k < nodes[i].input_count && nodes[i].made < nodes[i].rows; ++k) {
          const GroupInput& input = nodes[i].inputs[k];
          if (BufferOf(nodes[i], input.operand) != &buffer) continue;
          const int32_t row = input.FirstRow(nodes[i].made);
          const int32_t place = row * (buffer.bytes / input.in_rows);
          if (row < input.in_rows && place < needed) needed = place;
        }
      }
      if (needed == INT32_MAX) return;
      const int32_t written = (last.made + 1) * last.row_bytes;
      if (written - needed > distance) distance = written - needed;
    });
    const int32_t all = last.rows * last.row_bytes;
    return distance == INT32_MIN || distance > all ? all : distance;
  }

  RowPlan& plan_;
  HeadPlan& head_;
  const RowGroup& group_;
};

}  // namespace

void AddGroupOverlaps(RowPlan& plan, HeadPlan& head) {
  for (int32_t g = 0; g < plan.group_count; ++g) {
    if (plan.groups[g].nodes != nullptr) GroupOverlap(plan, head, plan.groups[g]).AddAll();
  }
}

}  // namespace lutra
