// SPDX-License-Identifier: Apache-2.0
// Shows the results of operators for each backend.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/views.h"

namespace lutra::reports {
namespace {

constexpr size_t kMostCasesShown = 40;
// Bad verdicts come first: the words in a cell have this order.
constexpr host::Verdict kVerdicts[] = {
    host::Verdict::kCrash,       host::Verdict::kTimeout, host::Verdict::kFail, host::Verdict::kWaived,
    host::Verdict::kUnsupported, host::Verdict::kSkip,    host::Verdict::kPass};

// Names the platform; also the backend if the platform has several, and the profile if not all are the same.
std::string ColumnOf(const Backend& backend, const std::vector<Backend>& all) {
  std::string text = backend.platform;
  const auto several =
      std::count_if(all.begin(), all.end(), [&](const Backend& b) { return b.platform == backend.platform; });
  if (several > 1) text += "\n" + backend.name;
  if (several > 1 && !backend.kernels.empty()) text += "\nkernels " + backend.kernels;
  if (std::any_of(all.begin(), all.end(), [&](const Backend& b) { return b.profile != backend.profile; })) {
    text += "\n" + backend.profile;
  }
  if (backend.smoke) text += "\nsmoke";
  return text;
}

// Lists the failing cases; if there are none, each reason for which others did not pass.
std::vector<std::string> Details(const std::vector<const host::CaseResult*>& cases) {
  std::vector<std::string> lines;
  std::map<std::string, int> reasons;
  for (const host::CaseResult* c : cases) {
    if (host::IsBad(c->verdict) || c->verdict == host::Verdict::kWaived) {
      lines.push_back(fmt::format("{}: {}", c->id, Said(*c)));
    } else if (c->verdict != host::Verdict::kPass) {
      ++reasons[Said(*c)];
    }
  }
  if (lines.size() > kMostCasesShown) {
    const size_t more = lines.size() - kMostCasesShown;
    lines.resize(kMostCasesShown);
    lines.push_back(fmt::format("... and {} more, in the result file", Grouped(static_cast<int64_t>(more))));
  }
  for (const auto& [reason, count] : reasons) lines.push_back(fmt::format("{} x {}", count, reason));
  return lines;
}

Cell MatrixCell(const std::vector<const host::CaseResult*>& cases) {
  std::map<host::Verdict, int> counts;
  bool bad = false;
  for (const host::CaseResult* c : cases) {
    ++counts[c->verdict];
    bad = bad || host::IsBad(c->verdict);
  }
  std::string text;
  for (const host::Verdict verdict : kVerdicts) {
    if (!counts.contains(verdict)) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", host::ToString(verdict), Grouped(counts[verdict]));
  }
  const bool all_pass = counts.contains(host::Verdict::kPass) && counts.size() == 1;
  const bool none_runs = !counts.contains(host::Verdict::kPass) && !counts.contains(host::Verdict::kWaived);
  return {.text = text,
          .tone = bad         ? Tone::kBad
                  : all_pass  ? Tone::kGood
                  : none_runs ? Tone::kQuiet
                              : Tone::kWarning,
          .details = Details(cases)};
}

bool AllPass(const std::vector<Cell>& row) {
  return std::all_of(row.begin() + 1, row.end(), [](const Cell& cell) { return cell.tone == Tone::kGood; });
}

// Moves operators that passed everything to a table of their own.
std::vector<Table> WithoutThosePassing(Table table) {
  const auto passing = std::stable_partition(table.rows.begin(), table.rows.end(),
                                             [](const auto& row) { return !AllPass(row); });
  Table folded = {.title = "", .columns = table.columns, .rows = {passing, table.rows.end()}, .folded = true};
  const auto count = static_cast<int64_t>(folded.rows.size());
  table.rows.erase(passing, table.rows.end());
  if (count == 0) return {std::move(table)};
  folded.title = table.rows.empty()
                     ? fmt::format("All {}: every case passes everywhere", Counted(count, "operator"))
                     : fmt::format("{} more: every case passes everywhere", Counted(count, "operator"));
  if (table.rows.empty()) return {std::move(folded)};
  return {std::move(table), std::move(folded)};
}

}  // namespace

Section ConformanceSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "conformance",
      .title = "Conformance",
      .text =
          "Cases of each operator on each backend, by verdict. A cell that can be opened lists the failing "
          "cases, or why others were not run."};
  const std::vector<Backend> backends = Backends(files);
  if (backends.empty()) return section;
  Table table = {.title = "Operators, down; platforms and their backends, across", .columns = {"Operator"}};
  std::set<std::string> operators;
  for (const Backend& backend : backends) {
    table.columns.push_back(ColumnOf(backend, backends));
    for (const auto& [op, cases] : backend.by_operator) operators.insert(op);
  }
  for (const std::string& op : operators) {
    std::vector<Cell> row = {TextCell(op)};
    for (const Backend& backend : backends) {
      const auto place = backend.by_operator.find(op);
      row.push_back(place == backend.by_operator.end() ? TextCell("not run", Tone::kQuiet)
                                                       : MatrixCell(place->second));
    }
    table.rows.push_back(row);
  }
  section.tables = WithoutThosePassing(std::move(table));
  return section;
}

}  // namespace lutra::reports
