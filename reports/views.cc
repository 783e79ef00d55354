// SPDX-License-Identifier: Apache-2.0
// Gathers runs and cases from all files, and writes figures as text.

#include "reports/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "reports/known_names.h"

namespace lutra::reports {
namespace {

// Returns the word after `option` in a command; empty if the option is not there.
std::string WordAfter(const std::string& command, const std::string& option) {
  const size_t at = command.find(" " + option + " ");
  if (at == std::string::npos) return "";
  const size_t begin = at + option.size() + 2;
  return command.substr(begin, command.find(' ', begin) - begin);
}

}  // namespace

std::vector<PlacedRun> AllRuns(const std::vector<ResultFile>& files) {
  std::vector<PlacedRun> runs;
  for (const ResultFile& file : files) {
    for (const host::ModelResult& run : file.models()) {
      if (!run.refused()) runs.push_back({&file, &run});
    }
  }
  return runs;
}

std::vector<std::string> Platforms(const std::vector<ResultFile>& files) {
  std::vector<std::string> platforms;
  for (const ResultFile& file : files) {
    if (file.HasPlatform() &&
        std::find(platforms.begin(), platforms.end(), file.platform) == platforms.end()) {
      platforms.push_back(file.platform);
    }
  }
  return platforms;
}

const host::ModelResult* PlainFormOf(const host::ModelResult& compressed,
                                     const std::vector<PlacedRun>& runs) {
  const host::ModelResult* named = nullptr;
  const host::ModelResult* only = nullptr;
  std::set<std::string> models;
  for (const auto& [file, run] : runs) {
    if (run->decompression || run->macs != compressed.macs ||
        CrcsOf(run->inputs) != CrcsOf(compressed.inputs) ||
        CrcsOf(run->outputs) != CrcsOf(compressed.outputs) || run->sha256 == compressed.sha256) {
      continue;
    }
    only = run;
    models.insert(run->sha256);
    if (NameOf(compressed).starts_with(NameOf(*run)) &&
        (named == nullptr || NameOf(*run).size() > NameOf(*named).size())) {
      named = run;
    }
  }
  if (named != nullptr) return named;
  return models.size() == 1 ? only : nullptr;
}

std::string NameOf(const host::ModelResult& run) {
  std::string name = std::filesystem::path(run.path).filename().string();
  if (name.ends_with(".tflite")) name.resize(name.size() - 7);
  return name;
}

std::string CrcsOf(const std::vector<host::TensorResult>& tensors) {
  std::string text;
  for (const host::TensorResult& tensor : tensors) text += (text.empty() ? "" : " ") + tensor.crc32;
  return text;
}

std::string PolicyOf(const host::ModelResult& run) {
  if (!run.decompression) return "";
  const int64_t outside_bytes = run.decompression->outside_bytes;
  return run.decompression->policy + (outside_bytes > 0 ? fmt::format(" into {} bytes", outside_bytes) : "");
}

std::string SettingOf(const host::ModelResult& run) {
  std::string text = run.kernels.empty() ? "kernels unknown" : run.kernels;
  if (run.memory == "small") text += ", small";
  if (run.decompression) text += ", decoded " + PolicyOf(run);
  return text;
}

std::vector<std::string> WordsOf(const host::ModelResult& run) {
  const std::string kernels = run.kernels == "best"  ? "best kernels"
                              : run.kernels == "ref" ? "reference kernels"
                              : run.kernels.empty()  ? "kernels unknown"
                                                     : run.kernels + " kernels";
  std::string delegates;
  for (const host::DelegateResult& delegate : run.delegates)
    delegates += (delegates.empty() ? "delegate " : "+") + delegate.name;
  return {run.memory == "small" ? "small arena"
          : run.memory.empty()  ? "memory unknown"
                                : run.memory,
          kernels, run.repack == "never" ? "weights not packed" : "", delegates,
          run.decompression ? "decoded " + PolicyOf(run) : ""};
}

std::string KernelsOf(const host::ModelResult& run) {
  std::set<std::string> names;
  for (const host::OperatorResult& op : run.op_results) {
    if (!op.kernel.empty()) names.insert(op.kernel);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool IsBundled(const std::string& model) {
  return std::find(std::begin(kBundledModels), std::end(kBundledModels), model) != std::end(kBundledModels);
}

Figure Instructions(const host::ModelResult& run) {
  if (run.inference.counts.instructions) return run.inference.counts.instructions;
  if (run.op_results.empty()) return std::nullopt;
  int64_t sum = 0;
  for (const host::OperatorResult& op : run.op_results) {
    if (!op.counts.instructions) return std::nullopt;
    sum += *op.counts.instructions;
  }
  return sum;
}

int Backend::Count(host::Verdict verdict) const {
  int count = 0;
  for (const auto& [op, cases] : by_operator) {
    count += static_cast<int>(std::count_if(
        cases.begin(), cases.end(), [&](const host::CaseResult* c) { return c->verdict == verdict; }));
  }
  return count;
}

int Backend::cases() const {
  int count = 0;
  for (const auto& [op, cases] : by_operator) count += static_cast<int>(cases.size());
  return count;
}

std::vector<Backend> Backends(const std::vector<ResultFile>& files) {
  std::vector<Backend> backends;
  for (const ResultFile& file : files) {
    if (!file.results.conformance) continue;
    const host::ConformanceResult& run = *file.results.conformance;
    auto place = std::find_if(backends.begin(), backends.end(), [&](const Backend& b) {
      return b.platform == file.platform && b.profile == run.profile && b.name == run.backend &&
             b.command == run.command;
    });
    if (place == backends.end()) {
      backends.push_back({.platform = file.platform,
                          .profile = run.profile,
                          .name = run.backend,
                          .kernels = WordAfter(run.command, "--kernels"),
                          .command = run.command,
                          .smoke = run.command.find(" --smoke") != std::string::npos});
      place = backends.end() - 1;
    }
    for (const host::CaseResult& c : run.cases) {
      place->by_operator[c.id.starts_with("int8.refused.") ? "(to be refused)" : c.op].push_back(&c);
    }
  }
  return backends;
}

std::string Said(const host::CaseResult& result) {
  return result.why.empty() ? host::ToString(result.verdict)
                            : fmt::format("{}: {}", host::ToString(result.verdict), result.why);
}

std::string Duration(int64_t ns) {
  const double value = static_cast<double>(ns);
  if (ns < 1000) return fmt::format("{} ns", ns);
  const std::tuple<double, const char*> units[] = {{1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};
  for (const auto& [unit, name] : units) {
    const double scaled = value / unit;
    if (scaled < 999.95 || unit == 1e9) {
      return fmt::format("{:.{}f} {}", scaled, scaled < 9.9995 ? 3 : scaled < 99.995 ? 2 : 1, name);
    }
  }
  return "";
}

std::string Percent(double share) { return fmt::format("{:.1f} %", share * 100); }

Cell TextCell(std::string text, Tone tone) { return {.text = std::move(text), .tone = tone}; }

Cell NumberCell(Figure value, const std::string& unit) {
  if (!value) return TextCell("-", Tone::kQuiet);
  return {.text = Grouped(*value), .exact = std::to_string(*value), .unit = unit};
}

Cell ShortCell(Figure value, const std::string& unit) {
  Cell cell = NumberCell(value, unit);
  if (!value || *value < 1000000) return cell;
  const double millions = static_cast<double>(*value) / 1e6;
  cell.text = fmt::format("{:.{}f} M", millions, millions < 9.9995 ? 3 : millions < 99.995 ? 2 : 1);
  return cell;
}

Cell DurationCell(Figure ns) {
  if (!ns) return TextCell("-", Tone::kQuiet);
  return {.text = Duration(*ns), .exact = std::to_string(*ns), .unit = "ns"};
}

Table WithoutEmptyColumns(const Table& table) {
  Table left = {.title = table.title, .columns = {}, .rows = {}, .folded = table.folded};
  left.rows.resize(table.rows.size());
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (std::all_of(table.rows.begin(), table.rows.end(),
                    [&](const auto& row) { return row[c].text == "-"; }))
      continue;
    left.columns.push_back(table.columns[c]);
    for (size_t r = 0; r < table.rows.size(); ++r) left.rows[r].push_back(table.rows[r][c]);
  }
  return left;
}

std::string Counted(int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", Grouped(count), noun, count == 1 ? "" : "s");
}

}  // namespace lutra::reports
