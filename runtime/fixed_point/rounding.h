// SPDX-License-Identifier: Apache-2.0
// Rounds floating-point numbers to integers without libm, so that every machine gives the same result.

#pragma once

#include <stdint.h>

namespace lutra {

// The nearest integer, ties away from zero. What does not fit saturates; NaN gives 0.
int64_t RoundHalfAway(double x);
int32_t RoundHalfAwayFloat(float x);

// The largest integer that is not above x. floor() of picolibc 1.8 for RISC-V of 32 bits returns -1073741312
// for -1073741823.000001, where -1073741824 is right.
double Floor(double x);

}  // namespace lutra
