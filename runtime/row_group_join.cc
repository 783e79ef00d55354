// SPDX-License-Identifier: Apache-2.0
// Finds out which groups can run by rows and how many rows they keep, by simulating the order of rows.

#include "lutra/micro_context.h"
#include "lutra/node_info.h"
#include "lutra/streaming.h"
#include "runtime/head_plan.h"
#include "runtime/row_group_nodes.h"

namespace lutra {
namespace {

// Fills in the nodes of a group, and changes the plan of the head for it.
class GroupBuilder {
 public:
  GroupBuilder(const RowPlan& plan, HeadPlan& head, RowGroup* group)
      : plan_(plan), graph_(*plan.graph), head_(head), group_(*group), nodes_(group->nodes) {}

  // Fills in the nodes. False if they cannot run by rows.
  bool Fill() {
    constexpr int kMostNodes = INT8_MAX;
    if (group_.count > kMostNodes) return false;
    for (int i = 0; i < group_.count; ++i) {
      if (!FillNode(i)) return false;
    }
    return true;
  }

  // Counts how many rows of each output must be kept, in either direction.
  void CountRows() {
    for (int direction = 0; direction < 2; ++direction) {
      ForEachRowMade(nodes_, group_.count, [this](int at) {
        const int32_t rows = nodes_[at].made - LowestRowNeeded(nodes_, group_.count, at) + 1;
        if (rows > nodes_[at].kept_rows) nodes_[at].kept_rows = static_cast<uint16_t>(rows);
      });
      Mirror(nodes_, group_.count);
    }
    nodes_[group_.count - 1].kept_rows = nodes_[group_.count - 1].rows;
  }

  // All buffers that the group reads or writes live at the step of its last node.
  void JoinBuffers() {
    const auto step = static_cast<uint16_t>(group_.last() + 1);
    Node& last = graph_.nodes[group_.last()];
    NodeRequest most = last.request;
    for (int i = 0; i < group_.count; ++i) {
      GroupNode& node = nodes_[i];
      Node& in_graph = graph_.nodes[node.position];
      head_.DropOverlaps(node.position);
      const NodeInfo info = graph_.model->node(0, in_graph.index);
      for (int k = 0; k < info.inputs.count; ++k) {
        PlanBuffer* const buffer = info.inputs[k] < 0 ? nullptr : head_.BufferOf(0, info.inputs[k]);
        if (buffer != nullptr && buffer->last < step) buffer->last = step;
      }
      if (i + 1 < group_.count) {
        PlanBuffer* const buffer = head_.BufferOf(0, info.outputs[0]);
        buffer->bytes = node.kept_rows * node.row_bytes;
        buffer->first = step;
      }
      group_.requests[i] = in_graph.request;
      JoinScratch(&in_graph.request, &most);
    }
    if (nodes_[group_.count - 1].SumsRows()) most.scratch_bytes += SumBytes(*graph_.model, last);
    last.request = most;
  }

 private:
  Node& NodeAt(int i) const { return graph_.nodes[group_.first + i]; }

  bool FillNode(int i) {
    GroupNode& node = nodes_[i];
    const Node& in_graph = NodeAt(i);
    const NodeInfo info = graph_.model->node(0, in_graph.index);
    if (!RunsByRows(in_graph, i) || info.outputs.count != 1 || info.inputs.count > UINT8_MAX) return false;
    const TensorInfo output = graph_.model->tensor(0, info.outputs[0]);
    if (output.type == TensorType::kUInt8 || !IsPrivate(i, info.outputs[0], output)) return false;
    node.op = in_graph.op;
    node.position = static_cast<uint16_t>(group_.first + i);
    node.input_count = 0;
    for (int k = 0; k < info.inputs.count; ++k) {
      if (info.inputs[k] < 0 || graph_.model->tensor(0, info.inputs[k]).is_constant()) continue;
      const int producer = ProducerOf(i, info.inputs[k]);
      const RowMap* const map = plan_.MapOf(node.position, k);
      if (map == nullptr) {
        if (producer != GroupInput::kOutside) return false;
        continue;  // Read as a whole, from outside.
      }
      if (map->images != 1 || graph_.model->tensor(0, info.inputs[k]).type == TensorType::kUInt8)
        return false;
      GroupInput& input = node.inputs[node.input_count++];
      input.operand = static_cast<uint8_t>(k);
      input.producer = static_cast<int8_t>(producer);
    }
    return node.input_count > 0 && SetRows(&node, info, output);
  }

