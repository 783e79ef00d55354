// SPDX-License-Identifier: Apache-2.0
// Shows models that an accelerator and the processor run: which ran what, how long it took, and the gain.

#include <fmt/format.h>

#include <algorithm>

#include "reports/views.h"

namespace lutra::reports {
namespace {

Cell RatioCell(double part, double whole) {
  if (whole == 0) return TextCell("-", Tone::kQuiet);
  return TextCell(fmt::format("{:.3f}", part / whole));
}

Cell CyclesCell(int64_t cycles) { return NumberCell(cycles, "cycles"); }

// Returns "kws, 1x16_i8w8a32_15_15_18_17, exact, 2 threads".
std::string TitleOf(const host::AcceleratedRun& run) {
  return fmt::format("{}, {}, {}, {}", run.model, run.config, run.mode, Counted(run.threads, "thread"));
}

std::vector<Cell> ModelRow(const host::AcceleratedRun& run) {
  return {TextCell(TitleOf(run)),
          TextCell(fmt::format("{} of {}", run.layers.size(), run.nodes)),
          NumberCell(run.partitions, "partitions"),
          CyclesCell(run.cost.cycles),
          TextCell(Percent(run.utilisation)),
          NumberCell(run.cost.bytes),
          NumberCell(run.cost.copied_bytes),
          run.differences == 0 ? TextCell("equal", Tone::kGood)
                               : TextCell("differ in " + Counted(run.differences, "byte"),
                                          run.mode == "exact" ? Tone::kBad : Tone::kWarning)};
}

// Shows how many times fewer cycles there are than without the accelerator.
Cell GainCell(int64_t cycles, int64_t without) {
  return RatioCell(static_cast<double>(without), static_cast<double>(cycles));
}

std::vector<Cell> GainRow(const host::AcceleratedRun& run) {
  const host::AcceleratorGains& gains = *run.gains;
  return {TextCell(TitleOf(run)),
          CyclesCell(gains.one_thread.cycles),
          CyclesCell(gains.two_threads.cycles),
          GainCell(gains.two_threads.cycles, gains.one_thread.cycles),
          CyclesCell(gains.nodes_apart.cycles_with_copies),
          CyclesCell(run.cost.cycles_with_copies),
          GainCell(run.cost.cycles_with_copies, gains.nodes_apart.cycles_with_copies),
          NumberCell(gains.nodes_apart.copied_bytes),
          NumberCell(run.cost.copied_bytes)};
}

// Lists all nodes in their order, also those that the processor runs.
Table NodeTable(const host::AcceleratedRun& run) {
  Table table = {.title = TitleOf(run) + ": what ran where",
                 .columns = {"Node", "Where", "Cycles", "Share", "MAC utilisation", "Of its bound", "Bytes"},
                 .rows = {},
                 .folded = true};
  auto declined = run.declined.begin();
  const auto add_declined = [&](int64_t before) {
    for (; declined != run.declined.end() && declined->index < before; ++declined) {
      table.rows.push_back({TextCell(fmt::format("{} {}", declined->index, declined->op)),
                            TextCell("processor: " + declined->reason, Tone::kQuiet)});
      table.rows.back().resize(table.columns.size(), TextCell("-", Tone::kQuiet));
    }
  };
  for (const host::AcceleratedLayer& layer : run.layers) {
    add_declined(layer.index);
    table.rows.push_back(
        {TextCell(fmt::format("{} {}", layer.index, layer.op)), TextCell(run.accelerator),
         CyclesCell(layer.cycles),
         TextCell(Percent(static_cast<double>(layer.cycles) /
                          static_cast<double>(std::max<int64_t>(run.cost.cycles, 1)))),
         TextCell(Percent(layer.utilisation)),
         RatioCell(static_cast<double>(layer.bound_cycles()), static_cast<double>(layer.cycles)),
         NumberCell(layer.bytes)});
  }
  add_declined(INT64_MAX);
  return table;
}

}  // namespace

Section AcceleratorSection(const std::vector<ResultFile>& files) {
  Section section = {.id = "accelerator",
                     .title = "Accelerator",
                     .text =
                         "Models with an accelerator beside the processor, which has the nodes that the "
                         "accelerator lacks. Cycles are "
                         "estimates of a simulator. Utilisation: multiply-adds of all that there is room "
                         "for. The bound of a layer is the "
                         "largest of its cycles of the products, of the requantisation, and of the bus if "
                         "everything is moved once. "
                         "Copies bring tensors into the accelerator's layout and out of it; their cycles are "
                         "counted as if they filled the bus."};
  Table models = {.title = "Models on an accelerator",
                  .columns = {"Model", "Nodes taken", "Partitions", "Cycles", "MAC utilisation", "Moved",
                              "Copied", "Outputs"}};
  Table gains = {
      .title = "What double buffering and staying on the accelerator gain",
      .columns = {"Model", "One part of SRAM", "Two parts", "Times fewer", "Nodes apart, with copies",
                  "Together, with copies", "Times fewer", "Copied, apart", "Copied, together"}};
  std::vector<Table> nodes;
  for (const ResultFile& file : files) {
    if (!file.accelerated) continue;
    models.rows.push_back(ModelRow(*file.accelerated));
    if (file.accelerated->gains) gains.rows.push_back(GainRow(*file.accelerated));
    nodes.push_back(NodeTable(*file.accelerated));
  }
  if (models.rows.empty()) return section;
  section.tables.push_back(std::move(models));
  if (!gains.rows.empty()) section.tables.push_back(std::move(gains));
  section.tables.insert(section.tables.end(), nodes.begin(), nodes.end());
  return section;
}

}  // namespace lutra::reports
