// SPDX-License-Identifier: Apache-2.0
// Cases of comparisons, MAXIMUM, MINIMUM, ARG_MAX, ARG_MIN.

#include <algorithm>

#include "conformance/generator/draw.h"
#include "conformance/generator/moves.h"
#include "conformance/generator/two_operands.h"

namespace lutra::conformance {
namespace {

// Scales are below 1, as comparisons are specified for such scales only.
void DrawComparedScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  const int largest = kind == Scales::kJustBelow ? 0 : -1;
  const int exponent = random.Int(-10, largest);
  const int other = exponent + random.Int(-reach, reach);
  t->a_scale = DrawScale(random, kind, exponent);
  t->b_scale = random.OneIn(4) ? t->a_scale : DrawScale(random, kind, std::min(other, largest));
}

void DrawOneScale(Random& random, Scales kind, int reach, TwoOperands* t) {
  t->a_scale = DrawScale(random, kind, random.Int(-8 - reach, 2));
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

// Makes cases of types other than int8, which have no scale.
Case MakeChoiceOf(Random& random, const char* op, const BroadcastPair& shapes, int8_t type) {
  MoveMaker maker(random, type);
  const int a = maker.Moved(shapes.a), b = maker.Moved(shapes.b);
  const oracle::Shape result = BroadcastShape(shapes.a, shapes.b);
  maker.Op<edit::MaximumMinimumOptionsT>(op, {a, b}, {maker.Result(result)});
  return maker.Made();
}

template <const ElementwiseOp& op>
void GenerateRealComparison(RealSizes& series) {
  GenerateRealElementwiseCases(op, series);
  std::vector<int8_t> types = {oracle::kInt16, oracle::kInt32, oracle::kInt64};
  const std::string_view name = op.name;
  if (name == "EQUAL" || name == "NOT_EQUAL") types.insert(types.begin(), oracle::kBool);
  AddOtherTypes(op, types, series);
}

template <const ElementwiseOp& op>
void GenerateRealChoice(RealSizes& sizes) {
  GenerateRealElementwiseCases(op, sizes);
  Series series = sizes.Part("types.");
  for (const int8_t type : {oracle::kInt16, oracle::kInt32}) {
    const BroadcastPair pair = DrawBroadcast(series.random, 4, 33);
    series.Add(TypeGroup(type), MakeChoiceOf(series.random, op.name, pair, type));
    series.Add(TypeGroup(type), MakeChoiceOf(series.random, op.name, {{7, 37}, {7, 37}}, type));
    series.AddSmoke(TypeGroup(type), MakeChoiceOf(series.random, op.name, {{5, 1, 19}, {5, 3, 1}}, type));
  }
  AddOtherTypes(op, {oracle::kInt64}, sizes);
}

// ---- ARG_MAX, ARG_MIN

template <typename Options>
Case MakeArg(Random& random, const char* op, const oracle::Shape& shape, int axis, Values values,
             int8_t index_type = oracle::kInt32) {
  ModelMaker maker;
  const int64_t zero = random.ZeroPoint();
  const int x = maker.Input({.shape = shape, .scale = random.Scale(-6, 0), .zero_point = zero});
  const int axis_tensor = maker.Int32Constant({axis}, {});
  oracle::Shape result = shape;
  result.erase(result.begin() + (axis < 0 ? axis + static_cast<int>(shape.size()) : axis));
  const int y = maker.Output({.shape = result, .type = index_type});
  maker.Op<Options>(op, {x, axis_tensor}, {y}, [&](auto& options) {
    options.output_type = static_cast<decltype(options.output_type)>(index_type);
  });
  return {.model = maker.Finish(), .inputs = {MakeCodes(random, oracle::ElementCount(shape), values, zero)}};
}

template <typename Options>
void GenerateArg(Series& series) {
  const char* const op = series.op();
  const std::vector<oracle::Shape> shapes = {{1}, {17}, {300}, {3, 33}, {1, 10}, {2, 5, 16}, {2, 3, 4, 5}};
  for (const oracle::Shape& shape : shapes) {
    const int rank = static_cast<int>(shape.size());
    for (int axis = -rank; axis < rank; ++axis) {
      if (rank > 2 && axis % 2 != 0 && axis != -1) continue;
      series.Add(axis < 0 ? "negative_axis" : "axis",
                 MakeArg<Options>(series.random, op, shape, axis, Values::kRandom));
    }
  }
  // Of equal elements the first counts: all are equal, only the extremes occur, or there are few values.
  for (int kind = 1; kind < kValueKinds; ++kind) {
    const auto values = static_cast<Values>(kind);
    for (const int axis : {1, -1}) {
      series.Add("ties", MakeArg<Options>(series.random, op, {3, 19, 4}, axis, values), {ToString(values)});
    }
  }
}

template <typename Options>
void GenerateRealArg(RealSizes& series) {
  const char* const op = series.op();
  const int64_t peak = std::string_view(op) == "ARG_MAX" ? 90 : -90;
  Random& random = series.random;
  const auto make = [&](const oracle::Shape& shape, int axis, Values values) {
    return MakeArg<Options>(random, op, shape, axis, values);
  };
  for (const int32_t count : AroundPowers(64, 1024)) {
    series.Add("count", make({2, count}, 1, Values::kNearZeroPoint));
    series.Add("last", WithPeaks(random, make({2, count}, 1, Values::kRandom), 2, count, peak));
    series.Add("inner", make({3, 5, count}, 1, Values::kRandom));
    series.Add("count", make({count, 3}, 0, Values::kRandom));
  }
  for (int rank = 5; rank <= 6; ++rank) {
    for (int axis = 0; axis < rank; ++axis) {
      series.Add("rank" + std::to_string(rank), make(RandomShape(random, rank, 5), axis, Values::kRandom));
    }
  }
  series.AddSmoke("smoke", make({2, 1033}, 1, Values::kRandom));
  series.AddSmoke("smoke", make({3, 2, 70, 1, 19}, 2, Values::kRandom));
  series.AddSmoke("smoke", WithPeaks(random, make({1, 519}, 1, Values::kRandom), 1, 519, peak));

  Series types = series.Part("types.");
  for (const oracle::Shape& shape : {oracle::Shape{5, 263, 3}, {67, 2, 261}, {3, 33003}}) {
    for (const int axis : {1, -static_cast<int>(shape.size())}) {
      types.Add("type.int64",
                Beyond(MakeArg<Options>(types.random, op, shape, axis, Values::kRandom, oracle::kInt64)));
    }
  }
  types.AddSmoke("smoke",
                 Beyond(MakeArg<Options>(types.random, op, {3, 257, 2}, 1, Values::kRandom, oracle::kInt64)));
}

template <typename Options>
Case DrawArg(Random& random, const char* op) {
  const oracle::Shape shape = DrawShape(random, 1, 5, DrawBudget(random, kMostElements));
  const auto rank = static_cast<int>(shape.size());
  const int axis = WrittenAxis(random, random.Int(0, rank - 1), rank);
  const Values values = DrawValues(random);
  return BeyondIf(rank > 4, MakeArg<Options>(random, op, shape, axis, values));
}

}  // namespace

extern const CaseFamilies kCompareCases = {
    Family("EQUAL", GenerateElementwise<kEqual>, GenerateRealComparison<kEqual>, DrawElementwise<kEqual>),
    Family("NOT_EQUAL", GenerateElementwise<kNotEqual>, GenerateRealComparison<kNotEqual>,
           DrawElementwise<kNotEqual>),
    Family("GREATER", GenerateElementwise<kGreater>, GenerateRealComparison<kGreater>,
           DrawElementwise<kGreater>),
    Family("GREATER_EQUAL", GenerateElementwise<kGreaterEqual>, GenerateRealComparison<kGreaterEqual>,
           DrawElementwise<kGreaterEqual>),
    Family("LESS", GenerateElementwise<kLess>, GenerateRealComparison<kLess>, DrawElementwise<kLess>),
    Family("LESS_EQUAL", GenerateElementwise<kLessEqual>, GenerateRealComparison<kLessEqual>,
           DrawElementwise<kLessEqual>),
    Family("MAXIMUM", GenerateElementwise<kMaximum>, GenerateRealChoice<kMaximum>, DrawElementwise<kMaximum>),
    Family("MINIMUM", GenerateElementwise<kMinimum>, GenerateRealChoice<kMinimum>, DrawElementwise<kMinimum>),
    Family("ARG_MAX", GenerateArg<edit::ArgMaxOptionsT>, GenerateRealArg<edit::ArgMaxOptionsT>,
           [](Random& random) { return DrawArg<edit::ArgMaxOptionsT>(random, "ARG_MAX"); }),
    Family("ARG_MIN", GenerateArg<edit::ArgMinOptionsT>, GenerateRealArg<edit::ArgMinOptionsT>,
           [](Random& random) { return DrawArg<edit::ArgMinOptionsT>(random, "ARG_MIN"); }),
};

}  // namespace lutra::conformance
