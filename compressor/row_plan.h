// SPDX-License-Identifier: Apache-2.0
// Row plans: which operators of a model run together row by row, so that its activations take less memory.
//
//   const RowPlanResult result = PlanRows(ReadModelFile("in.tflite"), {.longest = 10});
//   output.Write(result.file);
//   fmt::print("{}", RowPlanTable(result));
//
// The plan is searched on the runtime itself: each group is tried in AllocateTensors, which says how many
// bytes the head must have at least at its step. A dynamic programme over the operators finds the groups with
// the smallest maximum, or one that is small enough, and among these the fewest operators in groups. Then
// groups that are not needed are removed.
// The multipliers are those that the runtime's own prepare makes. The format of the metadata:
// runtime/PLAN.md.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compressor/model_editor.h"
#include "host/model_file.h"

namespace lutra::compressor {

struct RowPlanOptions {
  int longest = 10;     // A group has at most so many operators.
  bool tables = false;  // The plan has the multipliers of the layers' channels, too.
  std::string board;  // host/firmware.h: groups that do not make its arena smaller are left out. Empty: none.
  // With a board: asks for the fewest operators in groups with which its arena is at most so many bytes; 0:
  // for the smallest arena, however many operators are in groups.
  int64_t most_arena_bytes = 0;
};

// Operators [first, first + count) of the main graph.
struct OperatorGroup {
  int first = 0;
  int count = 0;
};

struct RowPlanResult {
  std::string path;
  bool can_group = true;     // False: the model calls subgraphs, whose operators have no numbers in a plan.
  bool needs_groups = true;  // False: the arena is as small as asked for without them.
  Bytes file;                // With the plan, or without one if it gains nothing.
  int64_t head_bytes_before = 0;  // Activations and scratch.
  int64_t head_bytes_after = 0;
  int64_t table_bytes = 0;  // Of the multipliers.
  // With a board: its smallest arena, policy small.
  struct OnBoard {
    std::string name;
    int64_t arena_bytes_before = 0;
    int64_t arena_bytes_after = 0;
  };
  std::optional<OnBoard> board;
  struct Group {
    OperatorGroup operators;
    std::vector<std::string> names;  // Of its operators: "CONV_2D".
  };
  std::vector<Group> groups;
};

// Throws BadInput for a model that the runtime refuses, that cannot be written back (as ModelEditor), or
// whose arena no plan makes as small as asked for. A plan that the model has already is replaced.
RowPlanResult PlanRows(const host::ModelFile& file, const RowPlanOptions& options);

std::string RowPlanTable(const RowPlanResult& result);
std::string RowPlanJson(const RowPlanResult& result);

}  // namespace lutra::compressor
