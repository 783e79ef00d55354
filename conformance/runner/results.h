// SPDX-License-Identifier: Apache-2.0
// The results of a run: one record, several forms.

#pragma once

#include <array>
#include <map>

#include "conformance/runner/verdict.h"

namespace lutra::conformance {

struct RunResults {
  std::string profile, backend;  // Backend: "<name> <version>" of the adapter.
  std::string command;           // That makes this run again.
  int bound = 0;
  std::vector<CaseResult> cases;  // Sorted by id.
};

std::array<int, kVerdictCount> CountVerdicts(const std::vector<CaseResult>& cases);
// True if nothing failed, crashed or hung.
bool AllWell(const RunResults& results);

// "N cases: N passed, N failed, N unsupported, N crashed, N waived (profile, backend)".
std::string SummaryLine(const RunResults& results);
// A row for each operator.
std::string ResultTable(const RunResults& results);
std::string ResultJson(const RunResults& results);
std::string ResultJunit(const RunResults& results);
// Throws BadInput, naming `path`.
RunResults ParseResults(const std::string& text, const std::string& path);
// Shards of one run put together. Throws BadInput if they are not of one profile and backend, or share
// a case with another verdict.
RunResults Merge(const std::vector<RunResults>& parts);

// A list of cases that are known to fail: [{"id": pattern, "reason": text, "expires": "2027-01-31"}].
struct Waiver {
  std::string pattern, reason, expires;
};
std::vector<Waiver> ReadWaivers(const std::string& path);
// Failures become waived; a waived case that passes fails; expired waivers do nothing. `today`: as in
// `expires`.
void ApplyWaivers(const std::vector<Waiver>& waivers, const std::string& today,
                  std::vector<CaseResult>* cases);

}  // namespace lutra::conformance
