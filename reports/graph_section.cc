// SPDX-License-Identifier: Apache-2.0
// Shows each model's operators, as a graph and as a table, and its memory plan.

#include <fmt/format.h>

#include "host/live_bytes.h"
#include "host/plan_picture.h"
#include "host/printable.h"
#include "reports/graph_picture.h"
#include "reports/models.h"

namespace lutra::reports {
namespace {

Table OperatorsTable(const std::string& title, const host::ModelResult& run) {
  Table table = {.title = title,
                 .columns = {"Operator", "Output", "Kernel", "Time", "Share", "MACs", "Arena in use"},
                 .rows = {},
                 .folded = true};
  const std::vector<int64_t> arena = host::LiveBytes(run);
  for (size_t i = 0; i < run.op_results.size(); ++i) {
    const host::OperatorResult& op = run.op_results[i];
    table.rows.push_back({TextCell(fmt::format("{} {}", op.index, op.type)),
                          TextCell(host::ShortName(op.name, kLongestOperatorName)),
                          TextCell(op.kernel.empty() ? "-" : op.kernel), DurationCell(op.median_ns),
                          TextCell(op.share ? Percent(*op.share) : "-"), NumberCell(op.macs, "MACs"),
                          NumberCell(i < arena.size() ? Figure(arena[i]) : Figure())});
  }
  return WithoutEmptyColumns(table);
}

std::string PlanOf(const host::ModelResult& run) {
  return run.arena ? host::PlanSvg(*run.arena, host::PictureFor::kPage) : "";
}

}  // namespace

Section GraphSection(const std::vector<ResultFile>& files) {
  Section section = {.id = "graphs",
                     .title = "Graphs and memory plans",
                     .text =
                         "The operators of each model: the darker the left half of a box the longer it "
                         "takes, the darker its right "
                         "half the more of the arena is in use meanwhile; pointing at it shows the figures. "
                         "Memory plans: steps of "
                         "an inference from left to right, bytes of the arena from below, a rectangle for "
                         "each tensor or scratch "
                         "buffer, a band for operators that run together, row by row."};
  for (const Model& model : Models(files)) {
    for (const RunOfModel& r : model.runs) {
      const std::string title = fmt::format("{}, {}", model.name, r.label);
      const std::string graph = GraphSvg(*r.run), plan = PlanOf(*r.run);
      if (graph.empty() && plan.empty()) continue;
      if (!graph.empty()) section.pictures.push_back({title + ": operators", graph, true});
      if (!plan.empty()) section.pictures.push_back({title + ": memory plan", plan, true});
      section.tables.push_back(OperatorsTable(title + ": each operator", *r.run));
    }
  }
  return section;
}

}  // namespace lutra::reports
