// SPDX-License-Identifier: Apache-2.0
// For tests of layers of int16: the last steps of their formula, as the rules are written.

#pragma once

#include <cstdint>
#include <cstring>

#include "lutra/kernels/conv_2d_int16/conv_2d_int16.h"
#include "runtime/testing/conv_problem.h"

namespace lutra {

// x * m of 16 bits, ties upwards, as its rule is written.
inline int32_t WideInOneStep(int64_t x, Multiplier m) {
  const int64_t value = m.value < 0x7FFF0000 ? (m.value + (1 << 15)) >> 16 : 0x7FFF;
  return static_cast<int32_t>((x * value + (int64_t{1} << (14 - m.shift))) >> (15 - m.shift));
}

// The bias of a channel, as it lies in memory: little-endian, as hosts are.
inline int64_t BiasValue(const Int16Bias& bias, int32_t o) {
  if (bias.values == nullptr) return 0;
  int64_t value = 0;
  std::memcpy(&value, static_cast<const uint8_t*>(bias.values) + o * bias.element_bytes,
              static_cast<size_t>(bias.element_bytes));
  const int32_t unused = 64 - 8 * bias.element_bytes;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

// A finished sum times its multiplier.
inline int32_t ScaledByFormula(int64_t sum, Multiplier m, bool wide) {
  return wide ? WideInOneStep(sum, m) : RequantizedInTwoSteps(static_cast<int32_t>(sum), m);
}

}  // namespace lutra
