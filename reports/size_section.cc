// SPDX-License-Identifier: Apache-2.0
// Bytes: of models, firmware, arenas and stacks; what compression saves, and what it costs.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/model_rows.h"

namespace lutra::reports {
namespace {

template <typename T>
Cell MemberCell(const std::optional<T>& owner, int64_t T::*member) {
  return NumberCell(owner ? Figure((*owner).*member) : Figure());
}

Cell PersistentCell(const ModelRun& run) {
  if (!run.arena) return NumberCell({});
  Cell cell = NumberCell(run.arena->persistent_bytes);
  for (const ArenaRecord& record : run.arena->records) {
    cell.details.push_back(
        fmt::format("{}: {} ({})", record.kind, Grouped(record.bytes), Grouped(record.count)));
  }
  return cell;
}

// A chart for each model and its compressed forms, a bar for each platform and setting.
void AddArenaCharts(const std::vector<ModelRow>& rows, Section* section) {
  std::map<std::string, Chart> charts;
  for (const ModelRow& row : rows) {
    for (const auto& [platform, placed] : row.by_platform) {
      if (!placed.run->arena) continue;
      const Arena& arena = *placed.run->arena;
      Chart& chart = charts[row.group];
      if (chart.labels.empty()) {
        chart = {.title = row.group + ": arena", .unit = "bytes", .stacked = true};
        chart.series = {{"activations", {}}, {"scratch", {}}, {"persistent", {}}};
      }
      chart.labels.push_back(platform + ", " + row.model + ", " + row.setting);
      const int64_t bytes[] = {arena.activation_bytes, arena.scratch_bytes, arena.persistent_bytes};
      for (size_t i = 0; i < chart.series.size(); ++i) {
        chart.series[i].values.emplace_back(static_cast<double>(bytes[i]));
      }
    }
  }
  for (auto& [group, chart] : charts) section->charts.push_back(std::move(chart));
}

std::string Codecs(const Decompression& decompression) {
  std::map<std::string, int> counts;
  for (const DecodedTensor& tensor : decompression.tensors) ++counts[tensor.codec];
  std::string text;
  for (const auto& [codec, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, codec);
  return text;
}

std::vector<std::string> TensorDetails(const Decompression& decompression) {
  std::vector<std::string> lines;
  for (const DecodedTensor& t : decompression.tensors) {
    lines.push_back(fmt::format("{}: {}, {} bytes{}", t.name, t.codec, Grouped(t.bytes),
                                t.ns ? ", " + Duration(*t.ns) : ""));
  }
  return lines;
}

}  // namespace

Section SizeSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "size",
      .title = "Size",
      .text =
          "In bytes. The arena is what was used of it: activations, scratch and persistent, the "
          "last by kind on a click. Smallest: the smallest arena in which the model was seen to "
          "run. Flash: a firmware with this model's operators, the model left out."};
  const std::vector<ModelRow> rows = ModelRows(files);
  if (rows.empty()) return section;
  bool flash = false, stack = false;
  for (const auto& [file, run] : AllRuns(files)) {
    flash = flash || run->flash;
    stack = stack || run->stack;
  }
  Table table = {.title = "Models on platforms",
                 .columns = {"Model", "Kernels", "Platform", "Model", "Arena"}};
  for (const char* name : {"Activations", "Scratch", "Persistent", "Smallest"}) table.columns.push_back(name);
  if (flash) {
    for (const char* name : {".text", ".rodata", ".data", ".bss"}) table.columns.push_back(name);
  }
  if (stack) table.columns.push_back("Stack");
  for (const ModelRow& row : rows) {
    for (const auto& [platform, placed] : row.by_platform) {
      const ModelRun& run = *placed.run;
      std::vector<Cell> cells = {TextCell(row.model),
                                 TextCell(row.setting),
                                 TextCell(platform),
                                 NumberCell(run.bytes),
                                 MemberCell(run.arena, &Arena::used_bytes),
                                 MemberCell(run.arena, &Arena::activation_bytes),
                                 MemberCell(run.arena, &Arena::scratch_bytes),
                                 PersistentCell(run),
                                 NumberCell(run.arena ? run.arena->smallest_working_bytes : Figure())};
      if (flash) {
        for (const auto member :
             {&Flash::text_bytes, &Flash::rodata_bytes, &Flash::data_bytes, &Flash::bss_bytes}) {
          cells.push_back(MemberCell(run.flash, member));
        }
      }
      if (stack) cells.push_back(MemberCell(run.stack, &Stack::used_bytes));
      table.rows.push_back(cells);
    }
  }
  table.columns[3] = "Model file";
  section.tables.push_back(table);
  AddArenaCharts(rows, &section);
  return section;
}

Section CompressionSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "compression",
      .title = "Compression",
      .text =
          "Before: the uncompressed model among these results that does the same work with the "
          "same outputs; its outputs being equal, nothing was lost. Time: of all decoding, in each inference "
          "or (at-init) once before, and its share of an inference. Tensors on a click."};
  const std::vector<PlacedRun> runs = AllRuns(files);
  Table table = {.title = "Compressed models",
                 .columns = {"Model", "Platform", "Decoded", "Before", "After", "After / before", "Tensors",
                             "Time", "Share"}};
  for (const auto& [file, run] : runs) {
    if (!run->decompression) continue;
    const ModelRun* plain = PlainFormOf(*run, runs);
    Cell ratio = TextCell("-", Tone::kQuiet);
    if (plain != nullptr && plain->bytes > 0) {
      ratio = TextCell(Percent(static_cast<double>(run->bytes) / static_cast<double>(plain->bytes)));
    }
    Cell tensors = TextCell(Codecs(*run->decompression));
    tensors.details = TensorDetails(*run->decompression);
    table.rows.push_back({TextCell(run->name), TextCell(file->platform),
                          TextCell(run->decompression->policy + ", kernels " + run->kernels),
                          NumberCell(plain != nullptr ? Figure(plain->bytes) : Figure()),
                          NumberCell(run->bytes), ratio, tensors, DurationCell(run->decompression->total_ns),
                          run->decompression->share ? TextCell(Percent(*run->decompression->share))
                                                    : TextCell("-", Tone::kQuiet)});
  }
  if (!table.rows.empty()) section.tables.push_back(table);
  return section;
}

}  // namespace lutra::reports
