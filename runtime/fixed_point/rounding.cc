// SPDX-License-Identifier: Apache-2.0
// Rounding of real numbers to integers, by the rules that TFLite uses.

#include "runtime/fixed_point/rounding.h"

#include <string.h>

namespace lutra {
namespace {

// Rounds a number of the IEEE 754 format that has fraction_bits below the leading one, given as its bits
// without the sign, to an integer of the same width; returns max for numbers of 2^(width - 1) or more.
template <typename Bits>
Bits RoundMagnitude(Bits bits, int fraction_bits, int exponent_bias, Bits max) {
  const Bits leading_one = Bits{1} << fraction_bits;
  const int exponent = static_cast<int>(bits >> fraction_bits) - exponent_bias;
  const Bits fraction = (bits & (leading_one - 1)) | leading_one;
  if (exponent < -1) return 0;
  if (exponent >= static_cast<int>(sizeof(Bits)) * 8 - 1) return max;
  if (exponent >= fraction_bits) return fraction << (exponent - fraction_bits);
  const int dropped_bits = fraction_bits - exponent;
  return (fraction + (Bits{1} << (dropped_bits - 1))) >> dropped_bits;
}

}  // namespace

int64_t RoundHalfAway(double x) {
  if (x != x) return 0;
  uint64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  constexpr uint64_t kMax = INT64_MAX;
  const uint64_t magnitude = RoundMagnitude<uint64_t>(bits & kMax, 52, 1023, kMax);
  if ((bits >> 63) == 0) return static_cast<int64_t>(magnitude);
  return magnitude == kMax ? INT64_MIN : -static_cast<int64_t>(magnitude);
}

int32_t RoundHalfAwayFloat(float x) {
  if (x != x) return 0;
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  constexpr uint32_t kMax = INT32_MAX;
  const uint32_t magnitude = RoundMagnitude<uint32_t>(bits & kMax, 23, 127, kMax);
  if ((bits >> 31) == 0) return static_cast<int32_t>(magnitude);
  return magnitude == kMax ? INT32_MIN : -static_cast<int32_t>(magnitude);
}

double Floor(double x) {
  constexpr double kAllAreWhole = 0x1p52;
  // NaN fails both comparisons.
  if (!(x > -kAllAreWhole && x < kAllAreWhole)) return x;
  const auto whole = static_cast<double>(static_cast<int64_t>(x));
  if (whole == x) return x;  // -0 stays -0.
  return whole > x ? whole - 1 : whole;
}

}  // namespace lutra
