// SPDX-License-Identifier: Apache-2.0
// The oracle's arithmetic in wide integers, by the definitions of arithmetic.h.

#include "conformance/oracle/arithmetic.h"

#include <cmath>

namespace lutra::conformance::oracle {
namespace {

constexpr int64_t kInt32Max = INT32_MAX;
constexpr int64_t kInt32Min = INT32_MIN;

__extension__ typedef __int128 Wide;

int64_t Saturate(int64_t x) { return Clamp(x, kInt32Min, kInt32Max); }

// Returns (a + b) / 2 of int32, rounded away from zero.
int64_t HalfSum(int64_t a, int64_t b) {
  const int64_t sum = a + b;
  return (sum + (sum >= 0 ? 1 : -1)) / 2;
}

// Returns x * 2^exponent: a shift to the left saturates, one to the right rounds.
int64_t ShiftBoth(int64_t x, int exponent) {
  return exponent >= 0 ? SaturatingShiftLeft(x, exponent) : DivideByPowerOfTwo(x, -exponent);
}

// Returns 1 / (1 + a) in Q2.29, by three steps of Newton's method on half of the denominator.
int64_t NewtonReciprocal(int64_t a) {
  const int64_t half = HalfSum(a, kInt32Max);
  constexpr int64_t k48Over17 = 1515870810;
  constexpr int64_t kMinus32Over17 = -1010580540;
  int64_t x = k48Over17 + HighMul(half, kMinus32Over17);
  for (int i = 0; i < 3; ++i) {
    x += ShiftBoth(HighMul(x, (int64_t{1} << 29) - HighMul(half, x)), 2);
  }
  return x;
}

// Returns exp(a) for a in [-1/4, 0), in Q0.31.
int64_t ExpOnQuarter(int64_t a) {
  constexpr int64_t kExpOfMinusEighth = 1895147668;
  constexpr int64_t kThird = 715827883;
  const int64_t x = a + (int64_t{1} << 28);
  const int64_t x2 = HighMul(x, x);
  const int64_t x3 = HighMul(x2, x);
  const int64_t x4 = HighMul(x2, x2);
  const int64_t tail = DivideByPowerOfTwo(HighMul(DivideByPowerOfTwo(x4, 2) + x3, kThird) + x2, 1);
  return kExpOfMinusEighth + HighMul(kExpOfMinusEighth, x + tail);
}

}  // namespace

int64_t Clamp(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

int64_t Wrap32(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }

int64_t RoundAway(double x) { return std::llround(x); }

int64_t RoundEven(float x) {
  const float rounded = std::floor(x);
  const float rest = x - rounded;  // The difference is exact.
  const auto low = static_cast<int64_t>(rounded);
  if (rest < 0.5f) return low;
  if (rest > 0.5f) return low + 1;
  return low % 2 == 0 ? low : low + 1;
}

Multiplier QuantizeMultiplier(double d, Rounding rounding) {
  if (d == 0) return {};
  Multiplier result;
  result.value = std::llround(std::frexp(d, &result.shift) * 2147483648.0);
  if (result.value == int64_t{1} << 31) {
    result.value /= 2;
    ++result.shift;
  }
  if (result.shift < -31) return {};
  if (rounding == Rounding::kSingle && result.shift > 30) return {kInt32Max, 30};
  return result;
}

int64_t HighMul(int64_t a, int64_t b) {
  return Saturate(static_cast<int64_t>((Wide{a} * b + (Wide{1} << 30)) >> 31));
}

int64_t DivideByPowerOfTwo(int64_t x, int exponent) {
  if (exponent == 0) return x;
  if (exponent > 62) return 0;
  const int64_t half = int64_t{1} << (exponent - 1);
  return x >= 0 ? (x + half) >> exponent : -((-x + half) >> exponent);
}

int64_t Scale(int64_t x, Multiplier multiplier, Rounding rounding) {
  if (rounding == Rounding::kSingle) {
    const int total = 31 - multiplier.shift;
    return Wrap32(static_cast<int64_t>((Wide{x} * multiplier.value + (Wide{1} << (total - 1))) >> total));
  }
  const int left = multiplier.shift > 0 ? multiplier.shift : 0;
  const int right = multiplier.shift > 0 ? 0 : -multiplier.shift;
  const int64_t product = HighMul(Wrap32(x * (int64_t{1} << left)), multiplier.value);
  if (rounding == Rounding::kDouble || right == 0) return DivideByPowerOfTwo(product, right);
  return (product + (int64_t{1} << (right - 1))) >> right;
}

int LeadingZeros(int64_t x) {
  const auto bits = static_cast<uint32_t>(x);
  int zeros = 0;
  for (int i = 31; i >= 0 && (bits >> i & 1) == 0; --i) ++zeros;
  return zeros;
}

int64_t SaturatingShiftLeft(int64_t x, int exponent) { return Saturate(x * (int64_t{1} << exponent)); }

int64_t ExpOnNegative(int64_t a, int integer_bits) {
  const int fraction_bits = 31 - integer_bits;
  const int64_t quarter = int64_t{1} << (fraction_bits - 2);
  const int64_t in_quarter = (a & (quarter - 1)) - quarter;
  int64_t result = ExpOnQuarter(SaturatingShiftLeft(in_quarter, integer_bits));
  const int64_t rest = in_quarter - a;
  // Values of exp(-2^exponent) for exponents -2 to 4, in Q0.31.
  constexpr int64_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  for (int exponent = -2; exponent <= 4; ++exponent) {
    if (integer_bits > exponent && (rest >> (fraction_bits + exponent) & 1) != 0) {
      result = HighMul(result, kFactors[exponent + 2]);
    }
  }
  if (integer_bits > 5 && a < -(int64_t{32} << fraction_bits)) return 0;
  return a == 0 ? kInt32Max : result;
}

int64_t OneOverOnePlus(int64_t a) { return ShiftBoth(NewtonReciprocal(a), 1); }

int64_t OneMinusOverOnePlus(int64_t a) { return ShiftBoth(NewtonReciprocal(a) - (int64_t{1} << 29), 2); }

int64_t Logistic(int64_t a) {
  if (a == 0) return int64_t{1} << 30;
  const int64_t result = OneOverOnePlus(ExpOnNegative(a > 0 ? -a : a, 4));
  return a > 0 ? result : kInt32Max - result;
}

int64_t Tanh(int64_t a) {
  if (a == 0) return 0;
  // exp(-2 |a|) takes the same bits, with one more integer bit.
  const int64_t result = OneMinusOverOnePlus(ExpOnNegative(a > 0 ? -a : a, 5));
  return a > 0 ? result : -result;
}

Reciprocal ReciprocalOf(int64_t x, int integer_bits) {
  const int zeros = LeadingZeros(x);
  const int64_t above_one = (x << zeros) - (int64_t{1} << 31);
  return {OneOverOnePlus(above_one), integer_bits - zeros};
}

// Follows the branch-free form of gemmlowp's users, which takes the better of two ranges around 1.
int64_t LogOfAtLeastOne(int64_t x) {
  constexpr int64_t kLog2 = 1488522236;
  constexpr int64_t kSqrtSqrtHalf = 1805811301;
  constexpr int64_t kSqrtHalf = 1518500250;
  constexpr int64_t kQuarter = int64_t{1} << 23;  // Q6.25.
  constexpr int64_t kAlphaN = 117049297, kAlphaD = 127690142, kAlphaI = 1057819769, kAlphaF = 638450708;
  const int zeros = LeadingZeros(x);
  const int64_t ra = SaturatingShiftLeft(HighMul(SaturatingShiftLeft(x, zeros - 1), kSqrtHalf), 1);
  const int64_t za = Saturate((int64_t{12 - zeros} << 25) + kQuarter);
  const int zeros_b = LeadingZeros(HighMul(x, kSqrtHalf)) - 1;
  const int64_t rb = SaturatingShiftLeft(x, zeros_b);
  const int64_t zb = Saturate((int64_t{12 - zeros_b} << 25) - kQuarter);
  const int64_t r = ra < rb ? ra : rb;
  const int64_t z = za > zb ? za : zb;
  const int64_t p = HalfSum(r, kSqrtSqrtHalf);
  const int64_t q = 2 * (r - kSqrtSqrtHalf);
  const int64_t c = HighMul(q, q);
  const int64_t numerator = HighMul(q, r) + HighMul(HighMul(q, c), kAlphaN);
  const int64_t denominator = HighMul(p, kAlphaI + q + HighMul(kAlphaD, c)) + HighMul(kAlphaF, q);
  const int64_t fraction = HighMul(DivideByPowerOfTwo(numerator, 6), OneOverOnePlus(denominator));
  return SaturatingShiftLeft(HighMul(z, kLog2) + fraction, 1);
}

Multiplier InverseSqrt(int64_t x) {
  if (x <= 1) return {kInt32Max, 0};
  int shift = 11;
  for (; x >= int64_t{1} << 29; ++shift) x /= 4;
  const int pairs = (LeadingZeros(x) - 1) / 2 - 1;
  shift -= pairs;
  x <<= 2 * pairs;
  // Newton's method, in Q3.28.
  const int64_t half = DivideByPowerOfTwo(x >> 1, 1);
  int64_t y = int64_t{1} << 28;
  for (int i = 0; i < 5; ++i) {
    const int64_t cube = ShiftBoth(HighMul(HighMul(y, y), y), 6);
    y = ShiftBoth(HighMul((int64_t{1} << 28) + (int64_t{1} << 27), y) - HighMul(half, cube), 3);
  }
  constexpr int64_t kSqrtHalf = 1518500250;
  int64_t value = HighMul(y, kSqrtHalf);
  if (shift < 0) {
    value <<= -shift;
    shift = 0;
  }
  return {value, -shift};
}

int64_t InputRadius(int integer_bits, int left_shift) {
  return static_cast<int64_t>(
      std::floor(std::ldexp((int64_t{1} << integer_bits) - 1, 31 - integer_bits - left_shift)));
}

}  // namespace lutra::conformance::oracle
