// SPDX-License-Identifier: Apache-2.0
// For tests of layers of int16: the last steps of their formula, as the rules are written.

#pragma once

#include <cstdint>
#include <cstring>

#include "lutra/kernels/conv_2d_int16/conv_2d_int16.h"
#include "runtime/testing/conv_problem.h"

namespace lutra {

// Returns x * m of 16 bits, ties upwards, written as its rule.
inline int32_t WideInOneStep(int64_t x, Multiplier m) {
  const int64_t value = m.value < 0x7FFF0000 ? (m.value + (1 << 15)) >> 16 : 0x7FFF;
  return static_cast<int32_t>((x * value + (int64_t{1} << (14 - m.shift))) >> (15 - m.shift));
}

// Returns the bias of a channel, in the machine's own byte order.
inline int64_t BiasValue(const Int16Bias& bias, int32_t o) {
  if (bias.values == nullptr) return 0;
  const auto read = [&]<typename T>(T value) -> int64_t {
    std::memcpy(&value, static_cast<const T*>(bias.values) + o, sizeof value);
    return value;
  };
  if (bias.element_bytes == 2) return read(int16_t{});
  return bias.element_bytes == 4 ? read(int32_t{}) : read(int64_t{});
}

// Returns a finished sum times its multiplier.
inline int32_t ScaledByFormula(int64_t sum, Multiplier m, bool wide) {
  return wide ? WideInOneStep(sum, m) : RequantizedInTwoSteps(static_cast<int32_t>(sum), m);
}

}  // namespace lutra
