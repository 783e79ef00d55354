// SPDX-License-Identifier: Apache-2.0
// Time or instructions of each model on each platform, and where they go.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/model_rows.h"

namespace lutra::reports {
namespace {

// Instructions where they were counted; else the time; else nothing.
Figure CostOf(const ModelRun& run) { return Instructions(run) ? Instructions(run) : run.median_ns; }

// The uncompressed model with reference kernels, on the same platform and in the same unit.
const ModelRun* ReferenceOf(const ModelRow& row, const std::string& platform,
                            const std::vector<ModelRow>& rows) {
  for (const ModelRow& other : rows) {
    const auto place = other.by_platform.find(platform);
    if (other.group != row.group || place == other.by_platform.end()) continue;
    const ModelRun& run = *place->second.run;
    if (!run.decompression && run.kernels == "ref" && &other != &row) return &run;
  }
  return nullptr;
}

Cell SpeedCell(const ModelRow& row, const std::string& platform, const std::vector<ModelRow>& rows) {
  const auto place = row.by_platform.find(platform);
  if (place == row.by_platform.end()) return TextCell("not run", Tone::kQuiet);
  const ModelRun& run = *place->second.run;
  Cell cell = TextCell("no clock", Tone::kQuiet);
  if (const Figure instructions = Instructions(run)) {
    cell = NumberCell(instructions);
    cell.text += " instr.";
    if (run.vector_instructions && *instructions > 0) {
      cell.text += fmt::format(", {} vector", Percent(static_cast<double>(*run.vector_instructions) /
                                                      static_cast<double>(*instructions)));
    }
  } else if (run.median_ns) {
    cell = DurationCell(run.median_ns);
    if (run.mad_ns) cell.text += " ± " + Duration(*run.mad_ns);
  }
  const ModelRun* reference = ReferenceOf(row, platform, rows);
  if (reference != nullptr && CostOf(run) && CostOf(*reference) && *CostOf(*reference) > 0 &&
      Instructions(run).has_value() == Instructions(*reference).has_value()) {
    cell.text += fmt::format("\n{:.2f} of ref",
                             static_cast<double>(*CostOf(run)) / static_cast<double>(*CostOf(*reference)));
  }
  return cell;
}

// One bar for each row and platform of which `value` knows something.
template <typename Value>
void AddChart(const std::vector<ModelRow>& rows, const std::vector<std::string>& platforms,
              const std::string& title, const std::string& unit, Value value, Section* section) {
  Chart chart = {.title = title, .unit = unit, .logarithmic = true};
  std::map<std::string, std::vector<std::optional<double>>> by_platform;
  for (const ModelRow& row : rows) {
    std::map<std::string, double> figures;
    for (const auto& [platform, placed] : row.by_platform) {
      if (const auto figure = value(*placed.run)) figures[platform] = *figure;
    }
    if (figures.empty()) continue;
    chart.labels.push_back(row.model + ", " + row.setting);
    for (const auto& [platform, figure] : figures) {
      by_platform[platform].resize(chart.labels.size());
      by_platform[platform].back() = figure;
    }
  }
  for (const std::string& platform : platforms) {
    if (!by_platform.contains(platform)) continue;
    by_platform[platform].resize(chart.labels.size());
    chart.series.push_back({platform, by_platform[platform]});
  }
  if (!chart.series.empty()) section->charts.push_back(chart);
}

struct Column {
  std::string name;
  bool instructions = false;
  std::map<std::string, int64_t> by_type;
  int64_t total = 0;
};

// Operators of a type together, in the unit that the run has.
std::optional<Column> ColumnOf(const ModelRow& row, const std::string& platform) {
  const auto place = row.by_platform.find(platform);
  if (place == row.by_platform.end()) return std::nullopt;
  const ModelRun& run = *place->second.run;
  Column column = {.name = platform + "\n" + row.model + "\n" + row.setting};
  column.instructions = std::any_of(run.operators.begin(), run.operators.end(),
                                    [](const OperatorRun& op) { return op.instructions.has_value(); });
  for (const OperatorRun& op : run.operators) {
    const int64_t cost = (column.instructions ? op.instructions : op.median_ns).value_or(0);
    column.by_type[op.type] += cost;
    column.total += cost;
  }
  if (column.total == 0) return std::nullopt;
  return column;
}

void AddOperators(const std::string& group, const std::vector<Column>& columns, Section* section) {
  Table table = {.title = group, .columns = {"Operator"}, .folded = true};
  Chart chart = {.title = group, .unit = "% of the operators", .stacked = true};
  std::map<std::string, int64_t> largest;
  for (const Column& column : columns) {
    table.columns.push_back(column.name);
    std::string label = column.name;
    for (size_t at = label.find('\n'); at != std::string::npos; at = label.find('\n'))
      label.replace(at, 1, ", ");
    chart.labels.push_back(label);
    for (const auto& [type, cost] : column.by_type) {
      largest[type] = std::max(largest[type], cost * 1000 / column.total);
    }
  }
  std::vector<std::string> types;
  for (const auto& [type, share] : largest) types.push_back(type);
  std::stable_sort(types.begin(), types.end(),
                   [&](const std::string& a, const std::string& b) { return largest[a] > largest[b]; });
  for (const std::string& type : types) {
    std::vector<Cell> cells = {TextCell(type)};
    Series series = {type, {}};
    for (const Column& column : columns) {
      const auto place = column.by_type.find(type);
      if (place == column.by_type.end()) {
        cells.push_back(TextCell("-", Tone::kQuiet));
        series.values.emplace_back();
        continue;
      }
      const double share = static_cast<double>(place->second) / static_cast<double>(column.total);
      Cell cell = column.instructions ? NumberCell(place->second) : DurationCell(place->second);
      cell.text += fmt::format("{}, {}", column.instructions ? " instr." : "", Percent(share));
      cells.push_back(cell);
      series.values.emplace_back(share * 100);
    }
    table.rows.push_back(cells);
    chart.series.push_back(series);
  }
  section->tables.push_back(table);
  section->charts.push_back(chart);
}

}  // namespace

Section SpeedSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "speed",
      .title = "Latency",
      .text =
          "One inference: the median time ± median absolute deviation, or, where the result counts them, the "
          "instructions executed. An instruction is not a cycle, and the two are never compared."};
  const std::vector<ModelRow> rows = ModelRows(files);
  if (rows.empty()) return section;
  const std::vector<std::string> platforms = Platforms(files);
  Table table = {.title = "Models against platforms", .columns = {"Model", "Kernels"}};
  for (const std::string& platform : platforms) {
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const ModelRow& r) { return r.by_platform.contains(platform); })) {
      table.columns.push_back(platform);
    }
  }
  for (const ModelRow& row : rows) {
    std::vector<Cell> cells = {TextCell(row.model), TextCell(row.setting)};
    for (size_t i = 2; i < table.columns.size(); ++i) cells.push_back(SpeedCell(row, table.columns[i], rows));
    table.rows.push_back(cells);
  }
  section.tables.push_back(table);
  AddChart(
      rows, platforms, "Time of an inference", "ms",
      [](const ModelRun& run) -> std::optional<double> {
        if (Instructions(run) || !run.median_ns) return std::nullopt;
        return static_cast<double>(*run.median_ns) / 1e6;
      },
      &section);
  AddChart(
      rows, platforms, "Instructions of an inference", "instructions",
      [](const ModelRun& run) -> std::optional<double> {
        const Figure instructions = Instructions(run);
        if (!instructions) return std::nullopt;
        return static_cast<double>(*instructions);
      },
      &section);
  return section;
}

Section OperatorSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "operators",
      .title = "Operators",
      .text =
          "Where an inference goes, operators of one type together. A share is of the sum of the "
          "operators; a time below what the clock resolves counts as nothing."};
  const std::vector<ModelRow> rows = ModelRows(files);
  std::vector<std::string> groups;
  for (const ModelRow& row : rows) {
    if (std::find(groups.begin(), groups.end(), row.group) == groups.end()) groups.push_back(row.group);
  }
  for (const std::string& group : groups) {
    std::vector<Column> columns;
    for (const std::string& platform : Platforms(files)) {
      for (const ModelRow& row : rows) {
        if (row.group != group) continue;
        if (auto column = ColumnOf(row, platform)) columns.push_back(*std::move(column));
      }
    }
    if (!columns.empty()) AddOperators(group, columns, &section);
  }
  return section;
}

}  // namespace lutra::reports
