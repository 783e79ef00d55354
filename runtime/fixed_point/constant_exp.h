// SPDX-License-Identifier: Apache-2.0
// The exponential function for tables that the compiler makes.

#pragma once

namespace lutra {

// Returns exp(x) for |x| <= 16, with an error of about 2^-42 of it.
constexpr double ConstantExp(double x) {
  // (exp(x / 256))^256: with so small an argument few terms of the series suffice.
  const double small = x / 256;
  double power = 1;
  double sum = 1;
  for (int i = 1; i < 14; ++i) {
    power *= small / i;
    sum += power;
  }
  for (int i = 0; i < 8; ++i) sum *= sum;
  return sum;
}

// Rounds to nearest, halves away from zero. |x| < 2^31.
constexpr int ConstantRound(double x) { return static_cast<int>(x < 0 ? x - 0.5 : x + 0.5); }

}  // namespace lutra
