// SPDX-License-Identifier: Apache-2.0
// Writes results as a table, as JSON and as JUnit's XML; merges shards; reads waivers.

#include "conformance/runner/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "host/environment.h"
#include "host/glob.h"
#include "host/markup.h"
#include "host/model_file.h"
#include "host/parse_json.h"
#include "host/printable.h"
#include "host/result_json.h"
#include "host/sarif.h"

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
  const auto is_bad = [](const host::CaseResult& result) { return host::IsBad(result.verdict); };
  if (results.cases.empty() || std::any_of(results.cases.begin(), results.cases.end(), is_bad)) return false;
  const auto is_judged = [](const host::CaseResult& result) {
    // Of a waived crash or hang, or of one without outputs, nothing was computed that could be compared.
    return (result.verdict == host::Verdict::kWaived && result.mismatch) ||
           (result.verdict == host::Verdict::kPass && !result.must_refuse);
  };
  return std::any_of(results.cases.begin(), results.cases.end(), is_judged) ||
         std::all_of(results.cases.begin(), results.cases.end(),
                     [](const host::CaseResult& result) { return result.must_refuse; });
}

std::string SummaryLine(const host::ConformanceResult& results) {
  const auto counts = CountVerdicts(results.cases);
  // Skipped cases and hangs are printed only if there are any.
  const int skipped = CountOf(counts, host::Verdict::kSkip), hung = CountOf(counts, host::Verdict::kTimeout);
  const bool is_whole = !results.selection || results.selection->shard == "1/1";
  return fmt::format("{} cases: {} passed, {} failed, {} unsupported, {} crashed, {} waived{}{} ({}, {}){}",
                     results.cases.size(), CountOf(counts, host::Verdict::kPass),
                     CountOf(counts, host::Verdict::kFail), CountOf(counts, host::Verdict::kUnsupported),
                     CountOf(counts, host::Verdict::kCrash), CountOf(counts, host::Verdict::kWaived),
                     hung == 0 ? "" : fmt::format(", {} timed out", hung),
                     skipped == 0 ? "" : fmt::format(", {} skipped", skipped),
                     host::Printable(results.profile), host::Printable(results.backend),
                     is_whole ? "" : ", shard " + host::Printable(results.selection->shard));
}

std::string UnsupportedLine(const host::ConformanceResult& results, const std::vector<Case>& cases,
                            const std::vector<std::string>& required) {
  std::set<std::string> lacking;
  for (const host::CaseResult& result : results.cases) {
    if (result.verdict == host::Verdict::kUnsupported) lacking.insert(result.id);
  }
  std::map<std::string, int> counts;
  for (const std::string& pattern : required) {
    bool has_case = false;
    for (const Case& test : cases) {
      if (pattern != "all" && !host::Matches(pattern, test.op)) continue;
      has_case = true;
      if (!test.optional && lacking.count(test.id) > 0) ++counts[test.op];
    }
    if (has_case) continue;
    throw host::BadInput(
        fmt::format("--require: found no case of \"{}\", required: operators of the cases that run",
                    host::Printable(pattern, 60)));
  }
  std::string text;
  for (const auto& [op, count] : counts) {
    text += fmt::format("{}{} ({} case{})", text.empty() ? "required, and unsupported: " : ", ", op, count,
                        count == 1 ? "" : "s");
  }
  return text;
}

std::string NeverRanLine(const std::vector<std::string>& names) {
  constexpr size_t kMostNamed = 8;
  if (names.empty()) return "";
  std::string text =
      names.size() == 1 ? "1 operator never ran: " : fmt::format("{} operators never ran: ", names.size());
  for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
    text += (i == 0 ? "" : ", ") + host::Printable(names[i]);
  }
  if (names.size() > kMostNamed) text += fmt::format(" and {} others", names.size() - kMostNamed);
  return text;
}

