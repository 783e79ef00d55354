// SPDX-License-Identifier: Apache-2.0
// Cases of FILL and ZEROS_LIKE, which repeat one element, and BROADCAST_ARGS, which gives the shape to which
// two shapes broadcast.

#include "conformance/generator/draw.h"
#include "conformance/generator/moves.h"

namespace lutra::conformance {
namespace {

using oracle::Shape;

// ---- FILL

struct Fill {
  Shape shape;
  int8_t type = oracle::kInt8;
  bool wide = false;  // The dimensions are int64.
};

Case MakeFill(Random& random, const Fill& f) {
  MoveMaker maker(random, f.type);
  const int value = maker.Moved({});
  if (f.wide) maker.Widen();
  const int dims = maker.List(f.shape);
  maker.Op<edit::FillOptionsT>("FILL", {dims, value}, {maker.Result(f.shape)});
  return maker.Made();
}

// Returns the types with which TensorFlow Lite Micro fills.
const std::vector<int8_t>& FilledTypes() {
  static const std::vector<int8_t> types = {oracle::kInt8, oracle::kInt32, oracle::kFloat32};
  return types;
}

void GenerateFill(Series& series) {
  Random& random = series.random;
  for (const Shape& shape : ElementwiseShapes()) series.Add("shape", MakeFill(random, {.shape = shape}));
  for (const int8_t type : FilledTypes()) {
    for (const bool wide : {false, true}) {
      series.Add(TypeGroup(type), MakeFill(random, {{2, 3, 5}, type, wide}));
    }
  }
}

void GenerateRealFill(RealSizes& series) {
  Random& random = series.random;
  for (const int32_t count : AroundPowers(64, 1024)) {
    series.Add("count", MakeFill(random, {.shape = {count}}));
    series.Add("count", MakeFill(random, {.shape = {3, count}, .type = oracle::kInt32}));
  }
  series.AddSmoke("smoke", MakeFill(random, {.shape = {3, 1, 2, 139}}));
  series.AddSmoke("smoke", MakeFill(random, {.shape = {5, 131}, .type = oracle::kFloat32}));
}

Case DrawFill(Random& random) {
  Fill f = {.shape = DrawShape(random, 1, 5, DrawBudget(random, kMostElements))};
  f.type = random.OneIn(3) ? random.Pick(FilledTypes()) : int8_t{oracle::kInt8};
  f.wide = random.OneIn(4);
  return MakeFill(random, f);
}

// ---- ZEROS_LIKE

const std::vector<int8_t>& ZeroedTypes() {
  static const std::vector<int8_t> types = {oracle::kInt8, oracle::kInt32, oracle::kInt64, oracle::kFloat32};
  return types;
}

Case MakeZerosLike(Random& random, const Shape& shape, int8_t type) {
  MoveMaker maker(random, type);
  const int x = maker.Moved(shape);
  maker.Op<edit::ZerosLikeOptionsT>("ZEROS_LIKE", {x}, {maker.Result(shape)});
  return maker.Made();
}

void GenerateZerosLike(Series& series) {
  for (const Shape& shape : ElementwiseShapes()) {
    series.Add("shape", MakeZerosLike(series.random, shape, oracle::kInt8));
  }
  for (const int8_t type : ZeroedTypes()) {
    series.Add(TypeGroup(type), MakeZerosLike(series.random, {2, 3, 5}, type));
  }
}

void GenerateRealZerosLike(RealSizes& series) {
  for (const int32_t count : AroundPowers(64, 1024)) {
    series.Add("count", MakeZerosLike(series.random, {count}, oracle::kInt8));
  }
  series.AddSmoke("smoke", MakeZerosLike(series.random, {3, 1, 2, 139}, oracle::kInt8));
  series.AddSmoke("smoke", MakeZerosLike(series.random, {5, 67}, oracle::kInt64));
}

Case DrawZerosLike(Random& random) {
  const Shape shape = DrawShape(random, 1, 5, DrawBudget(random, kMostElements));
  return MakeZerosLike(random, shape, random.OneIn(3) ? random.Pick(ZeroedTypes()) : int8_t{oracle::kInt8});
}

// ---- BROADCAST_ARGS

struct Shapes {
  BroadcastPair pair;
  bool wide = false;  // The shapes are int64.
  bool a_constant = false, b_constant = false;
};

Case MakeBroadcastArgs(Random& random, const Shapes& s) {
  const int8_t type = s.wide ? oracle::kInt64 : oracle::kInt32;
  MoveMaker maker(random, type);
  if (s.wide) maker.Widen();
  const auto shape = [&](const Shape& dims, bool is_constant) {
    return maker.Integers(dims, {static_cast<int32_t>(dims.size())}, is_constant);
  };
  const int a = shape(s.pair.a, s.a_constant), b = shape(s.pair.b, s.b_constant);
  const auto rank = static_cast<int32_t>(std::max(s.pair.a.size(), s.pair.b.size()));
  maker.Op("BROADCAST_ARGS", {a, b}, {maker.Output({.shape = {rank}, .type = type})});
  return maker.Made();
}

void GenerateBroadcastArgs(Series& series) {
  const auto add = [&](const char* what, const Shapes& shapes) {
    series.Add(what, MakeBroadcastArgs(series.random, shapes));
  };
  const Shape full = {2, 300, 70000, 5};
  for (unsigned mask = 0; mask < 16; ++mask) {
    add("ones", {.pair = {full, WithOnes(full, mask)}});
    add("ones", {.pair = {WithOnes(full, mask), WithOnes(full, 15 - mask)}, .wide = mask % 2 == 1});
  }
  for (size_t rank = 1; rank < full.size(); ++rank) {
    const Shape end(full.end() - static_cast<std::ptrdiff_t>(rank), full.end());
    add("fewer_dimensions", {.pair = {full, end}});
    add("fewer_dimensions", {.pair = {end, full}, .wide = true});
    add("fewer_dimensions", {.pair = {end, WithOnes(full, 3)}, .a_constant = true});
  }
  add("constant", {.pair = {{1, 7}, {3, 1}}, .b_constant = true});
}

void GenerateRealBroadcastArgs(RealSizes& series) {
  for (int rank = 5; rank <= 6; ++rank) {
    for (int i = 0; i < 8; ++i) {
      Shapes s = {.pair = DrawBroadcast(series.random, rank, 1031), .wide = i % 2 == 1};
      series.Add("rank" + std::to_string(rank), MakeBroadcastArgs(series.random, s));
    }
  }
  const Shapes smoke = {.pair = {{3, 1, 1, 70000, 1}, {2, 1, 9}}};
  series.AddSmoke("smoke", MakeBroadcastArgs(series.random, smoke));
}

Case DrawBroadcastArgs(Random& random) {
  Shapes s = {.pair = DrawBroadcastPair(random, 1 << 30)};
  if (s.pair.a.empty()) s.pair.a = {1};
  if (s.pair.b.empty()) s.pair.b = {1};
  s.wide = random.OneIn(2);
  s.a_constant = random.OneIn(4);
  s.b_constant = !s.a_constant && random.OneIn(4);
  return MakeBroadcastArgs(random, s);
}

}  // namespace

extern const CaseFamilies kFillCases = {
    Family("FILL", GenerateFill, GenerateRealFill, DrawFill),
    Family("ZEROS_LIKE", GenerateZerosLike, GenerateRealZerosLike, DrawZerosLike),
    Family("BROADCAST_ARGS", GenerateBroadcastArgs, GenerateRealBroadcastArgs, DrawBroadcastArgs),
};

}  // namespace lutra::conformance
