// SPDX-License-Identifier: Apache-2.0
// The forms of a report.

#pragma once

#include <string>
#include <vector>

#include "reports/gate.h"
#include "reports/report.h"

namespace lutra::reports {

// One page that needs nothing else: style, script and data are in it.
std::string WriteHtml(const Report& report);
std::string WriteMarkdown(const Report& report);
// A test suite for each run of conformance and each file of models.
std::string WriteJunit(const std::vector<ResultFile>& files);
// A case for what was lost and for each figure.
std::string WriteComparisonJunit(const Comparison& comparison, const Verdicts& verdicts);
std::string WriteComparisonJson(const Comparison& comparison, const Verdicts& verdicts);

}  // namespace lutra::reports
