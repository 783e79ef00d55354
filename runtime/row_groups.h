// SPDX-License-Identifier: Apache-2.0
// Row groups: consecutive nodes that run together, row by row, so that the tensors between them need memory
// for a few rows only. A model names its groups in the metadata entry LUTRA_PLAN, which `compress plan`
// writes (runtime/PLAN.md has the format).
//
//   MicroInterpreter interpreter(model, kOps, arena, {.row_groups = &kRowGroups});
//
// Applications for bare metal name kRowGroups if their models have such plans; the others do not link it, and
// run these models as if there were no plan. Every choice gives the same bits.
//
// The plan may also have the multipliers of the layers' channels, which are then read where they lie in the
// file. Prepare computes each of them and refuses a plan that has another.
//
// To make one row of the last node's output, the missing rows of its inputs are made first, and so on. No
// row is made twice. The runtime computes from the nodes' own shapes how many rows it must keep and how close
// the last output may come to the inputs: a plan can make it use more memory, or be refused, but cannot make
// it compute something else.

#pragma once

#include <stdint.h>

#include "lutra/graph.h"
#include "lutra/kernels/rows.h"
#include "lutra/status.h"

namespace lutra {

class EvalContext;
class HeadPlan;
class PrepareContext;
struct Multiplier;
struct PoolArgs;
struct RowPlan;

// A layer of `channels` output channels, whose multipliers follow from the scales of these two inputs.
struct ScaledLayer {
  int input;
  int filter;
  int32_t channels;
};

inline constexpr char kRowPlanName[] = "LUTRA_PLAN";

// AllocateTensors calls these functions, in this order.
struct RowGroups {
  // Reads the model's plan. *plan stays null if the model has none; if the graph's nodes are not those of the
  // file, the plan has tables alone. Refuses a plan that is malformed.
  Status (*read)(Graph* graph, RowPlan** plan);
  // Notes how an output of a node depends on the rows of input `input`.
  void (*declare)(RowPlan& plan, int node, int input, int output, const RowMap& map);
  // Returns whether a group has the node.
  bool (*contains)(const RowPlan& plan, int node);
  // PrepareContext::FindPlannedMultipliers; called for nodes in the order in which they run.
  Status (*multipliers)(RowPlan& plan, const PrepareContext& context, const ScaledLayer& layer,
                        const Multiplier** table);
  // Finds out which groups can run by rows, and reduces their buffers to the rows that are kept.
  Status (*join)(RowPlan& plan, HeadPlan& head);
  // Lets the output of each group overlap the inputs that die there.
  void (*overlap)(RowPlan& plan, HeadPlan& head);
  // Once memory is planned: plans anew if the plan's offsets collide here or need a larger head than it says.
  void (*check)(const RowPlan& plan, HeadPlan& head);
  // EvalContext::AddPoolRow.
  Status (*add_row)(EvalContext& context, const PoolArgs& args);
  // Called once nodes have their addresses: from then on the last node of a group runs the group.
  void (*finish)(RowPlan& plan, Graph* graph);
};

extern const RowGroups kRowGroups;

}  // namespace lutra
