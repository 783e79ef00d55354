// SPDX-License-Identifier: Apache-2.0
// Draws what each tensor alone does at each of its widths.

#pragma once

#include <string>
#include <vector>

#include "host/compression_result.h"

namespace lutra::reports {

// An SVG element in the page's colours: tensors from above, bits from left to right, the darker the larger
// the error. A place without an option of that width is left out. At least one tensor.
std::string SensitivitySvg(const std::vector<host::TensorSensitivity>& tensors);

}  // namespace lutra::reports
