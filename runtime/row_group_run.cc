// SPDX-License-Identifier: Apache-2.0
// Runs a group in place of its last node.

#include <string.h>

#include "lutra/kernels/pool/pool.h"
#include "lutra/micro_context.h"
#include "runtime/row_group_nodes.h"

namespace lutra {

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

  // Kept rows lie one behind the other, in the order of the tensor. If there is no room for the next row, the
  // rows that are still needed move to the place of the first.
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

  // Returns where row 0 would lie.
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

Status EvalNothing(EvalContext&) { return Status::kOk; }

// Stands in the graph for the other nodes of a group.
constexpr Op kPartOfGroup = {BuiltinOperator::kCustom, nullptr, EvalNothing};

}  // namespace

void FinishGroups(RowPlan& plan, Graph* graph) {
  for (int32_t g = 0; g < plan.group_count; ++g) {
    const RowGroup& group = plan.groups[g];
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

Status AddGroupPoolRow(EvalContext& context, const PoolArgs& args) {
  const PoolShape& shape = *args.shape;
  const Rows input = context.InputRows(0, shape.in_width * shape.depth);
  const auto* const row = reinterpret_cast<const int8_t*>(input.Row(context.RowsToMake(1).first));
  const EvalContext::RowSum& sum = context.row_sum();
  AddAveragePoolRow(args, row, sum.sums, sum.last ? context.OutputData<int8_t>(0) : nullptr);
  return Status::kOk;
}

}  // namespace lutra
