// SPDX-License-Identifier: Apache-2.0
// Rule V16 has multipliers of 16 bits and products modulo 2^32, and does not round.

#include "conformance/oracle/legacy16.h"

#include <algorithm>
#include <cmath>

#include "conformance/oracle/broadcast.h"

namespace lutra::conformance::oracle {

Multiplier QuantizeMultiplier16(double d) {
  if (!(d >= 1e-6) || std::isinf(d)) return {};
  Multiplier result;
  result.value = std::llround(std::frexp(d, &result.shift) * 32768.0);
  if (result.value == int64_t{1} << 15) {
    result.value /= 2;
    ++result.shift;
  }
  return result.shift < -15 ? Multiplier{} : result;
}

int64_t Scale16(int64_t x, Multiplier multiplier) {
  const int right = 15 - multiplier.shift;
  const int64_t product = Wrap32(x * multiplier.value);
  if (right >= 0) return product >> right;
  return right <= -32 ? 0 : Wrap32(product * (int64_t{1} << -right));
}

// Adds operands that have seven bits of headroom in 16 bits. Halves below zero are rounded down, and the
// other shifts cut their low bits off.
Codes Legacy16Sum(const Node& node, int8_t activation) {
  constexpr int kHeadroom = 1 << 7, kHalf = 1 << 14;
  const Quantization a = QuantizationOf(node.input(0)), b = QuantizationOf(node.input(1)),
                     out = QuantizationOf(node.output(0));
  const double twice = 2.0 * double{std::max(a.scale, b.scale)};
  const Multiplier m_a = QuantizeMultiplier16(double{a.scale} / twice),
                   m_b = QuantizeMultiplier16(double{b.scale} / twice),
                   m_out = QuantizeMultiplier16(twice / (kHeadroom * double{out.scale}));
  const auto operand = [](int64_t x, Multiplier m) {
    const int64_t product = x * kHeadroom * m.value;
    return (product + (product >= 0 ? kHalf : 1 - kHalf)) >> 15 >> -m.shift;
  };
  const Range range = ActivationRange(activation, out);
  return ForEachPair(node, [&](int64_t q1, int64_t q2, size_t) {
    const int64_t sum = operand(q1 - a.zero_point, m_a) + operand(q2 - b.zero_point, m_b);
    return Clamp(Scale16(sum, m_out) + out.zero_point, range.low, range.high);
  });
}

}  // namespace lutra::conformance::oracle
