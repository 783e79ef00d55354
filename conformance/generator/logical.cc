// SPDX-License-Identifier: Apache-2.0
// Cases of LOGICAL_AND, LOGICAL_OR and LOGICAL_NOT, which work element by element, and of REDUCE_ALL.

#include "conformance/generator/draw.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

using oracle::Shape;

MadeTensor Truths(const Shape& shape) { return {.shape = shape, .type = oracle::kBool}; }

// Draws truth values; on average one of `of` elements is false.
oracle::Bytes DrawTruths(Random& random, int64_t count, int of = 2) {
  oracle::Bytes truths;
  for (int64_t i = 0; i < count; ++i) truths.push_back(random.OneIn(of) ? 0 : 1);
  return truths;
}

int TruthOperand(Random& random, ModelMaker& maker, const Shape& shape, bool is_constant = false) {
  return maker.Operand(Truths(shape), DrawTruths(random, oracle::ElementCount(shape)), is_constant);
}

// ---- LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT

struct Constants {
  bool a = false, b = false;
};

Case MakePair(Random& random, const char* op, const BroadcastPair& pair, const Constants& constant = {}) {
  ModelMaker maker;
  const int a = TruthOperand(random, maker, pair.a, constant.a);
  const int b = TruthOperand(random, maker, pair.b, constant.b);
  const int result = maker.Output(Truths(BroadcastShape(pair.a, pair.b)));
  if (std::string_view(op) == "LOGICAL_AND") {
    maker.Op<edit::LogicalAndOptionsT>(op, {a, b}, {result});
  } else {
    maker.Op<edit::LogicalOrOptionsT>(op, {a, b}, {result});
  }
  return maker.Made();
}

Case MakeNot(Random& random, const Shape& shape) {
  ModelMaker maker;
  const int x = TruthOperand(random, maker, shape);
  maker.Op<edit::LogicalNotOptionsT>("LOGICAL_NOT", {x}, {maker.Output(Truths(shape))});
  return maker.Made();
}

void GeneratePair(Series& series) {
  const auto add = [&](const char* what, const BroadcastPair& pair, const Constants& constant = {}) {
    series.Add(what, MakePair(series.random, series.op(), pair, constant));
  };
  for (const Shape& shape : ElementwiseShapes()) add("shape", {shape, shape});
  const Shape full = {2, 3, 4, 5};
  for (unsigned mask = 1; mask < 16; ++mask) {
    add("broadcast", {full, WithOnes(full, mask)});
    add("broadcast", {WithOnes(full, mask), WithOnes(full, 15 - mask)});
  }
  add("scalar", {full, {}});
  add("scalar", {{}, full});
  add("fewer_dimensions", {{4, 5}, full});
  add("fewer_dimensions", {full, {3, 1, 5}});
  add("constant", {full, {5}}, {.b = true});
  add("constant", {{4, 1}, full}, {.a = true});
}

void GenerateRealPair(RealSizes& series) {
  Random& random = series.random;
  const auto make = [&](const BroadcastPair& pair) { return MakePair(random, series.op(), pair); };
  for (const int32_t count : AroundPowers(64, 1024)) {
    series.Add("count", make({{count}, {count}}));
    series.Add("row", make({{3, count}, {count}}));
    series.Add("column", make({{3, count}, {3, 1}}));
  }
  for (int rank = 5; rank <= 6; ++rank) {
    for (int i = 0; i < 6; ++i) {
      series.Add("rank" + std::to_string(rank), BeyondIf(rank > 5, make(DrawBroadcast(random, rank, 7))));
    }
  }
  series.AddSmoke("smoke", make({{3, 1, 137}, {3, 5, 137}}));
  series.AddSmoke("smoke", make({{2, 1, 3, 1, 2}, {2, 3, 1, 5, 2}}));
}

void GenerateNot(Series& series) {
  for (const Shape& shape : ElementwiseShapes()) series.Add("shape", MakeNot(series.random, shape));
}

void GenerateRealNot(RealSizes& series) {
  for (const int32_t count : AroundPowers(64, 1024)) series.Add("count", MakeNot(series.random, {count}));
  series.AddSmoke("smoke", MakeNot(series.random, {2, 3, 1, 2, 3, 43}));
}

Case DrawPair(Random& random, const char* op) {
  const BroadcastPair pair = DrawBroadcastPair(random, DrawBudget(random, 512));
  const size_t rank = std::max(pair.a.size(), pair.b.size());
  return BeyondIf(rank > 4, MakePair(random, op, pair, {.a = random.OneIn(6), .b = random.OneIn(6)}));
}

Case DrawNot(Random& random) {
  return MakeNot(random, DrawShape(random, 1, 6, DrawBudget(random, kMostElements)));
}

