// SPDX-License-Identifier: Apache-2.0
// The natural logarithm in fixed point.

#pragma once

#include <stdint.h>

namespace lutra {

// ln(x) in Q5.26, for x >= 1 in Q12.19, by the rule of TFLite's
// log_x_for_x_greater_than_or_equal_to_1. Smaller x give numbers without meaning.
int32_t LogForXAtLeastOne(int32_t x);

}  // namespace lutra
