// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers to the nearest integer, ties away from zero, without libm. What does not
// fit saturates; NaN gives 0.

#pragma once

#include <stdint.h>

namespace lutra {

int64_t RoundHalfAway(double x);
int32_t RoundHalfAwayFloat(float x);

}  // namespace lutra
