// SPDX-License-Identifier: Apache-2.0
// Cases of RESHAPE, SQUEEZE and EXPAND_DIMS, which give the same bytes another shape, and of SHAPE, which
// gives the shape.

#include "conformance/generator/draw.h"
#include "conformance/generator/moves.h"

namespace lutra::conformance {
namespace {

// ---- RESHAPE

// The place in which the new shape is written.
enum class Written : uint8_t { kOperand, kOptions, kBoth };

struct Reshape {
  oracle::Shape from, to;
  Written written = Written::kOperand;
  int open = -1;  // The dimension that is written as -1; -1: none.
  int8_t type = oracle::kInt8;
};

Case MakeReshape(Random& random, const Reshape& reshape) {
  MoveMaker maker(random, reshape.type);
  std::vector<int> inputs = {maker.Moved(reshape.from)};
  oracle::Shape to = reshape.to;
  if (reshape.open >= 0) to[static_cast<size_t>(reshape.open)] = -1;
  if (reshape.written != Written::kOptions) inputs.push_back(maker.List(to));
  maker.Op<edit::ReshapeOptionsT>("RESHAPE", inputs, {maker.Result(reshape.to)}, [&](auto& options) {
    if (reshape.written != Written::kOperand) options.new_shape = to;
  });
  return maker.Made();
}

void GenerateReshape(Series& series) {
  Random& random = series.random;
  const std::vector<Reshape> pairs = {{{1}, {1, 1, 1, 1}},
                                      {{12}, {3, 4}},
                                      {{3, 4}, {12}},
                                      {{2, 3, 5}, {5, 3, 2}},
                                      {{1, 4, 4, 8}, {1, 128}},
                                      {{3, 33}, {3, 1, 3, 11}},
                                      {{2, 3, 4, 5}, {1, 2, 3, 2, 2, 5}},
                                      {{1, 2, 3, 1, 4}, {2, 12}},
                                      {{17}, {17, 1}},
                                      {{1, 31}, {31, 1, 1}},
                                      {{2, 2, 2, 2, 2}, {4, 8}},
                                      {{6, 7}, {6, 7}}};
  for (const Written written : {Written::kOperand, Written::kOptions, Written::kBoth}) {
    constexpr const char* kNames[] = {"operand", "options", "both"};
    const std::string name = kNames[static_cast<int>(written)];
    for (size_t i = 0; i < pairs.size(); ++i) {
      Reshape reshape = pairs[i];
      reshape.written = written;
      const auto rank = static_cast<int64_t>(reshape.to.size());
      // Half of the pairs are also written in the less usual ways.
      if (written == Written::kOperand || i % 2 == 0) series.Add(name, MakeReshape(random, reshape));
      reshape.open = random.Int(0, rank - 1);
      if (written == Written::kOperand ? i % 2 == 1 : i % 6 == 1) {
        series.Add(name + ".open", MakeReshape(random, reshape));
      }
    }
  }
  for (const int8_t type : {oracle::kInt16, oracle::kInt32, oracle::kFloat32}) {
    for (const size_t i : {4, 6}) {
      Reshape reshape = pairs[i];
      reshape.type = type;
      series.Add(TypeGroup(type), MakeReshape(random, reshape));
    }
  }
}

// ---- SQUEEZE

// Drops the dimensions in `axes`, all of which are 1; if it is empty, each dimension of 1.
Case MakeSqueeze(Random& random, const oracle::Shape& shape, const std::vector<int32_t>& axes,
                 int8_t type = oracle::kInt8) {
  const auto rank = static_cast<int32_t>(shape.size());
  std::vector<bool> dropped;
  for (const int32_t dim : shape) dropped.push_back(axes.empty() && dim == 1);
  for (const int32_t axis : axes) dropped[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  oracle::Shape squeezed;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!dropped[d]) squeezed.push_back(shape[d]);
  }
  MoveMaker maker(random, type);
  const int x = maker.Moved(shape);
  maker.Op<edit::SqueezeOptionsT>("SQUEEZE", {x}, {maker.Result(squeezed)},
                                  [&](auto& options) { options.squeeze_dims = axes; });
  return maker.Made();
}

void GenerateSqueeze(Series& series) {
  Random& random = series.random;
  for (const oracle::Shape& shape : {oracle::Shape{1, 7},
                                     {7, 1},
                                     {1, 3, 1},
                                     {2, 1, 3},
                                     {1, 1, 1, 10},
                                     {1, 1, 17, 1},
                                     {2, 3, 4},
                                     {1, 5, 1, 33},
                                     {1, 2, 1, 3, 1},
                                     {1, 1, 2, 1, 1, 3},
                                     {3, 1, 1, 1, 15},
                                     {1, 2, 3, 4, 1}}) {
    series.Add("all", MakeSqueeze(random, shape, {}));
  }
  for (int i = 0; i < 22; ++i) {
    // Drops some of the dimensions of 1; every second time they are counted from the end.
    oracle::Shape shape = RandomShape(random, random.Int(2, 6), 5);
    const auto rank = static_cast<int32_t>(shape.size());
    std::vector<int32_t> axes;
    for (int32_t d = 0; d + 1 < rank; ++d) {
      if (!random.OneIn(2) && !(axes.empty() && d + 2 == rank)) continue;
      shape[static_cast<size_t>(d)] = 1;
      axes.push_back(i % 2 == 0 ? d : d - rank);
    }
    series.Add(i % 2 == 0 ? "some" : "some.from_end", MakeSqueeze(random, shape, axes));
  }
  for (const int8_t type : {oracle::kInt16, oracle::kInt32, oracle::kFloat32}) {
    series.Add(TypeGroup(type), MakeSqueeze(random, {1, 3, 1, 5}, {}, type));
    series.Add(TypeGroup(type), MakeSqueeze(random, {1, 3, 1, 5}, {2}, type));
  }
}

// ---- EXPAND_DIMS

Case MakeExpandDims(Random& random, const oracle::Shape& shape, int32_t axis, int8_t type = oracle::kInt8) {
  oracle::Shape expanded = shape;
  const auto rank = static_cast<int32_t>(shape.size());
  expanded.insert(expanded.begin() + (axis < 0 ? axis + rank + 1 : axis), 1);
  MoveMaker maker(random, type);
  const int x = maker.Moved(shape);
  const int written_axis = maker.Scalar(axis);
  maker.Op<edit::ExpandDimsOptionsT>("EXPAND_DIMS", {x, written_axis}, {maker.Result(expanded)});
  return maker.Made();
}

void GenerateExpandDims(Series& series) {
  Random& random = series.random;
  // Inserts each axis once, counted from either end.
  for (int rank = 1; rank <= 4; ++rank) {
    for (int32_t axis = -rank - 1; axis <= rank; ++axis) {
      if (rank == 4 && axis % 2 != 0) continue;
      series.Add("rank" + std::to_string(rank), MakeExpandDims(random, RandomShape(random, rank, 7), axis));
    }
  }
  for (const int8_t type : {oracle::kInt16, oracle::kFloat32}) {
    for (const int32_t axis : {0, 1, -1}) {
      series.Add(TypeGroup(type), MakeExpandDims(random, {3, 5}, axis, type));
    }
  }
  series.Add("one", MakeExpandDims(random, {1}, 0));
}

// ---- SHAPE

Case MakeShape(Random& random, const oracle::Shape& shape, int8_t type = oracle::kInt8) {
  MoveMaker maker(random, type);
  const int x = maker.Moved(shape);
  const int y = maker.Output({.shape = {static_cast<int32_t>(shape.size())}, .type = oracle::kInt32});
  maker.Op<edit::ShapeOptionsT>("SHAPE", {x}, {y}, [](auto& options) {
    options.out_type = static_cast<decltype(options.out_type)>(oracle::kInt32);
  });
  return maker.Made();
}

void GenerateShape(Series& series) {
  Random& random = series.random;
  for (int rank = 1; rank <= 6; ++rank) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      series.Add("rank" + std::to_string(rank), MakeShape(random, RandomShape(random, rank, 4)));
    }
  }
  series.Add("long", MakeShape(random, {1, 1000}));
  series.Add("long", MakeShape(random, {257, 1, 3}));
  for (const int8_t type : {oracle::kInt16, oracle::kInt32, oracle::kFloat32, oracle::kBool}) {
    series.Add(TypeGroup(type), MakeShape(random, {2, 3, 5}, type));
  }
}

