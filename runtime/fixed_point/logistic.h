// SPDX-License-Identifier: Apache-2.0
// Logistic function and hyperbolic tangent, by the rules of gemmlowp's fixedpoint.

#pragma once

#include <stdint.h>

namespace lutra {

// 1 / (1 + e^-x) in Q0.31, for any x in Q4.27.
int32_t Logistic(int32_t x);

// tanh(x) in Q0.31, for any x in Q4.27.
int32_t Tanh(int32_t x);

}  // namespace lutra
