// SPDX-License-Identifier: Apache-2.0
// Writes a report in several forms.

#pragma once

#include <string>
#include <vector>

#include "reports/gate.h"
#include "reports/report.h"

namespace lutra::reports {

// Returns one page that needs nothing else: it contains style, script and data.
std::string WriteHtml(const Report& report);
std::string WriteMarkdown(const Report& report);
// Writes a test suite for each run of conformance and each file of models.
std::string WriteJunit(const std::vector<ResultFile>& files);
// Writes a test case for each loss and for each figure.
std::string WriteComparisonJunit(const Comparison& comparison, const Verdicts& verdicts);
std::string WriteComparisonJson(const Comparison& comparison, const Verdicts& verdicts);

}  // namespace lutra::reports