// ---- Real sizes

template <typename Make>
void AddCounts(RealSizes& series, const Make& make) {
  for (const int32_t count : AroundPowers(64, 1024)) series.Add("count", make(series.random, count));
  series.AddSmoke("smoke", make(series.random, 1037));
}

void GenerateRealReshape(RealSizes& series) {
  AddCounts(series, [](Random& random, int32_t count) {
    return MakeReshape(random, {.from = {2, count, 3}, .to = {1, 3, 1, count, 1, 2}, .open = 3});
  });
}
void GenerateRealSqueeze(RealSizes& series) {
  AddCounts(series, [](Random& random, int32_t count) {
    return MakeSqueeze(random, {1, 2, 1, 1, count, 1, 3}, {2, -2});
  });
}
void GenerateRealExpandDims(RealSizes& series) {
  AddCounts(series, [](Random& random, int32_t count) {
    return MakeExpandDims(random, {2, 1, 2, 1, count}, count % 6);
  });
}
void GenerateRealShape(RealSizes& series) {
  AddCounts(series, [](Random& random, int32_t count) {
    return MakeShape(random, {1, 2, 1, 1, 1, 1, count, 2});
  });
}

Case DrawReshape(Random& random) {
  Reshape reshape = {.from = DrawShape(random, 1, 6, DrawBudget(random, kMostElements))};
  // The result has the input's dimensions in another order, some of them multiplied.
  for (const int32_t d : DrawOrder(random, static_cast<int32_t>(reshape.from.size()))) {
    const int32_t dim = reshape.from[static_cast<size_t>(d)];
    if (reshape.to.empty() || random.OneIn(2)) {
      reshape.to.push_back(dim);
    } else {
      reshape.to.back() *= dim;
    }
  }
  if (reshape.to.size() < 6 && random.OneIn(4)) reshape.to.push_back(1);
  reshape.written = static_cast<Written>(random.Int(0, 2));
  if (random.OneIn(3)) reshape.open = random.Int(0, static_cast<int>(reshape.to.size()) - 1);
  reshape.type = DrawMovedType(random);
  return BeyondIf(reshape.type != oracle::kInt8, MakeReshape(random, reshape));
}

