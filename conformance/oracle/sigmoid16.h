// SPDX-License-Identifier: Apache-2.0
// Logistic function and tanh of TensorFlow Lite Micro in 16 bits, by a table of 256 segments.

#pragma once

#include <cstdint>

namespace lutra::conformance::oracle {

// Functions of y / 12288 in units of 2^-15.
int64_t Logistic16(int64_t y);
int64_t Tanh16(int64_t y);

}  // namespace lutra::conformance::oracle
