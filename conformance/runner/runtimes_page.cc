// SPDX-License-Identifier: Apache-2.0
// Reads measurements of runtimes, and writes them as tables of Markdown.

#include "conformance/runner/runtimes_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/runner/results.h"
#include "conformance/runner/verdict.h"
#include "host/markup.h"
#include "host/model_file.h"
#include "host/parse_json.h"
#include "host/printable.h"
#include "host/result_json.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kTablesBegin[] = "<!-- tables -->\n";
constexpr char kRunEnding[] = ".run.json";
constexpr char kToBeRefused[] = "int8.refused.";
constexpr size_t kLongestReason = 140;

OperatorRules ReadOperator(const Json& json) {
  OperatorRules op = {.op = json.at("op"),
                      .cases = json.at("cases"),
                      .unsupported = json.at("unsupported"),
                      .crashed = json.at("crashed"),
                      .set_apart = static_cast<int>(json.at("set_apart").size())};
  (json.at("unknown") == 0 ? op.rules : op.unknown) = json.at("explained_by");
  return op;
}

void ReadFingerprint(const fs::path& path, MeasuredRuntime* runtime) {
  try {
    const Json json = host::ParseJson<Json>(host::ReadFileText(path), path.string());
    if (json.at("runtime") != runtime->run.backend) {
      throw host::BadInput(fmt::format("{}: runtime: found {}, required: {}, whose results are beside it",
                                       path.string(), json.at("runtime").get<std::string>(),
                                       runtime->run.backend));
    }
    for (const Json& op : json.at("operators")) runtime->operators.push_back(ReadOperator(op));
    for (const Json& profile : json.at("profiles")) {
      runtime->profiles.push_back({.profile = profile.at("name"),
                                   .explained = profile.at("explained"),
                                   .operators = profile.at("of")});
    }
  } catch (const Json::exception& error) {
    throw host::BadInput(fmt::format("{}: found {}, required: what `conformance identify --json` prints",
                                     path.string(), error.what()));
  }
}

// Returns a name or a reason as the text of a cell.
std::string Cell(const std::string& text, size_t most = 0) {
  std::string cell = host::Markup(host::Printable(text, most));
  for (size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2) cell.insert(at, 1, '\\');
  return cell;
}

const ProfileShare* ShareOf(const MeasuredRuntime& runtime, const std::string& profile) {
  for (const ProfileShare& share : runtime.profiles) {
    if (share.profile == profile) return &share;
  }
  return nullptr;
}

bool IsRefused(const host::CaseResult& result) {
  return result.verdict == host::Verdict::kFail && result.why.starts_with(kRefusedWord);
}

std::string CountsTable(const std::vector<MeasuredRuntime>& runtimes) {
  std::string text =
      "| runtime | measured | profile | cases | passed | failed | refused | unsupported | crashed | hung | "
      "operators "
      "explained |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|---|\n";
  for (const MeasuredRuntime& runtime : runtimes) {
    const auto counts = CountVerdicts(runtime.run.cases);
    const auto count = [&](host::Verdict verdict) { return counts[static_cast<size_t>(verdict)]; };
    const auto refused =
        static_cast<int>(std::count_if(runtime.run.cases.begin(), runtime.run.cases.end(), IsRefused));
    const ProfileShare* share = ShareOf(runtime, runtime.run.profile);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                        Cell(runtime.run.backend), runtime.date, Cell(runtime.run.profile),
                        runtime.run.cases.size(), count(host::Verdict::kPass),
                        count(host::Verdict::kFail) - refused, refused, count(host::Verdict::kUnsupported),
                        count(host::Verdict::kCrash), count(host::Verdict::kTimeout),
                        share == nullptr ? "" : fmt::format("{} of {}", share->explained, share->operators));
  }
  return text;
}

std::string RulesCell(const OperatorRules* op) {
  if (op == nullptr) return "";
  if (op->cases == 0) return op->crashed > 0 ? "crashes" : "-";
  std::string text = op->unknown.empty() ? op->rules : "**unknown**";
  if (op->crashed > 0) text += fmt::format("; {} crashed", op->crashed);
  if (op->set_apart > 0) text += fmt::format("; {} set apart", op->set_apart);
  return Cell(text);
}

