// SPDX-License-Identifier: Apache-2.0
// Groups runs by inputs and outputs, and names those that differ.

#include "reports/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "host/scores.h"

namespace lutra::reports {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> PlatformsOf(const std::vector<PlacedRun>& runs) {
  std::vector<std::string> platforms;
  for (const auto& [file, run] : runs) {
    if (std::find(platforms.begin(), platforms.end(), file->platform) == platforms.end()) {
      platforms.push_back(file->platform);
    }
  }
  return platforms;
}

}  // namespace

const std::string& Agreement::majority() const {
  return std::max_element(by_outputs.begin(), by_outputs.end(),
                          [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); })
      ->first;
}

std::vector<std::string> Agreement::Platforms() const {
  std::vector<PlacedRun> all;
  for (const auto& [outputs, runs] : by_outputs) all.insert(all.end(), runs.begin(), runs.end());
  return PlatformsOf(all);
}

std::vector<Agreement> Agreements(const std::vector<ResultFile>& files) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Agreement> agreements;
  for (const PlacedRun& placed : AllRuns(files)) {
    const host::ModelResult& run = *placed.run;
    const std::string& rounding = placed.file->results.environment.rounding;
    const std::string name = NameOf(run), inputs = CrcsOf(run.inputs);
    Agreement& agreement = agreements
                               .try_emplace({name, run.sha256, inputs, rounding},
                                            Agreement{name, run.sha256, inputs, rounding, {}})
                               .first->second;
    agreement.by_outputs[CrcsOf(run.outputs)].push_back(placed);
  }
  std::vector<Agreement> list;
  for (auto& [key, agreement] : agreements) list.push_back(std::move(agreement));
  return list;
}

Cell AgreementLine(const std::vector<Agreement>& agreements) {
  std::map<size_t, std::set<std::string>, std::greater<>> models;  // Key: the number of platforms.
  std::vector<std::string> different;
  int alone = 0;
  for (const Agreement& agreement : agreements) {
    if (agreement.by_outputs.size() > 1) {
      for (const auto& [outputs, runs] : agreement.by_outputs) {
        if (outputs == agreement.majority()) continue;
        different.push_back(fmt::format("{} on {}", agreement.model, Joined(PlatformsOf(runs))));
      }
      continue;
    }
    const std::vector<std::string> where = agreement.Platforms();
    if (where.size() < 2) {
      ++alone;
      continue;
    }
    models[where.size()].insert(agreement.sha256);
  }
  if (!different.empty()) {
    return {.text = fmt::format("Outputs DIFFER: {}", Joined(different)), .tone = Tone::kBad};
  }
  if (models.empty()) return TextCell("Outputs: no model ran on two platforms.", Tone::kQuiet);
  std::vector<std::string> parts;
  for (const auto& [platforms, hashes] : models) {
    parts.push_back(fmt::format("{} on {}", Counted(static_cast<int64_t>(hashes.size()), "model"),
                                Counted(static_cast<int64_t>(platforms), "platform")));
  }
  const std::string only = alone == 0 ? "" : fmt::format("; {} on one only", Counted(alone, "other"));
  return TextCell(fmt::format("Outputs equal on all platforms that ran a model, byte for byte: {}{}",
                              Joined(parts), only),
                  Tone::kGood);
}

Cell AgreementCell(const std::vector<Agreement>& agreements, const std::string& platform) {
  int shared = 0;
  std::vector<std::string> different;
  for (const Agreement& agreement : agreements) {
    const std::vector<std::string> platforms = agreement.Platforms();
    if (std::find(platforms.begin(), platforms.end(), platform) == platforms.end()) continue;
    bool differs = false;
    for (const auto& [outputs, runs] : agreement.by_outputs) {
      if (outputs == agreement.majority()) continue;
      const auto here = PlatformsOf(runs);
      differs = differs || std::find(here.begin(), here.end(), platform) != here.end();
    }
    if (differs) {
      different.push_back(agreement.model);
    } else if (platforms.size() > 1) {
      ++shared;
    }
  }
  if (!different.empty()) return {.text = "differ", .tone = Tone::kBad, .details = different};
  if (shared == 0) return TextCell("nothing to compare with", Tone::kQuiet);
  return TextCell(fmt::format("equal for {}", Counted(shared, "model")), Tone::kGood);
}

Section OutputSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "outputs",
      .title = "Outputs",
      .text = "CRC-32 of the outputs of each model: equal on all platforms for equal inputs and rounding."};
  Table table = {.title = "Models",
                 .columns = {"Model", "Inputs", "Rounding", "Outputs", "Agreement", "Evaluation"}};
  const size_t all = Platforms(files).size();
  for (const Agreement& agreement : Agreements(files)) {
    for (const auto& [outputs, runs] : agreement.by_outputs) {
      std::string evaluation;
      for (const auto& [file, run] : runs) {
        if (!run->evaluation) continue;
        const std::optional<double> value = run->evaluation->value;
        const bool has_interval =
            run->evaluation->metric == "accuracy" && value && run->evaluation->count > 0;
        evaluation = fmt::format(
            "{} {} ({}{})", run->evaluation->metric, value ? fmt::format("{:.6g}", *value) : "-",
            Counted(run->evaluation->count, "sample"),
            has_interval ? ", 95 % confidence " + host::ConfidenceText(*value, run->evaluation->count) : "");
      }
      const bool differs = outputs != agreement.majority();
      const std::vector<std::string> platforms = PlatformsOf(runs);
      Cell equal = TextCell((differs ? "DIFFERS: " : "equal: ") + Joined(platforms),
                            differs ? Tone::kBad : Tone::kGood);
      if (platforms.size() > 1 && platforms.size() == all) {
        equal.text = fmt::format("equal on all {} platforms", all);
        equal.details = platforms;
      }
      table.rows.push_back({TextCell(agreement.model),
                            {.text = agreement.inputs, .code = true},
                            TextCell(agreement.rounding),
                            {.text = outputs, .code = true},
                            equal,
                            evaluation.empty() ? TextCell("-", Tone::kQuiet) : TextCell(evaluation)});
    }
  }
  if (!table.rows.empty()) section.tables.push_back(table);
  return section;
}

}  // namespace lutra::reports
