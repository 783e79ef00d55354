// SPDX-License-Identifier: Apache-2.0
// Draws the effect of each tensor alone at each of its widths.

#pragma once

#include <string>
#include <vector>

#include "host/compression_result.h"

namespace lutra::reports {

// Returns an SVG element in the page's colours: tensors from top to bottom, bits from left to right; a larger
// error is darker. Widths without an option are left out. Needs at least one tensor.
std::string SensitivitySvg(const std::vector<host::TensorSensitivity>& tensors);

}  // namespace lutra::reports
