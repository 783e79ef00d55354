// SPDX-License-Identifier: Apache-2.0

#include "conformance/runner/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compressor/tensor_selector.h"
#include "host/environment.h"
#include "host/model_file.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

int CountOf(const std::array<int, kVerdictCount>& counts, Verdict verdict) {
  return counts[static_cast<size_t>(verdict)];
}

Json CaseJson(const CaseResult& result) {
  Json json = {{"id", result.id}, {"op", result.op}, {"verdict", ToString(result.verdict)}};
  if (!result.why.empty()) json["why"] = result.why;
  if (const auto& m = result.mismatch) {
    json["mismatch"] = {{"output", m->output},   {"index", m->index},         {"expected", m->expected},
                        {"actual", m->actual},   {"different", m->different}, {"elements", m->elements},
                        {"largest", m->largest}, {"rules", m->rules}};
  }
  return json;
}

CaseResult ParseCase(const Json& json) {
  CaseResult result = {.id = json.at("id"),
                       .op = json.at("op"),
                       .verdict = VerdictOf(json.at("verdict")),
                       .why = json.value("why", "")};
  if (json.contains("mismatch")) {
    const Json& m = json["mismatch"];
    result.mismatch = {.output = m.at("output"),
                       .index = m.at("index"),
                       .expected = m.at("expected"),
                       .actual = m.at("actual"),
                       .different = m.at("different"),
                       .elements = m.at("elements"),
                       .largest = m.at("largest"),
                       .rules = m.at("rules").get<std::vector<std::string>>()};
  }
  return result;
}

std::string XmlText(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
  }
  return escaped;
}

bool IsBad(Verdict verdict) {
  return verdict == Verdict::kFail || verdict == Verdict::kCrash || verdict == Verdict::kTimeout;
}

}  // namespace

std::array<int, kVerdictCount> CountVerdicts(const std::vector<CaseResult>& cases) {
  std::array<int, kVerdictCount> counts = {};
  for (const CaseResult& result : cases) ++counts[static_cast<size_t>(result.verdict)];
  return counts;
}

bool AllWell(const RunResults& results) {
  return std::none_of(results.cases.begin(), results.cases.end(),
                      [](const CaseResult& result) { return IsBad(result.verdict); });
}

std::string SummaryLine(const RunResults& results) {
  const auto counts = CountVerdicts(results.cases);
  // A skipped case or a hang is said where there is one.
  const int skipped = CountOf(counts, Verdict::kSkip), hung = CountOf(counts, Verdict::kTimeout);
  return fmt::format("{} cases: {} passed, {} failed, {} unsupported, {} crashed, {} waived{}{} ({}, {})",
                     results.cases.size(), CountOf(counts, Verdict::kPass), CountOf(counts, Verdict::kFail),
                     CountOf(counts, Verdict::kUnsupported), CountOf(counts, Verdict::kCrash),
                     CountOf(counts, Verdict::kWaived), hung == 0 ? "" : fmt::format(", {} timed out", hung),
                     skipped == 0 ? "" : fmt::format(", {} skipped", skipped), results.profile,
                     results.backend);
}

std::string ResultTable(const RunResults& results) {
  std::map<std::string, std::vector<CaseResult>> by_op;
  for (const CaseResult& result : results.cases) {
    by_op[result.id.starts_with("int8.refused.") ? "(to be refused)" : result.op].push_back(result);
  }
  std::string text = fmt::format("{:<26}{:>7}{:>7}{:>7}{:>12}{:>7}{:>7}{:>8}{:>7}\n", "operator", "cases",
                                 "pass", "fail", "unsupported", "crash", "time", "waived", "skip");
  for (const auto& [op, cases] : by_op) {
    const auto counts = CountVerdicts(cases);
    text += fmt::format("{:<26}{:>7}{:>7}{:>7}{:>12}{:>7}{:>7}{:>8}{:>7}\n", op, cases.size(),
                        CountOf(counts, Verdict::kPass), CountOf(counts, Verdict::kFail),
                        CountOf(counts, Verdict::kUnsupported), CountOf(counts, Verdict::kCrash),
                        CountOf(counts, Verdict::kTimeout), CountOf(counts, Verdict::kWaived),
                        CountOf(counts, Verdict::kSkip));
  }
  return text;
}

std::string ResultJson(const RunResults& results) {
  const host::Environment environment = host::DescribeEnvironment("conformance");
  const auto counts = CountVerdicts(results.cases);
  Json summary = {{"cases", results.cases.size()}};
  for (int i = 0; i < kVerdictCount; ++i) {
    summary[ToString(static_cast<Verdict>(i))] = counts[static_cast<size_t>(i)];
  }
  Json cases = Json::array();
  for (const CaseResult& result : results.cases) cases.push_back(CaseJson(result));
  const Json json = {{"schema_version", kSchemaVersion},
                     {"context",
                      {{"program", "conformance"},
                       {"version", environment.version},
                       {"commit", environment.commit},
                       {"date", environment.date},
                       {"platform", environment.platform},
                       {"cpu", environment.cpu},
                       {"compiler", environment.compiler},
                       {"build_type", environment.build_type},
                       {"rounding", environment.rounding}}},
                     {"conformance",
                      {{"profile", results.profile},
                       {"backend", results.backend},
                       {"command", results.command},
                       {"bound", results.bound},
                       {"summary", summary},
                       {"cases", cases}}}};
  return json.dump(1) + "\n";
}

