// SPDX-License-Identifier: Apache-2.0
// Reads LUTRA_PLAN and its tables of multipliers.

#include "lutra/row_groups.h"

#include "lutra/micro_context.h"
#include "runtime/fixed_point/scale_ratio.h"
#include "runtime/head_plan.h"
#include "runtime/row_group_nodes.h"

namespace lutra {
namespace {

enum Header : int32_t { kVersion, kNodes, kTensors, kGroups, kHeadBytes, kTables, kMostHeaderWords };
constexpr int32_t kWithoutTables = 1;  // Versions of the format.
constexpr int32_t kWithTables = 2;

// A table of multipliers: a pair of words says whose it is and for how many channels.
constexpr int32_t kTablePairWords = 2;
constexpr int32_t kMultiplierWords = 2;

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
  int32_t group_count = words[kGroups];
  const int32_t table_count = version == kWithTables ? words[kTables] : 0;
  if (group_count < 0 || group_count > node_count) return refuse(group_count, node_count);
  if (table_count < 0 || table_count > node_count) return refuse(table_count, node_count);
  const int64_t offsets_at = int64_t{header_words} + int64_t{2} * group_count;
  const int64_t tables_at = offsets_at + words[kTensors];
  const int64_t multipliers_at = tables_at + int64_t{kTablePairWords} * table_count;
  if (words.count < multipliers_at) return refuse(words.count, static_cast<int32_t>(multipliers_at));
  const auto group_at = [&](int32_t g) {
    return RowGroup{words[header_words + 2 * g], words[header_words + 2 * g + 1], nullptr, nullptr, nullptr};
  };
  int32_t next = 0;
  int32_t inputs = 0;
  for (int32_t g = 0; g < group_count; ++g) {
    const RowGroup group = group_at(g);
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
  // Groups and places need the nodes of the file, without those of called subgraphs, and no other places. The
  // tables of multipliers serve any graph.
  int32_t offset_count = words[kTensors];
  if (graph->node_count != node_count || model.Metadata("OfflineMemoryAllocation").size() > 0) {
    group_count = inputs = offset_count = 0;
  }
  RowPlan* plan = nullptr;
  LUTRA_TRY(graph->GrowHead(1, &plan));
  *plan = {};
  plan->graph = graph;
  plan->head_bytes = words[kHeadBytes];
  plan->group_count = group_count;
  plan->offsets = Slice(words, offsets_at, offset_count);
  plan->tables = tables;
  plan->multipliers = Slice(words, multipliers_at, end - multipliers_at);
  LUTRA_TRY(graph->GrowHead(static_cast<size_t>(group_count), &plan->groups));
  for (int32_t g = 0; g < group_count; ++g) plan->groups[g] = group_at(g);
  LUTRA_TRY(graph->GrowHead(static_cast<size_t>(inputs), &plan->declared));
  *result = plan;
  return Status::kOk;
}

bool GroupsContain(const RowPlan& plan, int node) { return plan.GroupOf(node) != nullptr; }

// Returns the multipliers that the plan has for the channels of an operator of subgraph 0, as words.
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
  const Node& node = context.graph().nodes[context.position()];
  if (node.subgraph != 0) return Status::kOk;
  const PackedList<int32_t> words = WordsOf(plan, node.index);
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

void CheckPlaces(const RowPlan& plan, HeadPlan& head) {
  const PlanResult& result = head.result();
  if (plan.has_places && (!result.ok || result.peak_bytes > plan.head_bytes)) head.PlanAgain();
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
    .add_row = AddGroupPoolRow,
    .finish = FinishGroups,
};

}  // namespace lutra
