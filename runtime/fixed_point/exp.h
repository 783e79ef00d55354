// SPDX-License-Identifier: Apache-2.0
// The exponential function in fixed point.

#pragma once

#include <stdint.h>

namespace lutra {

// Returns e^x in Q0.31, by the rule of gemmlowp's exp_on_negative_values, for x <= 0 with integer_bits before
// the point and 31 - integer_bits after it; 2^31 - 1 for 0. 0 <= integer_bits <= 29. For positive x the
// result is meaningless.
int32_t ExpOnNegativeValues(int32_t x, int32_t integer_bits);

}  // namespace lutra
