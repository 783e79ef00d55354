// SPDX-License-Identifier: Apache-2.0
// Shows bytes of models, programs, arenas and stacks.

#include <fmt/format.h>

#include "reports/models.h"

namespace lutra::reports {
namespace {

template <typename T>
Cell MemberCell(const std::optional<T>& owner, int64_t T::*member) {
  return NumberCell(owner ? Figure((*owner).*member) : Figure());
}

Cell PersistentCell(const host::ModelResult& run) {
  if (!run.arena) return NumberCell({});
  Cell cell = NumberCell(run.arena->persistent_bytes);
  for (const host::RecordResult& record : run.arena->records) {
    cell.details.push_back(
        fmt::format("{}: {} ({})", record.kind, Grouped(record.bytes), Grouped(record.count)));
  }
  return cell;
}

std::vector<Cell> Row(const RunOfModel& r) {
  const host::ModelResult& run = *r.run;
  std::vector<Cell> cells = {TextCell(r.label),
                             TextCell(run.memory.empty() ? "-" : run.memory),
                             NumberCell(run.bytes),
                             MemberCell(run.arena, &host::ArenaResult::used_bytes),
                             MemberCell(run.arena, &host::ArenaResult::activation_bytes),
                             MemberCell(run.arena, &host::ArenaResult::scratch_bytes),
                             PersistentCell(run),
                             NumberCell(run.arena ? run.arena->smallest_working_bytes : Figure()),
                             MemberCell(run.stack, &host::StackResult::used_bytes)};
  for (const auto member : {&host::FlashResult::text_bytes, &host::FlashResult::rodata_bytes,
                            &host::FlashResult::data_bytes, &host::FlashResult::bss_bytes}) {
    cells.push_back(MemberCell(run.flash, member));
  }
  return cells;
}

Chart ArenaChart(const Model& model) {
  Chart chart = {.title = model.name + ": arena", .unit = "bytes", .stacked = true, .folded = true};
  chart.series = {{"activations", {}}, {"scratch", {}}, {"persistent", {}}};
  for (const RunOfModel& r : model.runs) {
    if (!r.run->arena) continue;
    const host::ArenaResult& arena = *r.run->arena;
    chart.labels.push_back(r.label);
    chart.series[0].values.emplace_back(static_cast<double>(arena.activation_bytes));
    chart.series[1].values.emplace_back(static_cast<double>(arena.scratch_bytes));
    chart.series[2].values.emplace_back(static_cast<double>(arena.persistent_bytes));
  }
  return chart;
}

}  // namespace

Section SizeSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "size",
      .title = "Size",
      .text =
          "In bytes, a table for each model. The arena is what was used of it: activations, scratch and "
          "persistent, the last by kind on a click. Smallest: the smallest arena in which the model was "
          "seen to run. Sections (.text and so on) are those of the smallest program that runs the model, "
          "the model left out."};
  const std::vector<Model> models = Models(files);
  for (const Model& model : models) {
    Table table = {.title = model.name + ": sizes",
                   .columns = {"Platform", "Memory", "Model file", "Arena", "Activations", "Scratch",
                               "Persistent", "Smallest", "Stack", ".text", ".rodata", ".data", ".bss"},
                   .rows = {},
                   .folded = true};
    for (const RunOfModel& r : model.runs) table.rows.push_back(Row(r));
    section.tables.push_back(WithoutEmptyColumns(table));
    if (Chart chart = ArenaChart(model); !chart.labels.empty()) section.charts.push_back(std::move(chart));
  }
  return section;
}

}  // namespace lutra::reports
