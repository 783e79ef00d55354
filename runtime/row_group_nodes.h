// SPDX-License-Identifier: Apache-2.0
// The groups of a LUTRA_PLAN, their nodes, and the order in which rows are made. row_group_join.cc fills the
// records in, row_group_overlap.cc and row_group_run.cc read them.

#pragma once

#include <stdint.h>

#include "lutra/graph.h"
#include "lutra/op.h"
#include "lutra/row_groups.h"
#include "runtime/memory_planner.h"

namespace lutra {

// The records of groups persist, and arenas are small: numbers of rows have 16 bits.
constexpr int32_t kMostRows = INT16_MAX;

// An input whose rows decide which output rows can be made. Output row y reads the rows
// [y * stride + begin, y * stride + end), as far as there are such.
struct GroupInput {
  static constexpr int kOutside = -1;

  uint16_t in_rows;
  uint16_t stride;
  int16_t begin;
  int16_t end;
  uint8_t operand;
  int8_t producer;  // Its place in the group, or kOutside.

  // The lowest row that output row y or a later one may read; in_rows if there is none.
  int32_t FirstRow(int32_t y) const {
    const int32_t row = y * stride + begin;
    return row < 0 ? 0 : row < in_rows ? row : in_rows;
  }
  // Output row y reads no row from this one on.
  int32_t EndOfRows(int32_t y) const {
    const int32_t row = y * stride + end;
    return row < in_rows ? row : in_rows;
  }
};

// A node of a group. A last node whose output is a sum of rows counts the rows of its input.
struct GroupNode {
  static constexpr BoardRecord kBoardRecord = {32, 32};

  const Op* op;
  GroupInput* inputs;
  uint8_t* memory;        // Of the output: all rows of the last node, the kept rows of every other node.
  int32_t row_bytes;      // 0: the output is a sum of rows.
  int32_t units_per_row;  // How many of the rows that ForEachRows counts make one row here.
  uint16_t rows;
  uint16_t kept_rows;   // How many rows have room in `memory`.
  uint16_t made;        // How many rows have been made.
  uint16_t first_kept;  // The first of these that is still in `memory`, counted as they were made.
  uint16_t position;
  uint8_t input_count;

  bool SumsRows() const { return row_bytes == 0; }
};

// Stands in the graph for the last node of a group.
struct GroupOp : Op {
  static constexpr BoardRecord kBoardRecord = {32, 32};

  GroupNode* nodes;
  int32_t count;
  uint32_t sums_offset;  // From the arena's base.
};

// Says which rows of an input each output row reads, as prepare has declared it.
struct DeclaredRows {
  uint16_t node;
  uint16_t input;
  RowMap map;
};

struct RowGroup {
  static constexpr BoardRecord kBoardRecord = {20, 20};

  int32_t first;
  int32_t count;
  GroupNode* nodes;       // Null: the group does not run by rows.
  NodeRequest* requests;  // The request of each node.
  GroupOp* op;

  int32_t last() const { return first + count - 1; }
  bool Contains(int32_t node) const { return node >= first && node <= last(); }
};

struct RowPlan {
  static constexpr BoardRecord kBoardRecord = {56, 56};

  Graph* graph;
  PackedList<int32_t> offsets;  // Of all tensors; empty: the planner places them.
  int32_t head_bytes;           // The size of the head in which the offsets lie.
  RowGroup* groups;
  int32_t group_count;
  DeclaredRows* declared;
  int32_t declared_count;
  PackedList<int32_t> tables;       // A pair for each table of multipliers.
  PackedList<int32_t> multipliers;  // Of all tables, one after the other.
  int32_t next_table;               // The first table that later nodes may ask for.
  bool has_places;                  // True once the tensors have got the plan's offsets.

  RowGroup* GroupOf(int32_t node) const {
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

// ---- The order of rows.

// Returns the node of a group that must make its next row first, so that the last node can make its own.
inline int NextNode(const GroupNode* nodes, int count) {
  int at = count - 1;
  for (int i = 0; i < nodes[at].input_count;) {
    const GroupInput& input = nodes[at].inputs[i++];
    if (input.producer != GroupInput::kOutside &&
        nodes[input.producer].made < input.EndOfRows(nodes[at].made)) {
      at = input.producer;
      i = 0;
    }
  }
  return at;
}

// Returns the lowest row of a node's output that another node will still read; at most `made`, the next row.
inline int32_t LowestRowNeeded(const GroupNode* nodes, int count, int producer) {
  int32_t lowest = nodes[producer].made;
  for (int n = producer + 1; n < count; ++n) {
    for (int i = 0; i < nodes[n].input_count; ++i) {
      const GroupInput& input = nodes[n].inputs[i];
      if (input.producer != producer || nodes[n].made == nodes[n].rows) continue;
      const int32_t row = input.FirstRow(nodes[n].made);
      if (row < lowest) lowest = row;
    }
  }
  return lowest;
}

// Mirrors the images: making their rows upwards afterwards is making the original rows downwards.
inline void Mirror(GroupNode* nodes, int count) {
  for (int n = 0; n < count; ++n) {
    for (int i = 0; i < nodes[n].input_count; ++i) {
      GroupInput& input = nodes[n].inputs[i];
      const int32_t sum = input.in_rows - (nodes[n].rows - 1) * input.stride;
      const int32_t begin = sum - input.end;
      input.end = static_cast<int16_t>(sum - input.begin);
      input.begin = static_cast<int16_t>(begin);
    }
  }
}

inline void Restart(GroupNode* nodes, int count) {
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

// Returns how many bytes the sums of the node's output take. They lie before the group's scratch.
inline uint32_t SumBytes(const Model& model, const Node& node) {
  const TensorInfo output = model.tensor(0, model.node(0, node.index).outputs[0]);
  const auto bytes = static_cast<uint32_t>(output.shape.Count()) * static_cast<uint32_t>(sizeof(int32_t));
  return static_cast<uint32_t>((bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment);
}

// ---- The functions of RowGroups that have files of their own.

Status JoinGroups(RowPlan& plan, HeadPlan& head);
void AddGroupOverlaps(RowPlan& plan, HeadPlan& head);
void FinishGroups(RowPlan& plan, Graph* graph);
Status AddGroupPoolRow(EvalContext& context, const PoolArgs& args);

}  // namespace lutra