std::string RulesTable(const std::vector<MeasuredRuntime>& runtimes) {
  std::set<std::string> names;
  std::string head = "| operator |", line = "|---|";
  for (const MeasuredRuntime& runtime : runtimes) {
    head += fmt::format(" {} |", Cell(runtime.name));
    line += "---|";
    for (const OperatorRules& op : runtime.operators) names.insert(op.op);
  }
  std::string text = head + "\n" + line + "\n";
  for (const std::string& name : names) {
    text += fmt::format("| {} |", Cell(name));
    for (const MeasuredRuntime& runtime : runtimes) {
      const auto found = std::find_if(runtime.operators.begin(), runtime.operators.end(),
                                      [&](const OperatorRules& op) { return op.op == name; });
      text += fmt::format(" {} |", RulesCell(found == runtime.operators.end() ? nullptr : &*found));
    }
    text += "\n";
  }
  return text;
}

std::string UnknownList(const std::vector<MeasuredRuntime>& runtimes) {
  std::string text;
  for (const MeasuredRuntime& runtime : runtimes) {
    for (const OperatorRules& op : runtime.operators) {
      if (op.unknown.empty()) continue;
      text += fmt::format("- {}, {}: {}\n", Cell(runtime.name), Cell(op.op), Cell(op.unknown));
    }
  }
  return text.empty() ? "Nothing.\n" : text;
}

// A reason for which cases do not run, by operator: their number, the first one and the runtime's message.
struct Reason {
  int count = 0;
  std::string id, why;
};

std::string ReasonsTable(const std::vector<MeasuredRuntime>& runtimes) {
  std::string text =
      "| runtime | verdict | operator | cases | first | what it says |\n|---|---|---|--:|---|---|\n";
  for (const MeasuredRuntime& runtime : runtimes) {
    std::map<std::pair<std::string, std::string>, Reason> reasons;
    for (const host::CaseResult& result : runtime.run.cases) {
      const bool stopped = result.verdict == host::Verdict::kUnsupported ||
                           result.verdict == host::Verdict::kCrash ||
                           result.verdict == host::Verdict::kTimeout;
      if (!stopped && !IsRefused(result)) continue;
      const std::string verdict = stopped ? host::ToString(result.verdict) : "refused";
      Reason& reason =
          reasons[{verdict, result.id.starts_with(kToBeRefused) ? "(to be refused)" : result.op}];
      if (reason.count++ > 0) continue;
      reason.id = result.id;
      reason.why = stopped ? result.why : result.why.substr(sizeof kRefusedWord - 1);
    }
    for (const auto& [key, reason] : reasons) {
      text += fmt::format("| {} | {} | {} | {} | `{}` | {} |\n", Cell(runtime.name), key.first,
                          Cell(key.second), reason.count, Cell(reason.id), Cell(reason.why, kLongestReason));
    }
  }
  return text;
}

}  // namespace

std::vector<MeasuredRuntime> ReadMeasuredRuntimes(const fs::path& folder) {
  std::vector<MeasuredRuntime> runtimes;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string file = entry.path().filename();
    if (!file.ends_with(kRunEnding)) continue;
    MeasuredRuntime runtime = {.name = file.substr(0, file.size() - (sizeof kRunEnding - 1))};
    host::ResultFile results = host::ParseResultJson(host::ReadFileText(entry.path()), entry.path().string());
    if (!results.conformance) {
      throw host::BadInput(fmt::format(
          "{}: found no cases, required: what `conformance run --results` writes", entry.path().string()));
    }
    runtime.date = results.environment.date.substr(0, 10);
    runtime.run = *std::move(results.conformance);
    ReadFingerprint(folder / (runtime.name + ".identify.json"), &runtime);
    runtimes.push_back(std::move(runtime));
  }
  if (runtimes.empty()) {
    throw host::BadInput(
        fmt::format("{}: found no {}, required: NAME{} and NAME.identify.json for each runtime",
                    folder.string(), kRunEnding, kRunEnding));
  }
  std::sort(runtimes.begin(), runtimes.end(),
            [](const MeasuredRuntime& a, const MeasuredRuntime& b) { return a.name < b.name; });
  return runtimes;
}

std::string RuntimesTables(const std::vector<MeasuredRuntime>& runtimes) {
  return fmt::format("{}\n## Rules\n\n{}\n## Unknown\n\n{}\n## Not run\n\n{}", CountsTable(runtimes),
                     RulesTable(runtimes), UnknownList(runtimes), ReasonsTable(runtimes));
}

std::string WithTables(const std::string& page, const std::string& tables, const std::string& path) {
  const size_t begin = page.find(kTablesBegin);
  if (begin == std::string::npos) {
    throw host::BadInput(
        fmt::format("{}: found no line {:.15}, required: where the tables begin", path, kTablesBegin));
  }
  return page.substr(0, begin + sizeof kTablesBegin - 1) + "\n" + tables;
}

}  // namespace lutra::conformance
