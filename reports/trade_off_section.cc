// SPDX-License-Identifier: Apache-2.0
// Shows how right models are, and what they cost: bytes, arena, time.

#include <fmt/format.h>

#include "reports/models.h"
#include "reports/pareto_picture.h"

namespace lutra::reports {
namespace {

// Runs that can be compared: they have one metric over as many samples, on one platform.
struct Group {
  std::string name;
  std::vector<std::pair<const Model*, const RunOfModel*>> runs;
};

std::vector<Group> GroupsOf(const std::vector<Model>& models) {
  std::map<std::string, Group> groups;
  for (const Model& model : models) {
    for (const RunOfModel& r : model.runs) {
      const auto& evaluation = r.run->evaluation;
      // For rmse less is better, so it has no share of right answers.
      if (!evaluation || !evaluation->value || evaluation->metric == "rmse") continue;
      const std::string name =
          fmt::format("{}, {} of {}", r.platform, evaluation->metric, Counted(evaluation->count, "sample"));
      groups[name].name = name;
      groups[name].runs.emplace_back(&model, &r);
    }
  }
  std::vector<Group> list;
  for (auto& [name, group] : groups) list.push_back(std::move(group));
  return list;
}

// An axis shows one figure of each run.
struct Axis {
  const char* name;
  const char* unit;
  Figure (*figure)(const host::ModelResult& run);
};
constexpr Axis kAxes[] = {
    {"model", "bytes", [](const host::ModelResult& run) { return Figure(run.bytes); }},
    {"arena", "bytes",
     [](const host::ModelResult& run) { return run.arena ? Figure(run.arena->used_bytes) : Figure(); }},
    {"time", "ns", [](const host::ModelResult& run) { return run.inference.median_ns; }}};

void AddGroup(const Group& group, Section* section) {
  Table table = {.title = group.name, .columns = {"Model", "Setting", "Value"}, .rows = {}};
  for (const auto& [model, r] : group.runs) {
    table.rows.push_back(
        {TextCell(model->name), TextCell(r->setting), TextCell(Percent(*r->run->evaluation->value))});
  }
  for (const Axis& axis : kAxes) {
    std::vector<TradeOff> points;
    for (const auto& [model, r] : group.runs) {
      if (const Figure cost = axis.figure(*r->run))
        points.push_back(
            {static_cast<double>(*cost), *r->run->evaluation->value, model->name + ", " + r->setting});
    }
    MarkFront(&points);
    table.columns.push_back(std::string(1, static_cast<char>(axis.name[0] - 'a' + 'A')) + (axis.name + 1));
    table.columns.emplace_back("Front");
    size_t at = 0;
    for (size_t i = 0; i < group.runs.size(); ++i) {
      const Figure cost = axis.figure(*group.runs[i].second->run);
      table.rows[i].push_back(std::string(axis.unit) == "ns" ? DurationCell(cost) : NumberCell(cost));
      table.rows[i].push_back(TextCell(cost && points[at].is_front ? "front" : "-"));
      at += cost ? 1 : 0;
    }
    if (points.size() > 1)
      section->pictures.push_back(
          {fmt::format("{}, against the {}", group.name, axis.name), TradeOffSvg(points, axis.unit)});
  }
  section->tables.push_back(std::move(table));
}

}  // namespace

Section TradeOffSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "tradeoffs",
      .title = "Accuracy against bytes, arena and time",
      .text =
          "Runs on data, of any number of files. Of the front are those than which no other takes "
          "less, or as much, and is more right; their dots are full."};
  const std::vector<Model> models = Models(files);
  for (const Group& group : GroupsOf(models)) AddGroup(group, &section);
  return section;
}

}  // namespace lutra::reports
