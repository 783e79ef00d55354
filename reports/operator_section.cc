// SPDX-License-Identifier: Apache-2.0
// Shows the share of an inference that each type of operator takes.

#include <fmt/format.h>

#include <algorithm>

#include "reports/models.h"

namespace lutra::reports {
namespace {

// The costs of one run, in the unit that it has.
struct Costs {
  std::string label;
  bool instructions = false;
  std::map<std::string, int64_t> by_type;
  int64_t total = 0;

  double ShareOf(const std::string& type) const {
    const auto place = by_type.find(type);
    return place == by_type.end() ? 0 : static_cast<double>(place->second) / static_cast<double>(total);
  }
};

Costs CostsOf(const RunOfModel& run) {
  Costs costs = {.label = run.label};
  const std::vector<host::OperatorResult>& operators = run.run->op_results;
  costs.instructions = std::any_of(operators.begin(), operators.end(), [](const host::OperatorResult& op) {
    return op.counts.instructions.has_value();
  });
  for (const host::OperatorResult& op : operators) {
    const int64_t cost = (costs.instructions ? op.counts.instructions : op.median_ns).value_or(0);
    costs.by_type[op.type] += cost;
    costs.total += cost;
  }
  return costs;
}

// Returns the types; the one with the largest share in any run comes first.
std::vector<std::string> TypesOf(const std::vector<Costs>& runs) {
  std::map<std::string, double> largest;
  for (const Costs& run : runs) {
    for (const auto& [type, cost] : run.by_type) largest[type] = std::max(largest[type], run.ShareOf(type));
  }
  std::vector<std::string> types;
  for (const auto& [type, share] : largest) types.push_back(type);
  std::stable_sort(types.begin(), types.end(),
                   [&](const std::string& a, const std::string& b) { return largest[a] > largest[b]; });
  return types;
}

Cell OperatorCostCell(const Costs& run, const std::string& type) {
  const auto place = run.by_type.find(type);
  if (place == run.by_type.end()) return TextCell("-", Tone::kQuiet);
  Cell cell = run.instructions ? NumberCell(place->second, "instructions") : DurationCell(place->second);
  cell.text += "\n" + Percent(run.ShareOf(type));
  return cell;
}

void AddModel(const Model& model, Section* section) {
  std::vector<Costs> runs;
  for (const RunOfModel& r : model.runs) {
    Costs costs = CostsOf(r);
    if (costs.total > 0) runs.push_back(std::move(costs));
  }
  if (runs.empty()) return;
  Table table = {.title = model.name + ": operators", .columns = {"Platform"}, .rows = {}, .folded = true};
  Chart chart = {.title = model.name,
                 .unit = "% of the operators",
                 .stacked = true,
                 .folded = model.compressed || !model.bundled};
  for (const std::string& type : TypesOf(runs)) {
    table.columns.push_back(type);
    chart.series.push_back({type, {}});
  }
  for (const Costs& run : runs) {
    chart.labels.push_back(run.label);
    std::vector<Cell> cells = {TextCell(run.label)};
    for (Series& series : chart.series) {
      cells.push_back(OperatorCostCell(run, series.name));
      series.values.emplace_back(run.ShareOf(series.name) * 100);
    }
    table.rows.push_back(cells);
  }
  section->tables.push_back(std::move(table));
  if (chart.series.size() > 1) section->charts.push_back(std::move(chart));
}

}  // namespace

Section OperatorSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "operators",
      .title = "Operators",
      .text =
          "Where an inference goes, operators of one type together: instructions, or the time where there "
          "are none. A share is of the sum of the operators; a time below what the clock resolves counts as"
          " nothing."};
  for (const Model& model : Models(files)) AddModel(model, &section);
  return section;
}

}  // namespace lutra::reports
