// SPDX-License-Identifier: Apache-2.0
// A model's operators as a graph, a drawing that needs no script.
//
//   section.pictures.push_back({"kws: operators", GraphSvg(run)});

#pragma once

#include <cstddef>
#include <string>

#include "reports/results.h"

namespace lutra::reports {

// Names of operators are cut to this in the drawing and in the table beside it.
inline constexpr size_t kLongestOperatorName = 60;

// A box for each operator, below those whose outputs it takes: the darker its left half the longer it takes,
// the darker its right half the more of the arena is in use meanwhile. Pointing at it shows the figures.
// Empty if the result does not tell who reads what.
std::string GraphSvg(const host::ModelResult& run);

}  // namespace lutra::reports
