// SPDX-License-Identifier: Apache-2.0
// Shows time or instructions of each model on each platform.

#include <fmt/format.h>

#include <algorithm>

#include "reports/models.h"

namespace lutra::reports {
namespace {

double Ratio(int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

// Shows the ratio of instructions if both runs have them, else of times.
Cell AgainstCell(const host::ModelResult& run, const host::ModelResult* other) {
  if (other == nullptr) return TextCell("-", Tone::kQuiet);
  const bool counted = Instructions(run) && Instructions(*other);
  const Figure mine = counted ? Instructions(run) : run.inference.median_ns;
  const Figure others = counted ? Instructions(*other) : other->inference.median_ns;
  if (!mine || !others || *others == 0) return TextCell("-", Tone::kQuiet);
  return TextCell(fmt::format("{:.3f}", Ratio(*mine, *others)));
}

Cell TimeCell(const host::ModelResult& run) {
  Cell cell = DurationCell(run.inference.median_ns);
  if (run.inference.median_ns && run.inference.mad_ns) cell.text += " ± " + Duration(*run.inference.mad_ns);
  return cell;
}

Cell VectorCell(const host::ModelResult& run) {
  const Figure all = Instructions(run);
  Cell cell = NumberCell(run.inference.counts.vector_instructions, "instructions");
  if (run.inference.counts.vector_instructions && all && *all > 0) {
    cell.text += " (" + Percent(Ratio(*run.inference.counts.vector_instructions, *all)) + ")";
  }
  return cell;
}

Table PlatformTable(const std::string& platform, const std::vector<Model>& models) {
  Table table = {.title = platform + ": models",
                 .columns = {"Model", "Kernels", "Instructions", "Vector", "Loads", "Stores", "Time",
                             "Against reference", "Against uncompressed"},
                 .rows = {},
                 .folded = true};
  for (const Model& model : models) {
    for (const RunOfModel& r : model.runs) {
      if (r.platform != platform) continue;
      const host::ModelResult& run = *r.run;
      const std::string kernels = KernelsOf(run);
      table.rows.push_back(
          {TextCell(model.name), TextCell(r.setting + (kernels.empty() ? "" : ": " + kernels)),
           NumberCell(Instructions(run), "instructions"), VectorCell(run),
           NumberCell(run.inference.counts.loads, "loads"), NumberCell(run.inference.counts.stores, "stores"),
           TimeCell(run), AgainstCell(run, PlainRunOf(model, r, "ref", models)),
           AgainstCell(run, model.compressed ? PlainRunOf(model, r, run.kernels, models) : nullptr)});
    }
  }
  return WithoutEmptyColumns(table);
}

// Adds a bar for each platform; vector instructions, if known, are a part of it.
void AddInstructionChart(const Model& model, Section* section) {
  Chart chart = {.title = model.name,
                 .unit = "instructions of an inference",
                 .stacked = true,
                 .folded = model.compressed || !model.bundled};
  Series vector = {"vector", {}}, other = {"other", {}};
  bool any_vector = false;
  for (const RunOfModel& r : model.runs) {
    const Figure all = Instructions(*r.run);
    if (!all) continue;
    const int64_t part = r.run->inference.counts.vector_instructions.value_or(0);
    any_vector = any_vector || part > 0;
    chart.labels.push_back(r.label);
    vector.values.emplace_back(static_cast<double>(part));
    other.values.emplace_back(static_cast<double>(*all - part));
  }
  if (chart.labels.empty()) return;
  if (!any_vector) other.name = "instructions";
  chart.series = {other};
  if (any_vector) chart.series.push_back(vector);
  section->charts.push_back(chart);
}

// Adds a bar for each platform and setting.
void AddTimeChart(const std::vector<Model>& models, Section* section) {
  Chart chart = {.title = "Time of an inference", .unit = "ms", .logarithmic = true};
  for (const Model& model : models) {
    for (const RunOfModel& r : model.runs) {
      if (!r.run->inference.median_ns) continue;
      if (chart.labels.empty() || chart.labels.back() != model.name) chart.labels.push_back(model.name);
      auto series = std::find_if(chart.series.begin(), chart.series.end(),
                                 [&](const Series& s) { return s.name == r.row; });
      if (series == chart.series.end()) series = chart.series.insert(series, Series{r.row, {}});
      series->values.resize(chart.labels.size());
      series->values.back() = static_cast<double>(*r.run->inference.median_ns) / 1e6;
    }
  }
  for (Series& series : chart.series) series.values.resize(chart.labels.size());
  if (!chart.series.empty()) section->charts.push_back(chart);
}

}  // namespace

Section SpeedSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "speed",
      .title = "Time and instructions",
      .text =
          "One inference of each model, a table for each platform: instructions executed, and how many of "
          "them are vector instructions, load or store; or the median time ± median absolute deviation. An "
          "instruction is not a cycle, and the two are never compared."};
  const std::vector<Model> models = Models(files);
  const std::vector<std::string> platforms = Platforms(files);
  for (const std::string& platform : platforms) {
    Table table = PlatformTable(platform, models);
    if (table.rows.empty()) continue;
    table.folded = platforms.size() > 1;
    section.tables.push_back(std::move(table));
  }
  for (const Model& model : models) AddInstructionChart(model, &section);
  AddTimeChart(models, &section);
  return section;
}

}  // namespace lutra::reports
