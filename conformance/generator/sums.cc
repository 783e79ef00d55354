// SPDX-License-Identifier: Apache-2.0
// ADD, SUB.

#include <algorithm>

#include "conformance/generator/two_operands.h"

namespace lutra::conformance {
namespace {

void DrawSumScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  const int exponent = static_cast<int>(random.Between(-10, 2));
  t->a_scale = DrawScale(random, kind, exponent);
  t->b_scale = DrawScale(random, kind, exponent + static_cast<int>(random.Between(-reach, reach)));
  const int larger = std::ilogb(std::max(t->a_scale, t->b_scale));
  t->out_scale = DrawScale(random, kind, larger + static_cast<int>(random.Between(reach > 2 ? -2 : -1, 2)));
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

constexpr CaseFamily kSumsFamilies[] = {
    {"int8.add.", GenerateElementwise<kAdd>, GenerateRealElementwise<kAdd>},
    {"int8.sub.", GenerateElementwise<kSub>, GenerateRealElementwise<kSub>},
};

}  // namespace

extern const CaseFamilies kSumsCases = kSumsFamilies;

}  // namespace lutra::conformance
