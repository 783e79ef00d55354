// SPDX-License-Identifier: Apache-2.0
// e^x for x <= 0, by the rule of gemmlowp.

#include "runtime/fixed_point/exp.h"

#include "lutra/fixed_point/fixed_point.h"

namespace lutra {
namespace {

// Returns e^x for x in [-1/4, 0), both in Q0.31: the Taylor series about -1/8.
int32_t ExpOnLastQuarter(int32_t x) {
  constexpr int32_t kExpOfMinusEighth = 1895147668;
  constexpr int32_t kOneThird = 715827883;
  const int32_t t = WrappingAdd(x, 1 << 28);
  const int32_t t2 = HighMul(t, t);
  const int32_t t3 = HighMul(t2, t);
  const int32_t t4 = HighMul(t2, t2);
  // t^4 / 24 + t^3 / 6 + t^2 / 2.
  const int32_t t4_over_4_plus_t3 = WrappingAdd(RoundingDivideByPowerOfTwo(t4, 2), t3);
  const int32_t tail = RoundingDivideByPowerOfTwo(WrappingAdd(HighMul(t4_over_4_plus_t3, kOneThird), t2), 1);
  return WrappingAdd(kExpOfMinusEighth, HighMul(kExpOfMinusEighth, WrappingAdd(t, tail)));
}

}  // namespace

int32_t ExpOnNegativeValues(int32_t x, int32_t integer_bits) {
  if (x == 0) return INT32_MAX;
  // Below -32 the result is 0 by rule; formats with fewer integer bits have no such numbers.
  if (integer_bits > 5 && x < -(int32_t{1} << (36 - integer_bits))) return 0;

  const int32_t fraction_bits = 31 - integer_bits;
  const int32_t quarter = int32_t{1} << (fraction_bits - 2);
  const int32_t last_quarter = (x & (quarter - 1)) - quarter;
  int32_t result = ExpOnLastQuarter(WrappingShiftLeft(last_quarter, integer_bits));

  // The rest is a multiple of a quarter: each of its bits multiplies the result by a factor, lowest first:
  // e^-(2^k) in Q0.31 for k = -2 to 4.
  static constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const uint32_t quarters = static_cast<uint32_t>(WrappingSubtract(last_quarter, x)) >> (fraction_bits - 2);
  const int32_t factor_count = integer_bits + 2 < 7 ? integer_bits + 2 : 7;
  for (int32_t i = 0; i < factor_count; ++i) {
    if ((quarters >> i & 1) != 0) result = HighMul(result, kFactors[i]);
  }
  return result;
}

}  // namespace lutra
