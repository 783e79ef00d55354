// SPDX-License-Identifier: Apache-2.0
// Rule V16 computes ADD, and CONV_2D's accumulators, as the first delegate for VTA did. Its multiplier stands
// for value * 2^(shift - 15). The table of profiles (evaluate.cc) names the rule for vta-legacy16.

#pragma once

#include "conformance/oracle/node.h"

namespace lutra::conformance::oracle {

// Returns a value in [2^14, 2^15), or 0 if d < 10^-6 or the shift would be below -15.
Multiplier QuantizeMultiplier16(double d);
// Returns x * value modulo 2^32, as an int32 that is then shifted by 15 - shift: to the right rounding down,
// or to the left modulo 2^32.
int64_t Scale16(int64_t x, Multiplier multiplier);

// Computes ADD of int8.
Codes Legacy16Sum(const Node& node, int8_t activation);

}  // namespace lutra::conformance::oracle
