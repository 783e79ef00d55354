// SPDX-License-Identifier: Apache-2.0
// The results of a run in several forms; the record itself is host/conformance_result.h.

#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/runner/manifest.h"
#include "host/conformance_result.h"

namespace lutra::conformance {

std::array<int, host::kVerdictCount> CountVerdicts(const std::vector<host::CaseResult>& cases);
// Returns whether there are cases, none failed, crashed or hung, and at least one model was computed and
// judged, unless every case must be refused.
bool AllWell(const host::ConformanceResult& results);

// "N cases: N passed, N failed, N unsupported, N crashed, N waived (profile, backend)", and of a part
// ", shard 2/16".
std::string SummaryLine(const host::ConformanceResult& results);
// "2 operators never ran: GELU, SVDF" for these names; empty if there are none.
std::string NeverRanLine(const std::vector<std::string>& names);
// "required, and unsupported: ADD (57 cases)": the operators of `required` (names, patterns, or "all") some
// of whose cases the runtime lacks; empty if none. Cases that a runtime may lack do not count. Throws
// BadInput for an operator that has no case here.
std::string UnsupportedLine(const host::ConformanceResult& results, const std::vector<Case>& cases,
                            const std::vector<std::string>& required);
// "324 cases are judged by litert-reference: ..."; empty if the run's profile judged all.
std::string OtherProfileLine(const host::ConformanceResult& results);
// A row for each operator.
std::string ResultTable(const host::ConformanceResult& results);
std::string ResultJson(const host::ConformanceResult& results);
std::string ResultJunit(const host::ConformanceResult& results);
// SARIF 2.1.0 of what failed. `reproducers`: the folder that may have files of these cases; empty: none.
std::string ResultSarif(const host::ConformanceResult& results, const std::filesystem::path& reproducers);

// A list of cases that are known to fail: [{"id": pattern, "reason": text, "expires": "2027-01-31"}].
struct Waiver {
  std::string pattern, reason, expires;
};
std::vector<Waiver> ReadWaivers(const std::string& path);
// Failures become waived; a waived case that passes fails; expired waivers do nothing. `today`: as in
// `expires`.
void ApplyWaivers(const std::vector<Waiver>& waivers, const std::string& today,
                  std::vector<host::CaseResult>* cases);

}  // namespace lutra::conformance
