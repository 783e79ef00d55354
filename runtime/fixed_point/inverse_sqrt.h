// SPDX-License-Identifier: Apache-2.0
// 1 / sqrt(x) as a multiplier.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/multiplier.h"

namespace lutra {

// Returns 1 / sqrt(x), by the rule of TFLite's GetInvSqrtQuantizedMultiplierExp with reverse_shift -1: the
// shift is 0 or negative, the value not normalised. 0 and negative x count as 1.
Multiplier InverseSqrtMultiplier(int32_t x);

}  // namespace lutra
