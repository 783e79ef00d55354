// SPDX-License-Identifier: Apache-2.0
// Comparisons, MAXIMUM, MINIMUM, ARG_MAX, ARG_MIN.

#include <algorithm>

#include "conformance/generator/series.h"
#include "conformance/generator/two_operands.h"

namespace lutra::conformance {
namespace {

// Below 1, where comparisons are specified.
void DrawComparedScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  const int largest = kind == Scales::kJustBelow ? 0 : -1;
  const int exponent = static_cast<int>(random.Between(-10, largest));
  const int other = exponent + static_cast<int>(random.Between(-reach, reach));
  t->a_scale = DrawScale(random, kind, exponent);
  t->b_scale = random.OneIn(4) ? t->a_scale : DrawScale(random, kind, std::min(other, largest));
}

void DrawOneScale(Random& random, Scales kind, int reach, TwoOperands* t) {
  t->a_scale = DrawScale(random, kind, static_cast<int>(random.Between(-8 - reach, 2)));
}

template <typename Options>
constexpr ElementwiseOp Comparison(const char* name) {
  return {.name = name,
          .append = AppendPlain<Options>,
          .draw_scales = DrawComparedScales,
          .has_activation = false,
          .gives_bool = true};
}

constexpr ElementwiseOp Choice(const char* name) {
  return {.name = name,
          .append = AppendPlain<edit::MaximumMinimumOptionsT>,
          .draw_scales = DrawOneScale,
          .has_activation = false,
          .same_scales = true,
          .exhaustive = 1};
}

constexpr ElementwiseOp kEqual = Comparison<edit::EqualOptionsT>("EQUAL");
constexpr ElementwiseOp kNotEqual = Comparison<edit::NotEqualOptionsT>("NOT_EQUAL");
constexpr ElementwiseOp kGreater = Comparison<edit::GreaterOptionsT>("GREATER");
constexpr ElementwiseOp kGreaterEqual = Comparison<edit::GreaterEqualOptionsT>("GREATER_EQUAL");
constexpr ElementwiseOp kLess = Comparison<edit::LessOptionsT>("LESS");
constexpr ElementwiseOp kLessEqual = Comparison<edit::LessEqualOptionsT>("LESS_EQUAL");
constexpr ElementwiseOp kMaximum = Choice("MAXIMUM");
constexpr ElementwiseOp kMinimum = Choice("MINIMUM");

// ---- ARG_MAX, ARG_MIN

template <typename Options>
Case MakeArg(Random& random, const char* op, const oracle::Shape& shape, int axis, Values values) {
  ModelMaker maker;
  const int64_t zero = random.ZeroPoint();
  const int x = maker.Input({.shape = shape, .scale = random.Scale(-6, 0), .zero_point = zero});
  const int axis_tensor = maker.Int32Constant({axis}, {});
  oracle::Shape result = shape;
  result.erase(result.begin() + (axis < 0 ? axis + static_cast<int>(shape.size()) : axis));
  const int y = maker.Output({.shape = result, .type = oracle::kInt32});
  maker.Op<Options>(op, {x, axis_tensor}, {y}, [](auto& options) {
    options.output_type = static_cast<decltype(options.output_type)>(oracle::kInt32);
  });
  return {.model = maker.Finish(), .inputs = {MakeCodes(random, oracle::ElementCount(shape), values, zero)}};
}

template <typename Options>
void GenerateArg(const char* op, const CaseSink& sink) {
  Series series(op, sink);
  const std::vector<oracle::Shape> shapes = {{1}, {17}, {300}, {3, 33}, {1, 10}, {2, 5, 16}, {2, 3, 4, 5}};
  for (const oracle::Shape& shape : shapes) {
    const int rank = static_cast<int>(shape.size());
    for (int axis = -rank; axis < rank; ++axis) {
      if (rank > 2 && axis % 2 != 0 && axis != -1) continue;
      series.Add(axis < 0 ? "negative_axis" : "axis",
                 MakeArg<Options>(series.random, op, shape, axis, Values::kRandom));
    }
  }
  // Equals, of which the first counts: all of them, extremes alone, few values.
  for (int kind = 1; kind < kValueKinds; ++kind) {
    const auto values = static_cast<Values>(kind);
    for (const int axis : {1, -1}) {
      series.Add("ties", MakeArg<Options>(series.random, op, {3, 19, 4}, axis, values), {ToString(values)});
    }
  }
}

void GenerateArgMax(const CaseSink& sink) { GenerateArg<edit::ArgMaxOptionsT>("ARG_MAX", sink); }
void GenerateArgMin(const CaseSink& sink) { GenerateArg<edit::ArgMinOptionsT>("ARG_MIN", sink); }

constexpr CaseFamily kCompareFamilies[] = {
    {"int8.equal.", GenerateElementwise<kEqual>},
    {"int8.not_equal.", GenerateElementwise<kNotEqual>},
    {"int8.greater.", GenerateElementwise<kGreater>},
    {"int8.greater_equal.", GenerateElementwise<kGreaterEqual>},
    {"int8.less.", GenerateElementwise<kLess>},
    {"int8.less_equal.", GenerateElementwise<kLessEqual>},
    {"int8.maximum.", GenerateElementwise<kMaximum>},
    {"int8.minimum.", GenerateElementwise<kMinimum>},
    {"int8.arg_max.", GenerateArgMax},
    {"int8.arg_min.", GenerateArgMin},
};

}  // namespace

extern const CaseFamilies kCompareCases = kCompareFamilies;

}  // namespace lutra::conformance