std::string ResultJunit(const RunResults& results) {
  const auto counts = CountVerdicts(results.cases);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"conformance {} {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
      XmlText(results.profile), XmlText(results.backend), results.cases.size(),
      CountOf(counts, Verdict::kFail), CountOf(counts, Verdict::kCrash) + CountOf(counts, Verdict::kTimeout),
      CountOf(counts, Verdict::kUnsupported) + CountOf(counts, Verdict::kSkip) +
          CountOf(counts, Verdict::kWaived));
  for (const CaseResult& result : results.cases) {
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\"", XmlText(result.op), XmlText(result.id));
    if (result.verdict == Verdict::kPass) {
      text += "/>\n";
      continue;
    }
    const char* const element = result.verdict == Verdict::kFail ? "failure"
                                : IsBad(result.verdict)          ? "error"
                                                                 : "skipped";
    text += fmt::format("><{} message=\"{}: {}\"/></testcase>\n", element, ToString(result.verdict),
                        XmlText(result.why));
  }
  return text + "</testsuite>\n";
}

RunResults ParseResults(const std::string& text, const std::string& path) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema_version") != kSchemaVersion) {
      throw host::BadInput(fmt::format("{}: schema-version: found {}, required: {}; make the file again",
                                       path, json.at("schema_version").dump(), kSchemaVersion));
    }
    const Json& run = json.at("conformance");
    RunResults results = {.profile = run.at("profile"),
                          .backend = run.at("backend"),
                          .command = run.at("command"),
                          .bound = run.at("bound")};
    for (const Json& result : run.at("cases")) results.cases.push_back(ParseCase(result));
    return results;
  } catch (const Json::exception& error) {
    throw host::BadInput(fmt::format("{}: not a result file of conformance: {}", path, error.what()));
  }
}

RunResults Merge(const std::vector<RunResults>& parts) {
  RunResults merged = parts.front();
  merged.cases.clear();
  std::map<std::string, CaseResult> cases;
  for (const RunResults& part : parts) {
    if (part.profile != merged.profile || part.backend != merged.backend || part.bound != merged.bound) {
      throw host::BadInput(fmt::format("merge: found ({}, {}) and ({}, {}), required: shards of one run",
                                       merged.profile, merged.backend, part.profile, part.backend));
    }
    for (const CaseResult& result : part.cases) {
      const auto [place, added] = cases.try_emplace(result.id, result);
      if (!added && place->second.verdict != result.verdict) {
        throw host::BadInput(
            fmt::format("merge: {}: found {} and {}, required: one verdict; run that shard again", result.id,
                        ToString(place->second.verdict), ToString(result.verdict)));
      }
    }
  }
  for (auto& [id, result] : cases) merged.cases.push_back(std::move(result));
  return merged;
}

std::vector<Waiver> ReadWaivers(const std::string& path) {
  const host::AlignedBytes bytes = host::ReadFileBytes(path);
  std::vector<Waiver> waivers;
  try {
    for (const Json& entry : Json::parse(bytes.span().begin(), bytes.span().end())) {
      Waiver waiver = {entry.at("id"), entry.at("reason"), entry.at("expires")};
      if (waiver.reason.empty() || waiver.expires.size() != 10) {
        throw host::BadInput(fmt::format("{}: waiver of {}: required: a reason, and an expiry as 2027-01-31",
                                         path, waiver.pattern));
      }
      waivers.push_back(std::move(waiver));
    }
  } catch (const Json::exception& error) {
    throw host::BadInput(
        fmt::format("{}: required: a list of {{id, reason, expires}}: {}", path, error.what()));
  }
  return waivers;
}

void ApplyWaivers(const std::vector<Waiver>& waivers, const std::string& today,
                  std::vector<CaseResult>* cases) {
  for (CaseResult& result : *cases) {
    for (const Waiver& waiver : waivers) {
      if (waiver.expires < today || !compressor::Matches(waiver.pattern, result.id)) continue;
      if (IsBad(result.verdict)) {
        result.why = fmt::format("waived until {}: {} ({})", waiver.expires, waiver.reason, result.why);
        result.verdict = Verdict::kWaived;
      } else if (result.verdict == Verdict::kPass) {
        result.verdict = Verdict::kFail;
        result.why = fmt::format("passes, but is waived ({}); remove the waiver", waiver.reason);
      }
      break;
    }
  }
}

}  // namespace lutra::conformance
