// SPDX-License-Identifier: Apache-2.0
// What changed between two sets of results.

#pragma once

#include "reports/report.h"

namespace lutra::reports {

// Four sections, regressions first. `*lost` is how many things went wrong: cases that passed and do not now
// (also those that are gone), models now refused, outputs that changed for the same model and inputs.
Report Compare(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after, int* lost);

}  // namespace lutra::reports
