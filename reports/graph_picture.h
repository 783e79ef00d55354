// SPDX-License-Identifier: Apache-2.0
// Draws a model's operators as a graph, which needs no script.
//
//   section.pictures.push_back({"kws: operators", GraphSvg(run)});

#pragma once

#include <cstddef>
#include <string>

#include "reports/results.h"

namespace lutra::reports {

// Longer names of operators are cut in the drawing and in the table beside it.
inline constexpr size_t kLongestOperatorName = 60;

// Returns a box for each operator, below the boxes of its inputs: its left half is the darker the longer it
// takes, its right half the darker the more of the arena is in use. Pointing at it shows the figures. Empty
// if the result does not say which operator reads what.
std::string GraphSvg(const host::ModelResult& run);

}  // namespace lutra::reports