// ---- REDUCE_ALL

struct Reduction {
  Shape shape;
  std::vector<int32_t> axes;  // As written; negative ones count from the end.
  bool keep_dims = false;
  int false_of = 2;  // The parameter `of` of DrawTruths.
};

Case MakeReduceAll(Random& random, const Reduction& r) {
  const auto rank = static_cast<int32_t>(r.shape.size());
  Shape result = r.shape;
  std::vector<bool> is_reduced(r.shape.size());
  for (const int32_t axis : r.axes) is_reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  for (size_t d = r.shape.size(); d-- > 0;) {
    if (!is_reduced[d]) continue;
    if (r.keep_dims) {
      result[d] = 1;
    } else {
      result.erase(result.begin() + static_cast<std::ptrdiff_t>(d));
    }
  }
  ModelMaker maker;
  const int x = maker.Operand(Truths(r.shape), DrawTruths(random, oracle::ElementCount(r.shape), r.false_of));
  const int axes = maker.Int32Constant(r.axes, {static_cast<int32_t>(r.axes.size())});
  maker.Op<edit::ReducerOptionsT>("REDUCE_ALL", {x, axes}, {maker.Output(Truths(result))},
                                  [&](auto& options) { options.keep_dims = r.keep_dims; });
  return maker.Made();
}

// Returns the parameter `of` with which about half of the results are true.
int FalseOf(const Shape& shape, const std::vector<int32_t>& axes) {
  int64_t count = 1;
  const auto rank = static_cast<int32_t>(shape.size());
  for (const int32_t axis : axes) count *= shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
  return static_cast<int>(1 + count + count / 2);
}

void GenerateReduceAll(Series& series) {
  Random& random = series.random;
  for (int32_t rank = 1; rank <= 4; ++rank) {
    for (unsigned mask = 1; mask < 1u << rank; ++mask) {
      std::vector<int32_t> axes;
      for (int32_t d = 0; d < rank; ++d) {
        if ((mask >> d & 1) != 0) axes.push_back(random.OneIn(3) ? d - rank : d);
      }
      Shape shape;
      for (int32_t d = 0; d < rank; ++d) shape.push_back(random.Int(2, 6));
      for (const bool keep : {false, true}) {
        series.Add("axes.rank" + std::to_string(rank),
                   MakeReduceAll(random, {shape, axes, keep, FalseOf(shape, axes)}));
      }
    }
  }
  series.Add("axes.twice", MakeReduceAll(random, {{3, 4}, {1, -1}, false, 5}));
  for (const int false_of : {1, 1000000}) {
    series.Add("alike", MakeReduceAll(random, {{3, 5, 7}, {1}, false, false_of}));
  }
}

void GenerateRealReduceAll(RealSizes& series) {
  Random& random = series.random;
  const auto add = [&](const char* what, const Shape& shape, const std::vector<int32_t>& axes) {
    series.Add(what, MakeReduceAll(random, {shape, axes, random.OneIn(2), FalseOf(shape, axes)}));
  };
  for (const int32_t count : AroundPowers(64, 1024)) {
    add("row", {7, count}, {1});
    add("column", {count, 7}, {0});
    add("middle", {3, count, 5}, {1});
  }
  series.AddSmoke("smoke", MakeReduceAll(random, {{3, 139, 2}, {1}, false, 200}));
  series.AddSmoke("smoke", MakeReduceAll(random, {{2, 3, 5, 67}, {0, -1}, true, 200}));
}

Case DrawReduceAll(Random& random) {
  Reduction r;
  r.shape = DrawShape(random, 1, 4, DrawBudget(random, kMostElements));
  const auto rank = static_cast<int32_t>(r.shape.size());
  r.axes = DrawSome(random, rank);
  for (int32_t& axis : r.axes) axis = WrittenAxis(random, axis, rank);
  r.keep_dims = random.OneIn(2);
  r.false_of = random.OneIn(3) ? 2 : FalseOf(r.shape, r.axes);
  return MakeReduceAll(random, r);
}

}  // namespace

extern const CaseFamilies kLogicalCases = {
    Family("LOGICAL_AND", GeneratePair, GenerateRealPair,
           [](Random& random) { return DrawPair(random, "LOGICAL_AND"); }),
    Family("LOGICAL_OR", GeneratePair, GenerateRealPair,
           [](Random& random) { return DrawPair(random, "LOGICAL_OR"); }),
    Family("LOGICAL_NOT", GenerateNot, GenerateRealNot, DrawNot),
    Family("REDUCE_ALL", GenerateReduceAll, GenerateRealReduceAll, DrawReduceAll),
};

}  // namespace lutra::conformance
