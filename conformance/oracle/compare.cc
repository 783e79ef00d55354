// SPDX-License-Identifier: Apache-2.0
// Comparisons, MAXIMUM, MINIMUM, ARG_MAX, ARG_MIN.

#include <algorithm>
#include <functional>

#include "conformance/oracle/axes.h"
#include "conformance/oracle/broadcast.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// Compares int8 codes as real values, rounded to 1/256; all other elements as they are.
template <typename Relation>
void EvalComparison(const Node& node, const ArithmeticRule& rule) {
  if (node.input(0).type == kFloat32) {
    const std::vector<float> a = node.GetFloats(0), b = node.GetFloats(1);
    const Shape& shape = node.output(0).shape;
    const Broadcast of_a(shape, node.input(0).shape), of_b(shape, node.input(1).shape);
    Codes result(static_cast<size_t>(ElementCount(shape)));
    for (size_t i = 0; i < result.size(); ++i) result[i] = Relation()(a[of_a[i]], b[of_b[i]]) ? 1 : 0;
    return node.Put(0, result);
  }
  if (node.input(0).type != kInt8) {
    return node.Put(0, ForEachPair(node, [](int64_t q1, int64_t q2, size_t) {
                      return int64_t{Relation()(q1, q2) ? 1 : 0};
                    }));
  }
  const Quantization a = QuantizationOf(node.input(0)), b = QuantizationOf(node.input(1));
  if (!(a.scale > 0 && a.scale < 1 && b.scale > 0 && b.scale < 1)) {
    node.Refuse("a scale that is not between 0 and 1");
  }
  const Multiplier m1 = QuantizeMultiplier(double{a.scale}, rule.rounding);
  const Multiplier m2 = QuantizeMultiplier(double{b.scale}, rule.rounding);
  node.Put(0, ForEachPair(node, [&](int64_t q1, int64_t q2, size_t) {
             const int64_t x1 = Scale((q1 - a.zero_point) * 256, m1, rule.rounding);
             const int64_t x2 = Scale((q2 - b.zero_point) * 256, m2, rule.rounding);
             return int64_t{Relation()(x1, x2) ? 1 : 0};
           }));
}

void EvalMaximum(const Node& node, const ArithmeticRule&) {
  node.Put(0, ForEachPair(node, [](int64_t a, int64_t b, size_t) { return std::max(a, b); }));
}

void EvalMinimum(const Node& node, const ArithmeticRule&) {
  node.Put(0, ForEachPair(node, [](int64_t a, int64_t b, size_t) { return std::min(a, b); }));
}

// Returns the index of the best element; of equals, the first.
template <typename Better>
void EvalArg(const Node& node, const ArithmeticRule&) {
  const Shape& shape = node.input(0).shape;
  const size_t axis = Dimension(node, Scalar(node, 1), shape.size());
  const auto count = static_cast<size_t>(shape[axis]);
  const auto inner =
      static_cast<size_t>(ElementCount({shape.begin() + static_cast<int64_t>(axis) + 1, shape.end()}));
  const Codes x = node.Get(0);
  if (x.empty()) node.Refuse("a tensor without elements");
  Codes result(x.size() / count);
  for (size_t i = 0; i < result.size(); ++i) {
    const size_t first = i / inner * count * inner + i % inner;
    size_t best = 0;
    for (size_t k = 1; k < count; ++k) {
      if (Better()(x[first + k * inner], x[first + best * inner])) best = k;
    }
    result[i] = static_cast<int64_t>(best);
  }
  node.Put(0, result);
}

constexpr Operator kComparisonRows[] = {
    {BuiltinOperator::EQUAL, {"xx", "-"}, {kDr, kSr}, EvalComparison<std::equal_to<>>},
    {BuiltinOperator::NOT_EQUAL, {"xx", "-"}, {kDr, kSr}, EvalComparison<std::not_equal_to<>>},
    {BuiltinOperator::GREATER, {"xx", "-"}, {kDr, kSr}, EvalComparison<std::greater<>>},
    {BuiltinOperator::GREATER_EQUAL, {"xx", "-"}, {kDr, kSr}, EvalComparison<std::greater_equal<>>},
    {BuiltinOperator::LESS, {"xx", "-"}, {kDr, kSr}, EvalComparison<std::less<>>},
    {BuiltinOperator::LESS_EQUAL, {"xx", "-"}, {kDr, kSr}, EvalComparison<std::less_equal<>>},
    {BuiltinOperator::MAXIMUM, {"xx", "x"}, {kExact}, EvalMaximum},
    {BuiltinOperator::MINIMUM, {"xx", "x"}, {kExact}, EvalMinimum},
    {BuiltinOperator::ARG_MAX, {"xp", "-"}, {kExact}, EvalArg<std::greater<>>},
    {BuiltinOperator::ARG_MIN, {"xp", "-"}, {kExact}, EvalArg<std::less<>>},
};

}  // namespace

const OperatorFamily kComparisonOperators = kComparisonRows;

}  // namespace lutra::conformance::oracle
