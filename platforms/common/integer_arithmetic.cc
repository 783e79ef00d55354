// SPDX-License-Identifier: Apache-2.0
// Division, and products of 64 bits, for a compiler that calls these functions but has no library for them.
// Their names and types are libgcc's. A quotient by zero has all bits set.

#include <stdint.h>

namespace {

template <typename T>
struct Division {
  T quotient;
  T remainder;
};

// Divides digit by digit, from the first one in which `divisor` fits.
template <typename T>
Division<T> Divide(T dividend, T divisor) {
  if (divisor == 0) return {static_cast<T>(-1), dividend};
  constexpr T kTopBit = static_cast<T>(1) << (sizeof(T) * 8 - 1);
  T digit = 1;
  while (divisor < dividend && (divisor & kTopBit) == 0) {
    divisor <<= 1;
    digit <<= 1;
  }
  T quotient = 0;
  for (; digit != 0; digit >>= 1, divisor >>= 1) {
    if (dividend >= divisor) {
      dividend -= divisor;
      quotient |= digit;
    }
  }
  return {quotient, dividend};
}

template <typename Unsigned, typename Signed>
Unsigned Magnitude(Signed value) {
  return value < 0 ? 0 - static_cast<Unsigned>(value) : static_cast<Unsigned>(value);
}

template <typename Unsigned, typename Signed>
Signed SignedQuotient(Signed dividend, Signed divisor) {
  const Unsigned quotient = Divide(Magnitude<Unsigned>(dividend), Magnitude<Unsigned>(divisor)).quotient;
  return static_cast<Signed>((dividend < 0) != (divisor < 0) ? 0 - quotient : quotient);
}

// Returns all 64 bits, as the sum of four products of halves.
uint64_t Product(uint32_t a, uint32_t b) {
  const uint32_t a_low = a & 0xffff, a_high = a >> 16;
  const uint32_t b_low = b & 0xffff, b_high = b >> 16;
  const uint32_t low = a_low * b_low;
  const uint32_t middle = a_high * b_low + (low >> 16);
  const uint32_t other_middle = a_low * b_high + (middle & 0xffff);
  const uint32_t high = a_high * b_high + (middle >> 16) + (other_middle >> 16);
  return static_cast<uint64_t>(high) << 32 | (other_middle << 16 | (low & 0xffff));
}

}  // namespace

extern "C" {

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor) { return Divide(dividend, divisor).quotient; }
uint32_t __umodsi3(uint32_t dividend, uint32_t divisor) { return Divide(dividend, divisor).remainder; }
int32_t __divsi3(int32_t dividend, int32_t divisor) { return SignedQuotient<uint32_t>(dividend, divisor); }

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor) { return Divide(dividend, divisor).quotient; }
uint64_t __umoddi3(uint64_t dividend, uint64_t divisor) { return Divide(dividend, divisor).remainder; }
int64_t __divdi3(int64_t dividend, int64_t divisor) { return SignedQuotient<uint64_t>(dividend, divisor); }

uint64_t __umulsidi3(uint32_t a, uint32_t b) { return Product(a, b); }

uint64_t __muldi3(uint64_t a, uint64_t b) {
  const auto a_low = static_cast<uint32_t>(a), a_high = static_cast<uint32_t>(a >> 32);
  const auto b_low = static_cast<uint32_t>(b), b_high = static_cast<uint32_t>(b >> 32);
  return Product(a_low, b_low) + (static_cast<uint64_t>(a_low * b_high + a_high * b_low) << 32);
}

}  // extern "C"
