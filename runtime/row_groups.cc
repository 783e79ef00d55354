// SPDX-License-Identifier: Apache-2.0
// Reads LUTRA_PLAN, finds out what its groups need by making their rows on paper, and runs them.

#include "lutra/row_groups.h"

#include <limits.h>
#include <string.h>

#include "lutra/kernels/pool/pool.h"
#include "lutra/micro_context.h"
#include "lutra/node_info.h"
#include "lutra/streaming.h"
#include "runtime/fixed_point/scale_ratio.h"
#include "runtime/head_plan.h"

namespace lutra {
namespace {

// The records of groups persist, and arenas are small: numbers of rows have 16 bits.
constexpr int32_t kMostRows = UINT16_MAX;

// An input whose rows decide which output rows can be made: a RowMap without what the node knows.
struct GroupInput {
  static constexpr int kOutside = -1;

  uint16_t in_rows;
  uint16_t window;
  uint16_t stride;
  uint16_t dilation;
  int16_t pad_before;
  uint8_t operand;
  int8_t producer;  // Its place in the group, or kOutside.
};

// A node of a group. A last node whose output is a sum of rows counts the rows of its input.
struct GroupNode {
  static constexpr BoardRecord kBoardRecord = {32, 32};

  const Op* op;
  GroupInput* inputs;
  uint8_t* memory;        // Of the output: all rows of the last node's, the kept rows of the others'.
  int32_t row_bytes;      // 0: the output is a sum of rows.
  int32_t units_per_row;  // ForEachRows counts so many.
  uint16_t rows;
  uint16_t kept_rows;   // The memory has room for so many.
  uint16_t made;        // So many rows are made, in the order in which they are made.
  uint16_t first_kept;  // The first of them that is in memory.
  uint16_t position;
  uint8_t input_count;

  bool SumsRows() const { return row_bytes == 0; }
  RowMap MapOf(const GroupInput& input) const {
    RowMap map;
    map.access = RowMap::Access::kRows;
    map.in_rows = input.in_rows;
    map.out_rows = rows;
    map.window = input.window;
    map.stride = input.stride;
    map.dilation = input.dilation;
    map.pad_before = input.pad_before;
    return map;
  }
};

// Stands in the graph for the last node of a group.
struct GroupOp : Op {
  static constexpr BoardRecord kBoardRecord = {32, 32};

  GroupNode* nodes;
  int32_t count;
  uint32_t sums_offset;  // From the arena's base.
};

// What prepare has said of an input.
struct DeclaredRows {
  uint16_t node;
  uint16_t input;
  RowMap map;
};

struct Group {
  static constexpr BoardRecord kBoardRecord = {20, 20};

  int32_t first;
  int32_t count;
  GroupNode* nodes;       // Null: it does not run by rows.
  NodeRequest* requests;  // What the nodes asked for, each for itself.
  GroupOp* op;

  int32_t last() const { return first + count - 1; }
  bool Contains(int32_t node) const { return node >= first && node <= last(); }
};

enum Header : int32_t { kVersion, kNodes, kTensors, kGroups, kHeadBytes, kTables, kMostHeaderWords };
constexpr int32_t kWithoutTables = 1;  // Versions of the format.
constexpr int32_t kWithTables = 2;

// A table of multipliers: a pair of words says whose it is and for how many channels.
constexpr int32_t kTablePairWords = 2;
constexpr int32_t kMultiplierWords = 2;

}  // namespace

struct RowPlan {
  static constexpr BoardRecord kBoardRecord = {56, 56};

  Graph* graph;
  PackedList<int32_t> offsets;  // Of all tensors; empty: the planner places them.
  int32_t head_bytes;           // What they take together.
  Group* groups;
  int32_t group_count;
  DeclaredRows* declared;
  int32_t declared_count;
  PackedList<int32_t> tables;       // A pair for each table of multipliers.
  PackedList<int32_t> multipliers;  // Of all tables, one after the other.
  int32_t next_table;               // The first that is not of an earlier node than the last one asked for.
  bool has_places;                  // The tensors have the places of the plan.

