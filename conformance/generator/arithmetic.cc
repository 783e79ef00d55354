// SPDX-License-Identifier: Apache-2.0
// ADD, SUB, MUL, DIV, SQUARED_DIFFERENCE.

#include <algorithm>

#include "conformance/generator/draw.h"
#include "conformance/generator/two_operands.h"

namespace lutra::conformance {
namespace {

void DrawSumScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  const int exponent = random.Int(-10, 2);
  t->a_scale = DrawScale(random, kind, exponent);
  t->b_scale = DrawScale(random, kind, exponent + random.Int(-reach, reach));
  const int larger = std::ilogb(std::max(t->a_scale, t->b_scale));
  t->out_scale = DrawScale(random, kind, larger + random.Int(reach > 2 ? -2 : -1, 2));
}

constexpr ElementwiseOp kAdd = {.name = "ADD",
                                .append = AppendActivated<edit::AddOptionsT>,
                                .draw_scales = DrawSumScales,
                                .is_large = true,
                                .exhaustive = 6,
                                .separated_rules = 4,
                                .used_bits = 30};
constexpr ElementwiseOp kSub = {.name = "SUB",
                                .append = AppendActivated<edit::SubOptionsT>,
                                .draw_scales = DrawSumScales,
                                .is_large = true,
                                .exhaustive = 6,
                                .used_bits = 30};

void DrawOperandScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  const int exponent = random.Int(-10, 2);
  t->a_scale = DrawScale(random, kind, exponent);
  t->b_scale = DrawScale(random, kind, exponent + random.Int(-reach, reach));
}

void DrawProductScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  DrawOperandScales(random, kind, reach, t);
  const int product = std::ilogb(t->a_scale) + std::ilogb(t->b_scale);
  // The output's scale ranges from one that saturates most products to one that leaves few codes; a product
  // of 16 bits times a multiplier of 2^15 would exceed 32 bits.
  const int above = random.OneIn(4) ? random.Int(-1 - std::min(reach, 8), 3) : random.Int(4, 7 + reach);
  t->out_scale = DrawScale(random, kind, product + above);
}

void DrawQuotientScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  DrawOperandScales(random, kind, reach, t);
  const int quotient = std::ilogb(t->a_scale) - std::ilogb(t->b_scale);
  t->out_scale = DrawScale(random, kind, quotient - random.Int(5, 6 + std::min(reach, 10)));
  // Below 64 or from 2^23 on, a multiplier is not specified for every divisor.
  while (t->a_scale / (t->b_scale * t->out_scale) < 64) t->out_scale /= 2;
}

void DrawSquareScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  DrawOperandScales(random, kind, reach, t);
  const int square = 2 * std::ilogb(std::max(t->a_scale, t->b_scale));
  t->out_scale = DrawScale(random, kind, square + random.Int(6, 9 + reach));
}

// Makes rounding rules of quotients differ. Trials of all divisors and dividends showed that this needs
// halves of odd dividends: one of these divisors, and a multiplier of half of it.
void HalveDividends(Random& random, TwoOperands* t) {
  const int divisor = random.Pick(std::vector<int>{128, 128, 144, 176, 240});
  t->b_scale = std::ldexp(1.0f, random.Int(-8, 0));
  t->out_scale = std::ldexp(1.0f, random.Int(-6, 0));
  t->a_scale = t->b_scale * t->out_scale * static_cast<float>(divisor / 2);
  t->a_values = Values::kRandom;
  t->b_zero = 127 - divisor;
  t->b_values = Values::kHigh;
  t->out_zero = random.Between(-60, 60);
}

constexpr ElementwiseOp kMul = {.name = "MUL",
                                .append = AppendActivated<edit::MulOptionsT>,
                                .draw_scales = DrawProductScales,
                                .is_large = true,
                                .exhaustive = 6,
                                .used_bits = 15};
constexpr ElementwiseOp kDiv = {.name = "DIV",
                                .append = AppendActivated<edit::DivOptionsT>,
                                .draw_scales = DrawQuotientScales,
                                .is_division = true,
                                .sharpen = HalveDividends};
constexpr ElementwiseOp kSquaredDifference = {.name = "SQUARED_DIFFERENCE",
                                              .append = AppendPlain<edit::SquaredDifferenceOptionsT>,
                                              .draw_scales = DrawSquareScales,
                                              .has_activation = false};

}  // namespace

extern const CaseFamilies kArithmeticCases = {
    Family("ADD", GenerateElementwise<kAdd>, GenerateRealElementwise<kAdd>, DrawElementwise<kAdd>),
    Family("SUB", GenerateElementwise<kSub>, GenerateRealElementwise<kSub>, DrawElementwise<kSub>),
    Family("MUL", GenerateElementwise<kMul>, GenerateRealElementwise<kMul>, DrawElementwise<kMul>),
    Family("DIV", GenerateElementwise<kDiv>, GenerateRealElementwise<kDiv>, DrawElementwise<kDiv>),
    Family("SQUARED_DIFFERENCE", GenerateElementwise<kSquaredDifference>,
           GenerateRealElementwise<kSquaredDifference>, DrawElementwise<kSquaredDifference>),
};

}  // namespace lutra::conformance
