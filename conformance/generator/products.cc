// SPDX-License-Identifier: Apache-2.0
// MUL, DIV, SQUARED_DIFFERENCE.

#include <algorithm>

#include "conformance/generator/two_operands.h"

namespace lutra {
namespace {

void DrawOperandScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  const int exponent = static_cast<int>(random.Between(-10, 2));
  t->a_scale = DrawScale(random, kind, exponent);
  t->b_scale = DrawScale(random, kind, exponent + static_cast<int>(random.Between(-reach, reach)));
}

void DrawProductScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  DrawOperandScales(random, kind, reach, t);
  const int product = std::ilogb(t->a_scale) + std::ilogb(t->b_scale);
  // From multipliers that saturate most products to those that leave few codes; a product of 16 bits times
  // a multiplier of 2^15 would leave 32 bits.
  const int above = random.OneIn(4) ? static_cast<int>(random.Between(-1 - std::min(reach, 8), 3))
                                    : static_cast<int>(random.Between(4, 7 + reach));
  t->out_scale = DrawScale(random, kind, product + above);
}

void DrawQuotientScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  DrawOperandScales(random, kind, reach, t);
  const int quotient = std::ilogb(t->a_scale) - std::ilogb(t->b_scale);
  t->out_scale =
      DrawScale(random, kind, quotient - static_cast<int>(random.Between(5, 6 + std::min(reach, 10))));
  // A multiplier below 64 or from 2^23 is not specified for every divisor.
  while (t->a_scale / (t->b_scale * t->out_scale) < 64) t->out_scale /= 2;
}

void DrawSquareScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  DrawOperandScales(random, kind, reach, t);
  const int square = 2 * std::ilogb(std::max(t->a_scale, t->b_scale));
  t->out_scale = DrawScale(random, kind, square + static_cast<int>(random.Between(3, 7 + reach)));
}

constexpr ElementwiseOp kMul = {.name = "MUL",
                                .append = AppendActivated<edit::MulOptionsT>,
                                .draw_scales = DrawProductScales,
                                .is_large = true,
                                .exhaustive = 6};
constexpr ElementwiseOp kDiv = {.name = "DIV",
                                .append = AppendActivated<edit::DivOptionsT>,
                                .draw_scales = DrawQuotientScales,
                                .is_division = true};
constexpr ElementwiseOp kSquaredDifference = {.name = "SQUARED_DIFFERENCE",
                                              .append = AppendPlain<edit::SquaredDifferenceOptionsT>,
                                              .draw_scales = DrawSquareScales,
                                              .has_activation = false};

}  // namespace

extern const CaseFamily kMulCases = {"int8.mul.", GenerateElementwise<kMul>};
extern const CaseFamily kDivCases = {"int8.div.", GenerateElementwise<kDiv>};
extern const CaseFamily kSquaredDifferenceCases = {"int8.squared_difference.",
                                                   GenerateElementwise<kSquaredDifference>};

}  // namespace lutra