  // Returns whether eval is a plain one, which reads its operands where they lie.
  bool RunsByRows(const Node& node, int i) const {
    if (node.subgraph != 0 || node.op->code == BuiltinOperator::kCustom) return false;
    if (graph_.options.streaming != nullptr && node.op->prepare == graph_.options.streaming->prepare)
      return false;
    for (const DecodedOperand* r = graph_.decoded_operands; r != nullptr; r = r->next) {
      if (r->node == group_.first + i && !r->decoded) return false;
    }
    return true;
  }

  // Returns whether only nodes of the group read this tensor, which a node of the group makes.
  bool IsPrivate(int i, int tensor, const TensorInfo& info) const {
    const PlanBuffer* const buffer = head_.BufferOf(0, tensor);
    if (buffer == nullptr || buffer->bytes != info.bytes) return false;
    return i + 1 == group_.count || buffer->last <= group_.last() + 1;
  }

  int ProducerOf(int reader, int32_t tensor) const {
    for (int i = 0; i < reader; ++i) {
      if (graph_.model->node(0, NodeAt(i).index).outputs[0] == tensor) return i;
    }
    return GroupInput::kOutside;
  }

  // Rows of the output and of the inputs, which must be those that their producers make.
  bool SetRows(GroupNode* node, const NodeInfo& info, const TensorInfo& output) {
    const RowMap& own = DeclaredMap(*node, node->inputs[0]);
    if (own.access == RowMap::Access::kSumOfRows && node == &nodes_[group_.count - 1]) {
      return SetSummedRows(own, node);
    }
    const bool elementwise = own.access == RowMap::Access::kElementwise;
    const int32_t units = elementwise ? output.bytes / ElementBytes(output.type) : own.out_rows;
    const int32_t rows = IsRowForRow(own) ? RowsFor(*node, output) : units;
    if (rows < 1 || rows > kMostRows || units % rows != 0) return false;
    if (output.bytes < rows || output.bytes % rows != 0) return false;
    node->rows = static_cast<uint16_t>(rows);
    node->row_bytes = output.bytes / rows;
    node->units_per_row = units / rows;
    node->kept_rows = 1;
    for (int k = 0; k < node->input_count; ++k) {
      GroupInput& input = node->inputs[k];
      RowMap map = DeclaredMap(*node, input);
      if (IsRowForRow(map)) {
        map.in_rows = map.out_rows = rows;
        map.window = map.dilation = 1;
        map.in_row_bytes = graph_.model->tensor(0, info.inputs[input.operand]).bytes / rows;
        map.out_row_bytes = node->row_bytes;
      }
      if (map.out_rows != rows || map.out_row_bytes != node->row_bytes || !Store(map, &input)) return false;
      if (int64_t{map.in_rows} * map.in_row_bytes !=
          graph_.model->tensor(0, info.inputs[input.operand]).bytes) {
        return false;
      }
      if (input.producer != GroupInput::kOutside && nodes_[input.producer].rows != map.in_rows) return false;
    }
    return true;
  }

  // One "row" of the output is made from each row of the input.
  bool SetSummedRows(RowMap map, GroupNode* node) {
    GroupInput& input = node->inputs[0];
    if (node->input_count != 1 || input.producer == GroupInput::kOutside || map.in_rows > kMostRows) {
      return false;
    }
    map.out_rows = map.in_rows;
    map.window = map.stride = map.dilation = 1;
    map.pad_before = 0;
    node->rows = static_cast<uint16_t>(map.in_rows);
    node->row_bytes = 0;
    node->units_per_row = 1;
    node->kept_rows = 1;
    return Store(map, &input) && nodes_[input.producer].rows == map.in_rows;
  }

  const RowMap& DeclaredMap(const GroupNode& node, const GroupInput& input) const {
    return *plan_.MapOf(node.position, input.operand);
  }

  // False if the record has no room for such numbers, or for those of the mirror.
  static bool Store(const RowMap& map, GroupInput* input) {
    const int64_t begin = -int64_t{map.pad_before};
    const int64_t end = begin + int64_t{map.window - 1} * map.dilation + 1;
    const int64_t sum = map.in_rows - int64_t{map.out_rows - 1} * map.stride;
    const int64_t numbers[] = {map.in_rows, map.stride, begin, end, sum - begin, sum - end};
    for (const int64_t number : numbers) {
      if (number < -kMostRows || number > kMostRows) return false;
    }
    input->in_rows = static_cast<uint16_t>(map.in_rows);
    input->stride = static_cast<uint16_t>(map.stride);
    input->begin = static_cast<int16_t>(begin);
    input->end = static_cast<int16_t>(end);
    return true;
  }

