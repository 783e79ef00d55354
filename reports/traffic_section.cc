// SPDX-License-Identifier: Apache-2.0
// Shows the bytes that are moved between the memories of a chip, by model and by layer.

#include <fmt/format.h>

#include <set>

#include "reports/models.h"

namespace lutra::reports {
namespace {

// Returns models of whole files once, however many platforms ran them.
std::vector<const host::ModelResult*> CountedModels(const std::vector<ResultFile>& files) {
  std::vector<const host::ModelResult*> models;
  std::set<std::string> seen;
  for (const PlacedRun& placed : AllRuns(files)) {
    if (placed.run->traffic && seen.insert(placed.run->sha256).second) models.push_back(placed.run);
  }
  return models;
}

std::vector<Cell> Cells(const std::string& name, const host::LayerTraffic& traffic) {
  std::vector<Cell> cells = {TextCell(name)};
  for (const int64_t bytes :
       {traffic.l3_l2_plain_bytes, traffic.l3_l2_bytes, traffic.l2_l1_plain_bytes, traffic.l2_l1_bytes,
        traffic.l1_l2_bytes, traffic.lut_bytes, traffic.offset_bytes}) {
    cells.push_back(NumberCell(bytes));
  }
  cells.push_back(NumberCell(traffic.tiles, "tiles"));
  cells.push_back(NumberCell(traffic.commands, "commands"));
  cells.push_back(NumberCell(traffic.unaligned_starts, "tiles"));
  return cells;
}

std::vector<std::string> Columns(const std::string& first) {
  return {first,         "L3 to L2, plain", "As stored", "L2 to L1, plain", "As stored",       "L1 to L2",
          "LUT uploads", "Offsets",         "Tiles",     "Commands",        "Unaligned starts"};
}

}  // namespace

Section TrafficSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "traffic",
      .title = "Traffic",
      .text =
          "Bytes that one inference would move on GAP9: weights from outside the chip (L3) to L2, weights "
          "and "
          "inputs through the decompression engine to L1, outputs back. Counted, not measured; what the "
          "engine "
          "does not read counts as not compressed. Unaligned: tiles whose first bit is no address of L2."};
  Table models = {.title = "Models: traffic of an inference", .columns = Columns("Model")};
  Table unread = {.title = "Compressed tensors that the engine cannot read, and count as not compressed",
                  .columns = {"Model", "Tensor", "Codec"},
                  .rows = {},
                  .folded = true};
  std::vector<Table> layers;
  for (const host::ModelResult* run : CountedModels(files)) {
    models.rows.push_back(Cells(NameOf(*run), run->traffic->total));
    Table table = {.title = NameOf(*run) + ": traffic by layer",
                   .columns = Columns("Operator"),
                   .rows = {},
                   .folded = true};
    for (const host::LayerTraffic& layer : run->traffic->layers) {
      table.rows.push_back(Cells(fmt::format("{} {}", layer.index, layer.type), layer));
    }
    layers.push_back(std::move(table));
    for (const host::UnreadTensor& tensor : run->traffic->unread) {
      unread.rows.push_back({TextCell(NameOf(*run)), TextCell(tensor.name), TextCell(tensor.codec)});
    }
  }
  if (models.rows.empty()) return section;
  section.tables.push_back(std::move(models));
  if (!unread.rows.empty()) section.tables.push_back(std::move(unread));
  section.tables.insert(section.tables.end(), layers.begin(), layers.end());
  return section;
}

}  // namespace lutra::reports
