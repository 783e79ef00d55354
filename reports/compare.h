// SPDX-License-Identifier: Apache-2.0
// Compares two sets of results.

#pragma once

#include "reports/report.h"

namespace lutra::reports {

// Four sections, regressions first. `*lost` is how many things went wrong: cases that passed and do not now,
// tests of which fewer pass or more fail, models now refused, outputs that changed for the same inputs; and
// what is gone: platforms, models, cases, tests, kernels, evaluations, reports.
Report Compare(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after, int* lost);

}  // namespace lutra::reports