  // Output row y needs input row y alone, however many rows that is divided into.
  static bool IsRowForRow(const RowMap& map) {
    return map.access == RowMap::Access::kElementwise ||
           (map.window == 1 && map.stride == 1 && map.pad_before == 0 && map.in_rows == map.out_rows);
  }

  // Returns how many rows such a node makes: those of the input from another node, or those of an image.
  int32_t RowsFor(const GroupNode& node, const TensorInfo& output) const {
    for (int k = 0; k < node.input_count; ++k) {
      if (node.inputs[k].producer != GroupInput::kOutside) return nodes_[node.inputs[k].producer].rows;
    }
    constexpr int kImageRank = 4;
    return output.shape.rank == kImageRank && output.shape[0] == 1 ? output.shape[1] : 0;
  }

  // The nodes take turns in one scratch buffer, the last node's.
  static void JoinScratch(NodeRequest* own, NodeRequest* most) {
#if LUTRA_HAVE_SCRATCH_LAYERS
    const int64_t wanted = int64_t{own->scratch_bytes} + own->more_scratch_bytes;
    const int64_t before = int64_t{most->scratch_bytes} + most->more_scratch_bytes;
#endif
    if (own->scratch_bytes > most->scratch_bytes) most->scratch_bytes = own->scratch_bytes;
#if LUTRA_HAVE_SCRATCH_LAYERS
    most->more_scratch_bytes =
        static_cast<int32_t>((wanted > before ? wanted : before) - most->scratch_bytes);
#endif
    *own = {};
  }

  const RowPlan& plan_;
  Graph& graph_;
  HeadPlan& head_;
  const RowGroup& group_;
  GroupNode* nodes_;
};

// Gives the tensors the offsets of the plan.
Status SetPlaces(RowPlan& plan, HeadPlan& head) {
  for (int32_t i = 0; i < plan.graph->live_count; ++i) {
    const LiveTensor& live = plan.graph->live[i];
    const int32_t offset = plan.offsets[plan.graph->FirstTensor(live.subgraph) + live.tensor];
    PlanBuffer* const buffer = head.BufferOf(live.subgraph, live.tensor);
    if (offset == kNoOffset || buffer == nullptr) continue;
    constexpr auto kAlignment = static_cast<int32_t>(kArenaAlignment);
    if (offset < 0 || offset % kAlignment != 0 || offset > INT32_MAX - buffer->bytes - kAlignment) {
      const Status status = plan.graph->Refuse(Rule::kRowPlan, live.subgraph, -1, live.tensor);
      plan.graph->diagnosis.found = offset;
      return status;
    }
    buffer->offset = offset;
  }
  plan.has_places = true;
  return Status::kOk;
}

// Copies the group's nodes from working memory to persistent memory.
Status Keep(Graph* graph, RowGroup* group) {
  const GroupNode* const filled = group->nodes;
  int input_count = 0;
  for (int i = 0; i < group->count; ++i) input_count += filled[i].input_count;
  GroupInput* inputs = nullptr;
  LUTRA_TRY(graph->AllocateRecords(group->count, 0, RecordKind::kNodes, &group->nodes));
  LUTRA_TRY(graph->AllocateRecords(input_count, 0, RecordKind::kNodes, &inputs));
  LUTRA_TRY(graph->AllocateRecords(1, 0, RecordKind::kNodes, &group->op));
  for (int i = 0; i < group->count; ++i) {
    group->nodes[i] = filled[i];
    group->nodes[i].inputs = inputs;
    for (int k = 0; k < filled[i].input_count; ++k) *inputs++ = filled[i].inputs[k];
  }
  return Status::kOk;
}

}  // namespace

Status JoinGroups(RowPlan& plan, HeadPlan& head) {
  bool all = true;
  for (int32_t g = 0; g < plan.group_count; ++g) {
    RowGroup& group = plan.groups[g];
    LUTRA_TRY(plan.graph->GrowHead(static_cast<size_t>(group.count), &group.nodes));
    LUTRA_TRY(plan.graph->GrowHead(static_cast<size_t>(group.count), &group.requests));
    for (int i = 0; i < group.count; ++i) {
      const uint16_t inputs = plan.graph->nodes[group.first + i].input_count;
      LUTRA_TRY(plan.graph->GrowHead(inputs, &group.nodes[i].inputs));
    }
    if (!GroupBuilder(plan, head, &group).Fill()) {
      group.nodes = nullptr;
      all = false;
      continue;
    }
    LUTRA_TRY(Keep(plan.graph, &group));
    GroupBuilder builder(plan, head, &group);
    builder.CountRows();
    builder.JoinBuffers();
  }
  return all && plan.offsets.count > 0 ? SetPlaces(plan, head) : Status::kOk;
}

}  // namespace lutra
