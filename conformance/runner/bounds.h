// SPDX-License-Identifier: Apache-2.0
// Files of bounds: {"schema_version": 1, "bounds": {"CONV_2D": 1}}.

#pragma once

#include <string>

#include "host/conformance_result.h"

namespace lutra::conformance {

// Codes of int8 differ by at most this.
inline constexpr int kLargestBound = 255;
// The name of cases of several operators.
inline constexpr char kComposite[] = "composite";

// Throws BadInput unless every line is the name of an operator (as in reports, "QUANTIZE.float32";
// "composite" for cases of several), once, and a whole number from 0 to 255.
host::Bounds ParseBounds(const std::string& text, const std::string& path);
host::Bounds ReadBounds(const std::string& path);
std::string BoundsJson(const host::Bounds& bounds);

}  // namespace lutra::conformance
