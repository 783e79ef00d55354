// SPDX-License-Identifier: Apache-2.0
// The natural logarithm in fixed point.

#pragma once

#include <stdint.h>

namespace lutra {

// Returns ln(x) in Q5.26, for x >= 1 in Q12.19, by the rule of TFLite's
// log_x_for_x_greater_than_or_equal_to_1. For smaller x the result is meaningless.
int32_t LogForXAtLeastOne(int32_t x);

}  // namespace lutra