Case DrawSqueeze(Random& random) {
  oracle::Shape shape = DrawShape(random, 1, 6, DrawBudget(random, kMostElements));
  const auto rank = static_cast<int32_t>(shape.size());
  std::vector<int32_t> axes;
  for (int32_t d = 0; d < rank; ++d) {
    if (shape[static_cast<size_t>(d)] != 1 || random.OneIn(2)) continue;
    axes.push_back(WrittenAxis(random, d, rank));
  }
  return MakeSqueeze(random, shape, axes);
}

Case DrawExpandDims(Random& random) {
  const oracle::Shape shape = DrawShape(random, 1, 5, DrawBudget(random, kMostElements));
  const auto rank = static_cast<int32_t>(shape.size());
  const int32_t axis = random.Int(0, rank);
  const int8_t type = DrawMovedType(random);
  return BeyondIf(type != oracle::kInt8,
                  MakeExpandDims(random, shape, WrittenAxis(random, axis, rank + 1), type));
}

Case DrawShapeOf(Random& random) {
  const oracle::Shape shape = DrawShape(random, 1, 6, kMostElements);
  return MakeShape(random, shape);
}

}  // namespace

extern const CaseFamilies kShapeCases = {
    Family("RESHAPE", GenerateReshape, GenerateRealReshape, DrawReshape),
    Family("SQUEEZE", GenerateSqueeze, GenerateRealSqueeze, DrawSqueeze),
    Family("EXPAND_DIMS", GenerateExpandDims, GenerateRealExpandDims, DrawExpandDims),
    Family("SHAPE", GenerateShape, GenerateRealShape, DrawShapeOf),
};

}  // namespace lutra::conformance
