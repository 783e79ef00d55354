// SPDX-License-Identifier: Apache-2.0
// IEEE 754 arithmetic on bit patterns, by integers alone: round to nearest, ties to even, subnormal numbers
// included. A result that is not a number is the first such operand made quiet, or the default one. Nothing
// is signalled.

#pragma once

#include <stdint.h>

namespace lutra::platforms::soft_float {

struct Single {
  using Bits = uint32_t;
  static constexpr int kFractionBits = 23;
  static constexpr int kExponentBits = 8;
};

struct Double {
  using Bits = uint64_t;
  static constexpr int kFractionBits = 52;
  static constexpr int kExponentBits = 11;
};

template <typename Format>
inline constexpr int kLargestExponent = (1 << Format::kExponentBits) - 1;
template <typename Format>
inline constexpr int kBias = kLargestExponent<Format> / 2;
template <typename Format>
inline constexpr typename Format::Bits kSignBit = static_cast<typename Format::Bits>(1)
                                                  << (Format::kFractionBits + Format::kExponentBits);
template <typename Format>
inline constexpr
    typename Format::Bits kFractionMask = (static_cast<typename Format::Bits>(1) << Format::kFractionBits) -
                                          1;

enum class Kind : uint8_t { kZero, kFinite, kInfinite, kNotANumber };

// The number significand * 2^(exponent - 62). A finite one has bit 62 as its highest: bit 63 has room for a
// carry, and below a double's 53 bits are nine more. The lowest of them is set if any lower bit of the exact
// result is: rounding needs no more.
struct Number {
  Kind kind;
  bool negative;
  int exponent;
  uint64_t significand;  // Of a NaN: its fraction, shifted as that of a number.
};

inline constexpr int kTopBit = 62;

inline uint64_t ShiftRightSticky(uint64_t value, int places) {
  if (places == 0) return value;
  if (places >= 64) return value != 0;
  return value >> places | ((value << (64 - places)) != 0);
}

inline Number Normalize(bool negative, int exponent, uint64_t significand) {
  if (significand == 0) return {Kind::kZero, negative, 0, 0};
  if (significand >> (kTopBit + 1) != 0) {
    significand = ShiftRightSticky(significand, 1);
    ++exponent;
  }
  const int places = __builtin_clzll(significand) - (63 - kTopBit);
  return {Kind::kFinite, negative, exponent - places, significand << places};
}

template <typename Format>
Number Unpack(typename Format::Bits bits) {
  const bool negative = (bits & kSignBit<Format>) != 0;
  const int exponent = static_cast<int>(bits >> Format::kFractionBits) & kLargestExponent<Format>;
  constexpr int kShift = kTopBit - Format::kFractionBits;
  const uint64_t fraction = static_cast<uint64_t>(bits & kFractionMask<Format>) << kShift;
  if (exponent == kLargestExponent<Format>) {
    return {fraction == 0 ? Kind::kInfinite : Kind::kNotANumber, negative, 0, fraction};
  }
  if (exponent == 0) return Normalize(negative, 1 - kBias<Format>, fraction);
  return {Kind::kFinite, negative, exponent - kBias<Format>, fraction | 1ull << kTopBit};
}

// Rounds.
template <typename Format>
typename Format::Bits Pack(const Number& number) {
  using Bits = typename Format::Bits;
  constexpr int kShift = kTopBit - Format::kFractionBits;
  constexpr Bits kInfinity = static_cast<Bits>(kLargestExponent<Format>) << Format::kFractionBits;
  constexpr Bits kQuiet = static_cast<Bits>(1) << (Format::kFractionBits - 1);
  const Bits sign = number.negative ? kSignBit<Format> : 0;
  if (number.kind == Kind::kZero) return sign;
  if (number.kind == Kind::kNotANumber) {
    return sign | kInfinity | kQuiet | static_cast<Bits>(number.significand >> kShift);
  }
  int exponent = number.exponent + kBias<Format>;
  if (number.kind == Kind::kInfinite || exponent >= kLargestExponent<Format>) return sign | kInfinity;
  uint64_t significand = number.significand;
  if (exponent <= 0) {
    significand = ShiftRightSticky(significand, 1 - exponent);
    exponent = 1;
  }
  const uint64_t rest = significand & ((1ull << kShift) - 1);
  constexpr uint64_t kHalf = 1ull << (kShift - 1);
  auto rounded = static_cast<Bits>(significand >> kShift);
  if (rest > kHalf || (rest == kHalf && (rounded & 1) != 0)) ++rounded;
  // The highest bit of the significand adds the one that is missing from the exponent here; where a subnormal
  // number has none, the exponent stays 0, and a carry of the rounding moves on to the next, or to infinity.
  return sign | ((static_cast<Bits>(exponent - 1) << Format::kFractionBits) + rounded);
}

inline constexpr Number kDefaultNotANumber = {Kind::kNotANumber, false, 0, 0};

inline Number Add(Number a, Number b) {
  if (a.kind == Kind::kNotANumber) return a;
  if (b.kind == Kind::kNotANumber) return b;
  if (a.kind == Kind::kInfinite) {
    return b.kind == Kind::kInfinite && a.negative != b.negative ? kDefaultNotANumber : a;
  }
  if (b.kind == Kind::kInfinite) return b;
  if (a.kind == Kind::kZero && b.kind == Kind::kZero) {
    a.negative = a.negative && b.negative;
    return a;
  }
  if (a.kind == Kind::kZero) return b;
  if (b.kind == Kind::kZero) return a;
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
    const Number smaller = a;
    a = b;
    b = smaller;
  }
  const uint64_t moved = ShiftRightSticky(b.significand, a.exponent - b.exponent);
  if (a.negative == b.negative) return Normalize(a.negative, a.exponent, a.significand + moved);
  const uint64_t difference = a.significand - moved;
  return Normalize(difference != 0 && a.negative, a.exponent, difference);
}

