// SPDX-License-Identifier: Apache-2.0
// Comparisons as a table and as JSON.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/compare/compare.h"
#include "host/printable.h"
#include "host/result_json.h"

namespace lutra::bench {
namespace {

using Json = nlohmann::ordered_json;

double RatioOf(int64_t ns, int64_t first_ns) {
  return static_cast<double>(ns) / static_cast<double>(std::max<int64_t>(1, first_ns));
}

std::string InMicroseconds(int64_t ns) { return fmt::format("{:.2f}", static_cast<double>(ns) / 1e3); }

std::string OutputText(const OutputDifference& difference) {
  if (difference.differs == 0) return "equal";
  return fmt::format("{} of {}{}", difference.differs, difference.elements,
                     difference.largest ? fmt::format(", by {:g} at most", *difference.largest) : "");
}

std::string SideLine(const Side& side, const std::optional<SideTimes>& first) {
  if (!side.times) return fmt::format("  {:<9} -  {}\n", side.name, host::Printable(side.error));
  std::string line = fmt::format("  {:<9}{:>11}{:>11}", side.name, InMicroseconds(side.times->min_ns),
                                 InMicroseconds(side.times->median_ns));
  if (first) {
    line += fmt::format("{:>8.2f}{:>8.2f}", RatioOf(side.times->min_ns, first->min_ns),
                        RatioOf(side.times->median_ns, first->median_ns));
  }
  if (side.outputs) line += "  " + OutputText(*side.outputs);
  return line + "\n";
}

Json SideJson(const Side& side, const std::optional<SideTimes>& first) {
  Json json;
  json["name"] = side.name;
  json["error"] = side.error.empty() ? Json() : Json(side.error);
  json["runs"] = side.times ? Json(side.times->runs) : Json();
  json["min_ns"] = side.times ? Json(side.times->min_ns) : Json();
  json["median_ns"] = side.times ? Json(side.times->median_ns) : Json();
  const bool has_ratio = side.times && first;
  json["min_ratio"] = has_ratio ? Json(RatioOf(side.times->min_ns, first->min_ns)) : Json();
  json["median_ratio"] = has_ratio ? Json(RatioOf(side.times->median_ns, first->median_ns)) : Json();
  Json& outputs = json["outputs"];
  if (!side.outputs) return json;
  outputs["elements"] = side.outputs->elements;
  outputs["differs"] = side.outputs->differs;
  outputs["largest"] = side.outputs->largest ? Json(*side.outputs->largest) : Json();
  return json;
}

std::string Preamble(const ComparisonFile& file) {
  const host::Environment& e = file.environment;
  std::string text = fmt::format("{}, {}, {}\n", e.cpu, e.compiler, e.build_type);
  for (const Runtime& runtime : file.runtimes) {
    text += fmt::format("{}: {}\n", runtime.name, host::Printable(runtime.version));
  }
  for (const std::string& noise : e.noise) text += "noisy machine: " + noise + "\n";
  return text;
}

// Says how much longer this runtime may take than another.
struct Goal {
  const char* name;
  double most;
};
constexpr Goal kGoals[] = {{"ref", 1.0}, {"litert", 1.5}};

bool TakesPart(const char* name, const std::vector<Runtime>& runtimes) {
  return std::any_of(runtimes.begin(), runtimes.end(),
                     [name](const Runtime& runtime) { return runtime.name == name; });
}

bool Misses(const Goal& goal, const Side& side, const std::optional<SideTimes>& first) {
  return side.name == goal.name && side.times && first &&
         static_cast<double>(first->min_ns) > goal.most * static_cast<double>(side.times->min_ns);
}

}  // namespace

std::string WriteComparisonTable(const ComparisonFile& file) {
  std::string text = Preamble(file);
  text += fmt::format("\none thread; x: times of the first\n  {:<9}{:>11}{:>11}{:>8}{:>8}  {}\n", "",
                      "min us", "median us", "x min", "x med", "outputs that differ from the first's");
  for (const Comparison& comparison : file.comparisons) {
    text += host::Printable(comparison.path);
    if (!comparison.error.empty()) {
      text += ": refused\n";
      continue;
    }
    text += fmt::format(": {} bytes, {} MACs\n", comparison.bytes, comparison.macs);
    for (const Side& side : comparison.sides) text += SideLine(side, comparison.sides[0].times);
  }
  return text;
}

std::string WriteShapesTable(const ComparisonFile& file) {
  std::string text =
      Preamble(file) +
      fmt::format("\none thread; minima; x: times of the first; <: a goal is missed\n{:<32}", "");
  for (const Runtime& runtime : file.runtimes) {
    text +=
        fmt::format("{:>12}", &runtime == file.runtimes.data() ? runtime.name + " us" : "x " + runtime.name);
  }
  text += "\n";
  std::vector<int> misses(std::size(kGoals), 0);
  for (const Comparison& comparison : file.comparisons) {
    text += fmt::format("{:<32}", host::Printable(comparison.path));
    const std::optional<SideTimes> first =
        comparison.sides.empty() ? std::nullopt : comparison.sides[0].times;
    bool missed = false;
    for (const Side& side : comparison.sides) {
      const bool is_first = &side == comparison.sides.data();
      text += fmt::format("{:>12}", !side.times || !first ? "-"
                                    : is_first
                                        ? InMicroseconds(first->min_ns)
                                        : fmt::format("{:.2f}", RatioOf(side.times->min_ns, first->min_ns)));
      for (size_t i = 0; i < misses.size(); ++i) {
        if (!Misses(kGoals[i], side, first)) continue;
        ++misses[i];
        missed = true;
      }
    }
    text += missed ? " <\n" : "\n";
  }
  text += "\n";
  for (size_t i = 0; i < misses.size(); ++i) {
    if (!TakesPart(kGoals[i].name, file.runtimes)) continue;
    text += fmt::format("longer than {:g} x {}: {} of {}\n", kGoals[i].most, kGoals[i].name, misses[i],
                        file.comparisons.size());
  }
  return text;
}

std::string WriteComparisonJson(const ComparisonFile& file) {
  Json json;
  json["schema_version"] = host::kResultSchemaVersion;
  json["context"] = host::EnvironmentJson(file.environment);
  json["runtimes"] = Json::array();
  for (const Runtime& runtime : file.runtimes) {
    json["runtimes"].push_back({{"name", runtime.name}, {"version", runtime.version}});
  }
  json["comparisons"] = Json::array();
  for (const Comparison& comparison : file.comparisons) {
    Json entry;
    entry["model"] = {{"path", comparison.path}};
    entry["error"] = comparison.error.empty() ? Json() : Json(comparison.error);
    entry["sides"] = Json::array();
    if (comparison.error.empty()) {
      entry["model"]["bytes"] = comparison.bytes;
      entry["model"]["macs"] = comparison.macs;
      for (const Side& side : comparison.sides) {
        entry["sides"].push_back(SideJson(side, comparison.sides[0].times));
      }
    }
    json["comparisons"].push_back(entry);
  }
  return host::JsonText(json);
}

}  // namespace lutra::bench
