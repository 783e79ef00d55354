// SPDX-License-Identifier: Apache-2.0
// A curve of bytes against accuracy as a drawing.

#pragma once

#include <string>
#include <vector>

#include "reports/results.h"

namespace lutra::reports {

// An SVG element in the page's colours: the samples that were fitted on, those held out as a broken line
// where they are known, and the result as a dot. At least two points, the fewest bytes first.
std::string ParetoSvg(const std::vector<host::ParetoPoint>& points);

}  // namespace lutra::reports
