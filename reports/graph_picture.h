// SPDX-License-Identifier: Apache-2.0
// A model's operators as a graph, and its memory plan, as drawings that need no script.
//
//   section.pictures.push_back({"kws: operators", GraphSvg(run)});

#pragma once

#include <string>

#include "reports/results.h"

namespace lutra::reports {

// A box for each operator, below those whose outputs it takes: the darker its left half the longer it takes,
// the darker its right half the more of the arena is in use meanwhile. Pointing at it shows the figures.
// Empty if the result does not tell who reads what.
std::string GraphSvg(const host::ModelResult& run);

// A rectangle for each buffer: from left to right the steps of an inference, from below the bytes of the
// arena. Empty if the result does not tell its plan.
std::string MemoryPlanSvg(const host::ModelResult& run);

}  // namespace lutra::reports
