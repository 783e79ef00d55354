// SPDX-License-Identifier: Apache-2.0
// The logistic function and tanh of TensorFlow Lite Micro in 16 bits, by a table of 256 segments.

#pragma once

#include <cstdint>

namespace lutra::conformance::oracle {

// Both functions take y / 12288, and return units of 2^-15.
int64_t Logistic16(int64_t y);
int64_t Tanh16(int64_t y);

}  // namespace lutra::conformance::oracle
