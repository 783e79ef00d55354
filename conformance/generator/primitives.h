// SPDX-License-Identifier: Apache-2.0
// The steps of the arithmetic as rows of numbers, which can be checked without a model.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lutra::conformance {

struct PrimitiveRow {
  const char* function;
  std::array<int64_t, 3> arguments;  // Unused ones are 0.
  int64_t result;
};

// function              arguments                                   result
// high_mul              a, b                                        floor((a b + 2^30) / 2^31)
// divide_by_power       x, exponent                                 ties away from zero
// scale_dr, scale_sr    x, multiplier, shift                        x m 2^(shift - 31), rounded twice, once
// multiplier, shift     mantissa, exponent                          of the real mantissa * 2^exponent
// exp                   a <= 0, integer bits                        exp(a), Q0.31
// one_over              a in [0, 1), Q0.31                          1 / (1 + a), Q0.31
// logistic, tanh        a, Q4.27                                    Q0.31
// log                   x >= 1, Q12.19                              Q5.26
// reciprocal, ..._shift x > 0, integer bits                         Q0.31, and the shift to the right
// inverse_sqrt, ..._shift   x                                       as a multiplier and its shift
//
// 20,000 rows, alike on every machine.
std::vector<PrimitiveRow> GeneratePrimitives();
// "function,a,b,c,result", a line for each row, with a header.
std::string PrimitivesCsv(const std::vector<PrimitiveRow>& rows);

}  // namespace lutra::conformance