  Group* GroupOf(int32_t node) const {
    for (int32_t g = 0; g < group_count; ++g) {
      if (groups[g].Contains(node)) return &groups[g];
    }
    return nullptr;
  }
  const RowMap* MapOf(int32_t node, int32_t input) const {
    for (int32_t i = 0; i < declared_count; ++i) {
      if (declared[i].node == node && declared[i].input == input) return &declared[i].map;
    }
    return nullptr;
  }
};

namespace {

// ---- The order of rows.

// The node of a group whose row comes next, so that the last one can make its own.
int NextNode(const GroupNode* nodes, int count) {
  int at = count - 1;
  for (int i = 0; i < nodes[at].input_count;) {
    const GroupInput& input = nodes[at].inputs[i];
    if (input.producer != GroupInput::kOutside &&
        nodes[input.producer].made <= HighestRowRead(nodes[at].MapOf(input), nodes[at].made)) {
      at = input.producer;
      i = 0;
    } else {
      ++i;
    }
  }
  return at;
}

// The lowest row of a node's output that somebody will still read; at most `made`, the one made next.
int32_t LowestRowNeeded(const GroupNode* nodes, int count, int producer) {
  int64_t lowest = nodes[producer].made;
  for (int n = producer + 1; n < count; ++n) {
    for (int i = 0; i < nodes[n].input_count; ++i) {
      const GroupInput& input = nodes[n].inputs[i];
      if (input.producer != producer) continue;
      const int64_t row = LowestRowReadFrom(nodes[n].MapOf(input), nodes[n].made);
      if (row < lowest) lowest = row;
    }
  }
  return static_cast<int32_t>(lowest);
}

// Downwards is upwards in the mirror.
void Mirror(GroupNode* nodes, int count) {
  for (int n = 0; n < count; ++n) {
    for (int i = 0; i < nodes[n].input_count; ++i) {
      GroupInput& input = nodes[n].inputs[i];
      input.pad_before = static_cast<int16_t>(PaddingAfter(nodes[n].MapOf(input)));
    }
  }
}

void Restart(GroupNode* nodes, int count) {
  for (int n = 0; n < count; ++n) nodes[n].made = nodes[n].first_kept = 0;
}

// Calls visit(node) before each row that is made.
template <typename Visit>
void ForEachRowMade(GroupNode* nodes, int count, const Visit& visit) {
  Restart(nodes, count);
  while (nodes[count - 1].made < nodes[count - 1].rows) {
    const int at = NextNode(nodes, count);
    visit(at);
    ++nodes[at].made;
  }
}

// Returns how many bytes the sums take that make the node's output. They lie before the group's scratch.
uint32_t SumBytes(const Model& model, const Node& node) {
  const TensorInfo output = model.tensor(0, model.node(0, node.index).outputs[0]);
  const auto bytes = static_cast<uint32_t>(output.shape.Count()) * static_cast<uint32_t>(sizeof(int32_t));
  return static_cast<uint32_t>((bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment);
}

// ---- What a group needs.

class GroupBuilder {
 public:
  GroupBuilder(const RowPlan& plan, HeadPlan& head, Group* group)
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

  // How many rows of each output must be kept, in either direction.
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

  // All that the group touches lives at the step of its last node.
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

  // Whether eval is a plain one, which reads its operands where they lie.
  bool RunsByRows(const Node& node, int i) const {
    if (node.subgraph != 0 || node.op->code == BuiltinOperator::kCustom) return false;
    if (graph_.options.streaming != nullptr && node.op->prepare == graph_.options.streaming->prepare)
      return false;
    for (const DecodedOperand* r = graph_.decoded_operands; r != nullptr; r = r->next) {
      if (r->node == group_.first + i && !r->decoded) return false;
    }
    return true;
  }

  // Only nodes of the group read what lies between its nodes.
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

  // False if the record has no room for such numbers.
  static bool Store(const RowMap& map, GroupInput* input) {
    const int32_t numbers[] = {map.in_rows, map.window, map.stride, map.dilation};
    for (const int32_t number : numbers) {
      if (number > kMostRows) return false;
    }
    const int64_t paddings[] = {map.pad_before, PaddingAfter(map)};
    for (const int64_t padding : paddings) {
      if (padding < INT16_MIN || padding > INT16_MAX) return false;
    }
    input->in_rows = static_cast<uint16_t>(map.in_rows);
    input->window = static_cast<uint16_t>(map.window);
    input->stride = static_cast<uint16_t>(map.stride);
    input->dilation = static_cast<uint16_t>(map.dilation);
    input->pad_before = static_cast<int16_t>(map.pad_before);
    return true;
  }

  // Output row y needs input row y alone, however many rows that is divided into.
  static bool IsRowForRow(const RowMap& map) {
    return map.access == RowMap::Access::kElementwise ||
           (map.window == 1 && map.stride == 1 && map.pad_before == 0 && map.in_rows == map.out_rows);
  }

  // Such a node makes the rows that it is given, or those of an image.
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
  const Group& group_;
  GroupNode* nodes_;
};

// ---- What AllocateTensors calls.

PackedList<int32_t> Slice(const PackedList<int32_t>& words, int64_t first, int64_t count) {
  return {words.bytes + first * static_cast<int64_t>(sizeof(int32_t)), static_cast<int32_t>(count)};
}

Status ReadRowPlan(Graph* graph, RowPlan** result) {
  const Model& model = *graph->model;
  const Span<const uint8_t> metadata = model.Metadata(kRowPlanName);
  if (metadata.empty()) return Status::kOk;
  const PackedList<int32_t> words = {metadata.data(),
                                     static_cast<int32_t>(metadata.size() / sizeof(int32_t))};
  const auto refuse = [graph](int32_t found, int32_t required, int node = -1) {
    const Status status = graph->Refuse(Rule::kRowPlan, 0, node, -1);
    graph->diagnosis.found = found;
    graph->diagnosis.required = required;
    return status;
  };
  if (words.count < kMostHeaderWords - 1) return refuse(words.count, kMostHeaderWords - 1);
  const int32_t version = words[kVersion];
  if (version != kWithoutTables && version != kWithTables) return refuse(version, kWithTables);
  const int32_t header_words = version == kWithTables ? kMostHeaderWords : kMostHeaderWords - 1;
  if (words.count < header_words) return refuse(words.count, header_words);
  const int32_t node_count = words[kNodes];
  if (node_count != model.node_count(0)) return refuse(node_count, model.node_count(0));
  const int32_t tensor_count = graph->FirstTensor(model.subgraph_count());
  if (words[kTensors] != 0 && words[kTensors] != tensor_count) return refuse(words[kTensors], tensor_count);
  const int32_t group_count = words[kGroups];
  const int32_t table_count = version == kWithTables ? words[kTables] : 0;
  if (group_count < 0 || group_count > node_count) return refuse(group_count, node_count);
  if (table_count < 0 || table_count > node_count) return refuse(table_count, node_count);
  const int64_t offsets_at = int64_t{header_words} + int64_t{2} * group_count;
  const int64_t tables_at = offsets_at + words[kTensors];
  const int64_t multipliers_at = tables_at + int64_t{kTablePairWords} * table_count;
  if (words.count < multipliers_at) return refuse(words.count, static_cast<int32_t>(multipliers_at));
  const auto group_at = [&](int32_t g) {
    return Group{words[header_words + 2 * g], words[header_words + 2 * g + 1], nullptr, nullptr, nullptr};
  };
  int32_t next = 0;
  int32_t inputs = 0;
  for (int32_t g = 0; g < group_count; ++g) {
    const Group group = group_at(g);
    if (group.first < next || group.first >= node_count) return refuse(group.first, next);
    if (group.count < 2 || group.count > node_count - group.first) {
      return refuse(group.count, node_count - group.first, group.first);
    }
    next = group.first + group.count;
    for (int32_t n = group.first; n < next; ++n) inputs += model.node(0, n).inputs.count;
  }
  const PackedList<int32_t> tables = Slice(words, tables_at, kTablePairWords * table_count);
  int64_t end = multipliers_at;
  for (int32_t t = 0, least = 0; t < table_count; ++t) {
    const int32_t node = tables[kTablePairWords * t];
    const int32_t channels = tables[kTablePairWords * t + 1];
    if (node < least || node >= node_count) return refuse(node, least);
    if (channels < 1 || channels > (words.count - end) / kMultiplierWords) {
      return refuse(channels, static_cast<int32_t>((words.count - end) / kMultiplierWords), node);
    }
    least = node + 1;
    end += int64_t{kMultiplierWords} * channels;
  }
  if (words.count != end) return refuse(words.count, static_cast<int32_t>(end));
  // Nodes of called subgraphs, or nodes that stand for others, have moved the rest.
  if (graph->node_count != node_count || model.Metadata("OfflineMemoryAllocation").size() > 0) {
    return Status::kOk;
  }
  RowPlan* plan = nullptr;
  LUTRA_TRY(graph->GrowHead(1, &plan));
  *plan = {};
  plan->graph = graph;
  plan->head_bytes = words[kHeadBytes];
  plan->group_count = group_count;
  plan->offsets = Slice(words, offsets_at, words[kTensors]);
  plan->tables = tables;
  plan->multipliers = Slice(words, multipliers_at, end - multipliers_at);
  LUTRA_TRY(graph->GrowHead(static_cast<size_t>(group_count), &plan->groups));
  for (int32_t g = 0; g < group_count; ++g) plan->groups[g] = group_at(g);
  LUTRA_TRY(graph->GrowHead(static_cast<size_t>(inputs), &plan->declared));
  *result = plan;
  return Status::kOk;
}

bool GroupsContain(const RowPlan& plan, int node) { return plan.GroupOf(node) != nullptr; }

// The words that the plan has for a node's channels.
PackedList<int32_t> WordsOf(RowPlan& plan, int node) {
  while (plan.next_table * kTablePairWords < plan.tables.count) {
    const int32_t owner = plan.tables[kTablePairWords * plan.next_table];
    const int32_t words = kMultiplierWords * plan.tables[kTablePairWords * plan.next_table + 1];
    if (owner == node) return Slice(plan.multipliers, 0, words);
    if (owner > node) break;
    plan.multipliers = Slice(plan.multipliers, words, plan.multipliers.count - words);
    ++plan.next_table;
  }
  return {};
}

bool CanBeReadInPlace([[maybe_unused]] const PackedList<int32_t>& table) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return false;
#else
  return reinterpret_cast<uintptr_t>(table.bytes) % alignof(Multiplier) == 0;
#endif
}

Status FindMultipliers(RowPlan& plan, const PrepareContext& context, const ScaledLayer& layer,
                       const Multiplier** table) {
  const PackedList<int32_t> words = WordsOf(plan, context.position());
  if (words.count == 0) return Status::kOk;
  const int32_t channels = words.count / kMultiplierWords;
  if (channels != layer.channels) {
    return context.Refuse(Rule::kRowPlan, layer.filter, channels, layer.channels);
  }
  const ScaleRatio ratio(context.Input(layer.input).scale, context.Output(0).scale);
  const PackedList<float> scales = context.Input(layer.filter).scales;
  for (int32_t c = 0; c < channels; ++c) {
    const Multiplier right = ratio.Times(scales[scales.size() == 1 ? 0 : c]);
    const Multiplier found = {words[kMultiplierWords * c], words[kMultiplierWords * c + 1]};
    if (found.value != right.value) {
      return context.Refuse(Rule::kRowPlan, layer.filter, found.value, right.value);
    }
    if (found.shift != right.shift) {
      return context.Refuse(Rule::kRowPlan, layer.filter, found.shift, right.shift);
    }
  }
  if (CanBeReadInPlace(words)) *table = reinterpret_cast<const Multiplier*>(words.bytes);
  return Status::kOk;
}

void DeclareGroupRows(RowPlan& plan, int node, int input, int output, const RowMap& map) {
  if (output != 0 || plan.GroupOf(node) == nullptr || plan.MapOf(node, input) != nullptr) return;
  plan.declared[plan.declared_count++] = {static_cast<uint16_t>(node), static_cast<uint16_t>(input), map};
}

// Gives the tensors the places of the plan.
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

// The group's nodes, which have been filled in working memory, in memory that persists.
Status Keep(Graph* graph, Group* group) {
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

Status JoinGroups(RowPlan& plan, HeadPlan& head) {
  bool all = true;
  for (int32_t g = 0; g < plan.group_count; ++g) {
    Group& group = plan.groups[g];
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

// Where the group still needs an input while it writes its output.
class GroupOverlap {
 public:
  GroupOverlap(RowPlan& plan, HeadPlan& head, const Group& group) : plan_(plan), head_(head), group_(group) {}

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

  // Nobody reads it later, and no node of the group as a whole.
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
    // Sums of rows are written when nothing is read any more: the output may lie anywhere in the input.
    if (last.SumsRows()) return -buffer.bytes;
    int64_t distance = INT64_MIN;
    ForEachRowMade(nodes, group_.count, [&](int at) {
      if (at != group_.count - 1) return;
      int64_t needed = INT64_MAX;
      for (int i = 0; i < group_.count; ++i) {
        for (int k = 0; k < nodes[i].input_count; ++k) {
          const GroupInput& input = nodes[i].inputs[k];
          if (BufferOf(nodes[i], input.operand) != &buffer) continue;
          const int64_t row = LowestRowReadFrom(nodes[i].MapOf(input), nodes[i].made);
          const int64_t row_bytes = buffer.bytes / input.in_rows;
          if (row < input.in_rows && row * row_bytes < needed) needed = row * row_bytes;
        }
      }
      if (needed == INT64_MAX) return;
      const int64_t written = (int64_t{last.made} + 1) * last.row_bytes;
      if (written - needed > distance) distance = written - needed;
    });
    const int64_t all = int64_t{last.rows} * last.row_bytes;
    return static_cast<int32_t>(distance == INT64_MIN || distance > all ? all : distance);
  }

  RowPlan& plan_;
  HeadPlan& head_;
  const Group& group_;
};

void AddGroupOverlaps(RowPlan& plan, HeadPlan& head) {
  for (int32_t g = 0; g < plan.group_count; ++g) {
    if (plan.groups[g].nodes != nullptr) GroupOverlap(plan, head, plan.groups[g]).AddAll();
  }
}

void CheckPlaces(const RowPlan& plan, HeadPlan& head) {
  const PlanResult& result = head.result();
  if (plan.has_places && (!result.ok || result.peak_bytes > plan.head_bytes)) head.PlanAgain();
}

Status EvalNothing(EvalContext&) { return Status::kOk; }
Status EvalGroup(EvalContext& context);

// Stands in the graph for the other nodes of a group.
constexpr Op kPartOfGroup = {BuiltinOperator::kCustom, nullptr, EvalNothing};

void FinishGroups(RowPlan& plan, Graph* graph) {
  for (int32_t g = 0; g < plan.group_count; ++g) {
    const Group& group = plan.groups[g];
    if (group.nodes == nullptr) continue;
#if LUTRA_HOSTED
    const GraphVisitor& visitor = graph->visitor;
    if (visitor.row_group != nullptr) visitor.row_group(visitor.user, group.first, group.count);
#endif
    Node& last = graph->nodes[group.last()];
    if (last.rows_downwards) Mirror(group.nodes, group.count);
    static_cast<Op&>(*group.op) = *last.op;
    group.op->eval = EvalGroup;
    group.op->nodes = group.nodes;
    group.op->count = group.count;
    group.op->sums_offset = last.plan.scratch_offset;
    NodePlan shared = last.plan;
    if (group.nodes[group.count - 1].SumsRows()) shared.scratch_offset += SumBytes(*graph->model, last);
#if LUTRA_HAVE_SCRATCH_LAYERS
    uint32_t most = 0;
    for (int i = 0; i < group.count; ++i) {
      if (group.requests[i].scratch_bytes > most) most = group.requests[i].scratch_bytes;
    }
#endif
    for (int i = 0; i < group.count; ++i) {
      GroupNode& group_node = group.nodes[i];
      Node& node = graph->nodes[group_node.position];
      group_node.memory = static_cast<uint8_t*>(node.addresses[node.input_count]);
      node.op = i + 1 < group.count ? &kPartOfGroup : group.op;
      node.plan.scratch_offset = shared.scratch_offset;
      node.plan.rows_per_call = 0;
#if LUTRA_HAVE_SCRATCH_LAYERS
      const NodeRequest& own = group.requests[i];
      const int64_t more = int64_t{most} + shared.more_scratch_bytes - own.scratch_bytes;
      node.plan.more_scratch_bytes =
          more < own.more_scratch_bytes ? static_cast<int32_t>(more) : own.more_scratch_bytes;
#endif
    }
  }
}

}  // namespace

// ---- Running a group.

class GroupRun {
 public:
  explicit GroupRun(EvalContext& context)
      : context_(context),
        last_(context.node_),
        op_(static_cast<const GroupOp&>(*last_->op)),
        count_(op_.count),
        nodes_(op_.nodes),
        downwards_(last_->rows_downwards) {}

  Status Run() {
    Restart(nodes_, count_);
    auto* const sums = reinterpret_cast<int32_t*>(context_.graph_->arena.base() + op_.sums_offset);
    const GroupNode& last = nodes_[count_ - 1];
    if (last.SumsRows()) memset(sums, 0, SumBytes(*context_.graph_->model, *last_));
    Status status = Status::kOk;
    while (status == Status::kOk && last.made < last.rows) {
      const int at = NextNode(nodes_, count_);
      if (nodes_[at].SumsRows()) context_.row_sum_ = {sums, last.made + 1 == last.rows};
      status = MakeRow(at);
      context_.row_sum_ = {};
    }
    context_.node_ = last_;
    context_.first_row_ = 0;
    context_.most_rows_ = INT32_MAX;
    return status;
  }

 private:
  Status MakeRow(int at) {
    GroupNode& group_node = nodes_[at];
    MakeRoom(at);
    Node& node = last_[group_node.position - nodes_[count_ - 1].position];
    for (int i = 0; i < group_node.input_count; ++i) {
      const GroupInput& input = group_node.inputs[i];
      if (input.producer != GroupInput::kOutside)
        node.addresses[input.operand] = RowZero(nodes_[input.producer]);
    }
    node.addresses[node.input_count] = RowZero(group_node);
    const int32_t row = downwards_ ? group_node.rows - 1 - group_node.made : int32_t{group_node.made};
    context_.node_ = &node;
    context_.first_row_ = row * group_node.units_per_row;
    context_.most_rows_ = group_node.units_per_row;
    const Op* const in_graph = node.op;
    node.op = group_node.op;
    const Status status = group_node.op->eval(context_);
    node.op = in_graph;
    ++group_node.made;
    return status;
  }

  // Kept rows lie one behind the other, in the order of the tensor. Where the next one has no room, those
  // that are still needed move to where the first one was.
  void MakeRoom(int at) {
    GroupNode& node = nodes_[at];
    if (node.made - node.first_kept < node.kept_rows) return;
    const int32_t lowest = LowestRowNeeded(nodes_, count_, at);
    const int32_t rows = node.made - lowest;
    const auto bytes = static_cast<size_t>(rows) * static_cast<size_t>(node.row_bytes);
    const int32_t from = lowest - node.first_kept;
    uint8_t* const begin = node.memory;
    const auto row_bytes = static_cast<ptrdiff_t>(node.row_bytes);
    if (!downwards_) {
      memmove(begin, begin + from * row_bytes, bytes);
    } else {
      memmove(begin + (node.kept_rows - rows) * row_bytes, begin + (node.kept_rows - from - rows) * row_bytes,
              bytes);
    }
    node.first_kept = static_cast<uint16_t>(lowest);
  }

  // Where row 0 would lie.
  uint8_t* RowZero(const GroupNode& node) const {
    const int32_t first = downwards_ ? node.rows - node.first_kept - node.kept_rows : node.first_kept;
    return node.memory - static_cast<ptrdiff_t>(first) * node.row_bytes;
  }

  EvalContext& context_;
  Node* const last_;
  const GroupOp& op_;
  const int count_;
  GroupNode* const nodes_;
  const bool downwards_;
};

namespace {

Status EvalGroup(EvalContext& context) { return GroupRun(context).Run(); }

Status AddRow(EvalContext& context, const PoolArgs& args) {
  const PoolShape& shape = *args.shape;
  const Rows input = context.InputRows(0, shape.in_width * shape.depth);
  const auto* const row = reinterpret_cast<const int8_t*>(input.Row(context.RowsToMake(1).first));
  const EvalContext::RowSum& sum = context.row_sum();
  AddAveragePoolRow(args, row, sum.sums, sum.last ? context.OutputData<int8_t>(0) : nullptr);
  return Status::kOk;
}

}  // namespace

const RowGroups kRowGroups = {
    .read = ReadRowPlan,
    .declare = DeclareGroupRows,
    .contains = GroupsContain,
    .multipliers = FindMultipliers,
    .join = JoinGroups,
    .overlap = AddGroupOverlaps,
    .check = CheckPlaces,
    .add_row = AddRow,
    .finish = FinishGroups,
};

}  // namespace lutra
