// SPDX-License-Identifier: Apache-2.0
// Results as a table, as JSON and as JUnit's XML; shards put together; waivers.

#include "conformance/runner/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "compressor/tensor_selector.h"
#include "host/environment.h"
#include "host/markup.h"
#include "host/model_file.h"
#include "host/result_json.h"

namespace lutra::conformance {
namespace {

int CountOf(const std::array<int, host::kVerdictCount>& counts, host::Verdict verdict) {
  return counts[static_cast<size_t>(verdict)];
}

}  // namespace

std::array<int, host::kVerdictCount> CountVerdicts(const std::vector<host::CaseResult>& cases) {
  std::array<int, host::kVerdictCount> counts = {};
  for (const host::CaseResult& result : cases) ++counts[static_cast<size_t>(result.verdict)];
  return counts;
}

bool AllWell(const host::ConformanceResult& results) {
  return std::none_of(results.cases.begin(), results.cases.end(),
                      [](const host::CaseResult& result) { return host::IsBad(result.verdict); });
}

std::string SummaryLine(const host::ConformanceResult& results) {
  const auto counts = CountVerdicts(results.cases);
  // A skipped case or a hang is said where there is one.
  const int skipped = CountOf(counts, host::Verdict::kSkip), hung = CountOf(counts, host::Verdict::kTimeout);
  return fmt::format(
      "{} cases: {} passed, {} failed, {} unsupported, {} crashed, {} waived{}{} ({}, {})",
      results.cases.size(), CountOf(counts, host::Verdict::kPass), CountOf(counts, host::Verdict::kFail),
      CountOf(counts, host::Verdict::kUnsupported), CountOf(counts, host::Verdict::kCrash),
      CountOf(counts, host::Verdict::kWaived), hung == 0 ? "" : fmt::format(", {} timed out", hung),
      skipped == 0 ? "" : fmt::format(", {} skipped", skipped), results.profile, results.backend);
}

std::string ResultTable(const host::ConformanceResult& results) {
  std::map<std::string, std::vector<host::CaseResult>> by_op;
  for (const host::CaseResult& result : results.cases) {
    by_op[result.id.starts_with("int8.refused.") ? "(to be refused)" : result.op].push_back(result);
  }
  std::string text = fmt::format("{:<26}{:>7}{:>7}{:>7}{:>12}{:>7}{:>7}{:>8}{:>7}\n", "operator", "cases",
                                 "pass", "fail", "unsupported", "crash", "time", "waived", "skip");
  for (const auto& [op, cases] : by_op) {
    const auto counts = CountVerdicts(cases);
    text += fmt::format("{:<26}{:>7}{:>7}{:>7}{:>12}{:>7}{:>7}{:>8}{:>7}\n", op, cases.size(),
                        CountOf(counts, host::Verdict::kPass), CountOf(counts, host::Verdict::kFail),
                        CountOf(counts, host::Verdict::kUnsupported), CountOf(counts, host::Verdict::kCrash),
                        CountOf(counts, host::Verdict::kTimeout), CountOf(counts, host::Verdict::kWaived),
                        CountOf(counts, host::Verdict::kSkip));
  }
  return text;
}

std::string ResultJson(const host::ConformanceResult& results) {
  host::ResultFile file = {.environment = host::DescribeEnvironment("conformance"), .conformance = results};
  return host::WriteResultJson(file, 1);
}

std::string ResultJunit(const host::ConformanceResult& results) {
  const auto counts = CountVerdicts(results.cases);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"conformance {} {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
      host::Markup(results.profile), host::Markup(results.backend), results.cases.size(),
      CountOf(counts, host::Verdict::kFail),
      CountOf(counts, host::Verdict::kCrash) + CountOf(counts, host::Verdict::kTimeout),
      CountOf(counts, host::Verdict::kUnsupported) + CountOf(counts, host::Verdict::kSkip) +
          CountOf(counts, host::Verdict::kWaived));
  for (const host::CaseResult& result : results.cases) {
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\"", host::Markup(result.op),
                        host::Markup(result.id));
    if (result.verdict == host::Verdict::kPass) {
      text += "/>\n";
      continue;
    }
    const char* const element = result.verdict == host::Verdict::kFail ? "failure"
                                : host::IsBad(result.verdict)          ? "error"
                                                                       : "skipped";
    text += fmt::format("><{} message=\"{}: {}\"/></testcase>\n", element, host::ToString(result.verdict),
                        host::Markup(result.why));
  }
  return text + "</testsuite>\n";
}

host::ConformanceResult Merge(const std::vector<host::ConformanceResult>& parts) {
  host::ConformanceResult merged = parts.front();
  merged.cases.clear();
  std::map<std::string, host::CaseResult> cases;
  for (const host::ConformanceResult& part : parts) {
    if (part.profile != merged.profile || part.backend != merged.backend || part.bound != merged.bound) {
      throw host::BadInput(fmt::format("merge: found ({}, {}) and ({}, {}), required: shards of one run",
                                       merged.profile, merged.backend, part.profile, part.backend));
    }
    merged.has_manifest = merged.has_manifest && part.has_manifest;
    for (const host::CaseResult& result : part.cases) {
      const auto [place, added] = cases.try_emplace(result.id, result);
      if (!added && place->second.verdict != result.verdict) {
        throw host::BadInput(
            fmt::format("merge: {}: found {} and {}, required: one verdict; run that shard again", result.id,
                        host::ToString(place->second.verdict), host::ToString(result.verdict)));
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
    for (const nlohmann::json& entry : nlohmann::json::parse(bytes.span().begin(), bytes.span().end())) {
      Waiver waiver = {entry.at("id"), entry.at("reason"), entry.at("expires")};
      if (waiver.reason.empty() || waiver.expires.size() != 10) {
        throw host::BadInput(fmt::format("{}: waiver of {}: required: a reason, and an expiry as 2027-01-31",
                                         path, waiver.pattern));
      }
      waivers.push_back(std::move(waiver));
    }
  } catch (const nlohmann::json::exception& error) {
    throw host::BadInput(
        fmt::format("{}: required: a list of {{id, reason, expires}}: {}", path, error.what()));
  }
  return waivers;
}

void ApplyWaivers(const std::vector<Waiver>& waivers, const std::string& today,
                  std::vector<host::CaseResult>* cases) {
  for (host::CaseResult& result : *cases) {
    for (const Waiver& waiver : waivers) {
      if (waiver.expires < today || !compressor::Matches(waiver.pattern, result.id)) continue;
      if (host::IsBad(result.verdict)) {
        result.why = fmt::format("waived until {}: {} ({})", waiver.expires, waiver.reason, result.why);
        result.verdict = host::Verdict::kWaived;
      } else if (result.verdict == host::Verdict::kPass) {
        result.verdict = host::Verdict::kFail;
        result.why = fmt::format("passes, but is waived ({}); remove the waiver", waiver.reason);
      }
      break;
    }
  }
}

}  // namespace lutra::conformance