std::string OtherProfileLine(const host::ConformanceResult& results) {
  std::map<std::string, int> counts;
  for (const host::CaseResult& result : results.cases) {
    if (!result.profile.empty()) ++counts[result.profile];
  }
  std::string text;
  for (const auto& [profile, count] : counts) {
    text +=
        fmt::format("{}{} cases are judged by {}", text.empty() ? "" : ", ", count, host::Printable(profile));
  }
  return text.empty() ? "" : text + ": " + host::Printable(results.profile) + " has no rule for them";
}

std::string ResultTable(const host::ConformanceResult& results) {
  std::map<std::string, std::vector<host::CaseResult>> by_op;
  for (const host::CaseResult& result : results.cases) {
    by_op[result.must_refuse ? "(to be refused)" : result.op].push_back(result);
  }
  std::string text = fmt::format("{:<26}{:>7}{:>7}{:>7}{:>12}{:>7}{:>7}{:>8}{:>7}\n", "operator", "cases",
                                 "pass", "fail", "unsupported", "crash", "time", "waived", "skip");
  for (const auto& [op, cases] : by_op) {
    const auto counts = CountVerdicts(cases);
    text += fmt::format("{:<26}{:>7}{:>7}{:>7}{:>12}{:>7}{:>7}{:>8}{:>7}\n", host::Printable(op, 25),
                        cases.size(), CountOf(counts, host::Verdict::kPass),
                        CountOf(counts, host::Verdict::kFail), CountOf(counts, host::Verdict::kUnsupported),
                        CountOf(counts, host::Verdict::kCrash), CountOf(counts, host::Verdict::kTimeout),
                        CountOf(counts, host::Verdict::kWaived), CountOf(counts, host::Verdict::kSkip));
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

std::string ResultSarif(const host::ConformanceResult& results, const std::filesystem::path& reproducers) {
  host::SarifLog log = {.program = "conformance"};
  for (const host::CaseResult& result : results.cases) {
    if (!host::IsBad(result.verdict)) continue;
    log.rules.try_emplace(result.op, result.op + " computes what profile " + results.profile + " says");
    const std::filesystem::path model = reproducers / result.id / "model.tflite";
    const bool has_model = !reproducers.empty() && std::filesystem::exists(model);
    log.findings.push_back(
        {result.op, "error",
         fmt::format("{}: {}", host::ToString(result.verdict), host::Printable(result.why)),
         has_model ? model.string() : "", result.id});
  }
  return host::SarifText(log);
}

namespace {

// Returns whether the text is a day as 2027-01-31. Dates are compared as texts, so no other form will do.
bool IsDate(const std::string& text) {
  int year = 0;
  unsigned month = 0, day = 0;
  const auto read = [&text](size_t begin, size_t count, auto* number) {
    const char* const end = text.data() + begin + count;
    const auto [stop, error] = std::from_chars(text.data() + begin, end, *number);
    return error == std::errc() && stop == end;
  };
  return text.size() == 10 && text[4] == '-' && text[7] == '-' && text[0] != '-' && read(0, 4, &year) &&
         read(5, 2, &month) && read(8, 2, &day) &&
         std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(month),
                                     std::chrono::day(day))
             .ok();
}

}  // namespace

std::vector<Waiver> ReadWaivers(const std::string& path) {
  std::vector<Waiver> waivers;
  try {
    const nlohmann::json list = host::ParseJson(host::ReadInputText(path), path);
    // Iterating over an object or null is no error of the library, and would waive nothing.
    if (!list.is_array()) {
      throw host::BadInput(fmt::format("{}: waivers: found {}, required: a list of {{id, reason, expires}}",
                                       path, list.type_name()));
    }
    for (const nlohmann::json& entry : list) {
      Waiver waiver = {entry.at("id"), entry.at("reason"), entry.at("expires")};
      if (waiver.pattern.empty() || waiver.reason.empty() || !IsDate(waiver.expires)) {
        throw host::BadInput(
            fmt::format("{}: waiver of \"{}\": found reason \"{}\" and expiry \"{}\", required: a pattern, a "
                        "reason, and a date as 2027-01-31",
                        path, waiver.pattern, waiver.reason, waiver.expires));
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
      if (waiver.expires < today || !host::Matches(waiver.pattern, result.id)) continue;
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