inline Number Negate(Number a) {
  if (a.kind != Kind::kNotANumber) a.negative = !a.negative;
  return a;
}

inline Number Multiply(const Number& a, const Number& b) {
  if (a.kind == Kind::kNotANumber) return a;
  if (b.kind == Kind::kNotANumber) return b;
  const bool negative = a.negative != b.negative;
  const bool zero = a.kind == Kind::kZero || b.kind == Kind::kZero;
  if (a.kind == Kind::kInfinite || b.kind == Kind::kInfinite) {
    return zero ? kDefaultNotANumber : Number{Kind::kInfinite, negative, 0, 0};
  }
  if (zero) return {Kind::kZero, negative, 0, 0};
  const uint64_t a_low = static_cast<uint32_t>(a.significand), a_high = a.significand >> 32;
  const uint64_t b_low = static_cast<uint32_t>(b.significand), b_high = b.significand >> 32;
  const uint64_t low = a_low * b_low;
  const uint64_t middle = a_high * b_low + (low >> 32);
  const uint64_t other_middle = a_low * b_high + static_cast<uint32_t>(middle);
  const uint64_t high = a_high * b_high + (middle >> 32) + (other_middle >> 32);
  // The product has 125 or 126 bits. It is shifted right by kTopBit, so that 1.0 * 1.0 is 1.0 again.
  const uint64_t below =
      static_cast<uint64_t>(static_cast<uint32_t>(other_middle)) << 32 | static_cast<uint32_t>(low);
  const uint64_t product = high << 2 | below >> kTopBit;
  const bool inexact = (below << 2) != 0;
  return Normalize(negative, a.exponent + b.exponent, product | inexact);
}

inline Number Divide(const Number& a, const Number& b) {
  if (a.kind == Kind::kNotANumber) return a;
  if (b.kind == Kind::kNotANumber) return b;
  const bool negative = a.negative != b.negative;
  if (a.kind == b.kind && a.kind != Kind::kFinite) return kDefaultNotANumber;
  if (a.kind == Kind::kInfinite || b.kind == Kind::kZero) return {Kind::kInfinite, negative, 0, 0};
  if (a.kind == Kind::kZero || b.kind == Kind::kInfinite) return {Kind::kZero, negative, 0, 0};
  // Digit by digit. The first digit is that of 2^0.
  uint64_t rest = a.significand;
  uint64_t quotient = 0;
  for (int bit = kTopBit; bit >= 0; --bit) {
    quotient <<= 1;
    if (rest >= b.significand) {
      rest -= b.significand;
      quotient |= 1;
    }
    rest <<= 1;
  }
  return Normalize(negative, a.exponent - b.exponent, quotient | (rest != 0));
}

inline Number FromInteger(bool negative, uint32_t magnitude) {
  return Normalize(negative && magnitude != 0, kTopBit, magnitude);
}

// Rounds towards zero; a number out of range becomes the nearest integer in range, a NaN 0.
inline uint32_t Magnitude(const Number& number, uint32_t largest) {
  if (number.kind == Kind::kZero || number.kind == Kind::kNotANumber) return 0;
  if (number.kind == Kind::kInfinite || number.exponent > 31) return largest;
  if (number.exponent < 0) return 0;
  const auto magnitude = static_cast<uint32_t>(number.significand >> (kTopBit - number.exponent));
  return magnitude < largest ? magnitude : largest;
}

inline int32_t ToInt32(const Number& number) {
  if (number.negative) return static_cast<int32_t>(0 - Magnitude(number, 0x80000000u));
  return static_cast<int32_t>(Magnitude(number, 0x7fffffffu));
}

inline uint32_t ToUint32(const Number& number) {
  return number.negative ? 0 : Magnitude(number, 0xffffffffu);
}

}  // namespace lutra::platforms::soft_float
