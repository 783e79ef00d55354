// SPDX-License-Identifier: Apache-2.0
// Cases of TRANSPOSE, REVERSE_V2 and BROADCAST_TO, which reorder or repeat elements.

#include <algorithm>
#include <numeric>

#include "conformance/generator/draw.h"
#include "conformance/generator/moves.h"

namespace lutra::conformance {
namespace {

constexpr int8_t kFirstTypes[] = {oracle::kInt16, oracle::kInt32, oracle::kFloat32};

// ---- TRANSPOSE

Case MakeTranspose(Random& random, const oracle::Shape& shape, const std::vector<int32_t>& order,
                   int8_t type = oracle::kInt8, bool wide_order = false) {
  oracle::Shape result;
  for (const int32_t d : order) result.push_back(shape[static_cast<size_t>(d)]);
  MoveMaker maker(random, type);
  if (wide_order) maker.Widen();
  const int x = maker.Moved(shape);
  const int order_tensor = maker.List(order);
  maker.Op<edit::TransposeOptionsT>("TRANSPOSE", {x, order_tensor}, {maker.Result(result)});
  return maker.Made();
}

std::vector<int32_t> Ascending(int rank) {
  std::vector<int32_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void GenerateTranspose(Series& series) {
  Random& random = series.random;
  // All dimensions differ, in every order.
  const oracle::Shape shape = {2, 3, 5, 4};
  for (int rank = 1; rank <= 4; ++rank) {
    const oracle::Shape first(shape.begin(), shape.begin() + rank);
    std::vector<int32_t> order = Ascending(rank);
    do {
      series.Add("rank" + std::to_string(rank), MakeTranspose(random, first, order));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  for (int i = 0; i < 5; ++i) {
    std::vector<int32_t> order = Ascending(5);
    for (int64_t d = 4; d > 0; --d) {
      std::swap(order[static_cast<size_t>(d)], order[static_cast<size_t>(random.Between(0, d))]);
    }
    series.Add("rank5", MakeTranspose(random, {2, 3, 1, 4, 3}, order));
  }
  series.Add("matrix", MakeTranspose(random, {16, 17}, {1, 0}));
  series.Add("matrix", MakeTranspose(random, {33, 31}, {1, 0}));
  series.Add("matrix", MakeTranspose(random, {3, 8, 15}, {0, 2, 1}));
  series.Add("image", MakeTranspose(random, {1, 7, 5, 16}, {0, 3, 1, 2}));
  series.Add("image", MakeTranspose(random, {2, 16, 3, 3}, {0, 2, 3, 1}));
  series.Add("one", MakeTranspose(random, {1, 1, 1, 1}, {3, 1, 0, 2}));
  for (const int8_t type : {oracle::kInt16, oracle::kFloat32}) {
    series.Add(TypeGroup(type), MakeTranspose(random, {7, 5}, {1, 0}, type));
    series.Add(TypeGroup(type), MakeTranspose(random, {3, 4, 5}, {2, 0, 1}, type));
    series.Add(TypeGroup(type), MakeTranspose(random, {2, 3, 2, 4}, {0, 3, 1, 2}, type));
  }
}

// ---- REVERSE_V2

Case MakeReverse(Random& random, const oracle::Shape& shape, const std::vector<int32_t>& axes,
                 int8_t type = oracle::kInt8) {
  MoveMaker maker(random, type);
  const int x = maker.Moved(shape);
  const int axes_tensor = maker.List(axes);
  maker.Op<edit::ReverseV2OptionsT>("REVERSE_V2", {x, axes_tensor}, {maker.Result(shape)});
  return maker.Made();
}

void GenerateReverseV2(Series& series) {
  Random& random = series.random;
  const oracle::Shape shape = {2, 3, 5, 4};
  for (int rank = 1; rank <= 4; ++rank) {
    for (int32_t axis = 0; axis < rank; ++axis) {
      series.Add("rank" + std::to_string(rank),
                 MakeReverse(random, {shape.begin(), shape.begin() + rank}, {axis}));
    }
  }
  series.Add("length", MakeReverse(random, {33}, {0}));
  series.Add("length", MakeReverse(random, {2, 257}, {1}));
  series.Add("length", MakeReverse(random, {1, 3}, {0}));
  for (const std::vector<int32_t>& axes : {std::vector<int32_t>{0, 1}, {1, 2}, {0, 1, 2, 3}}) {
    series.Add("several", MakeReverse(random, shape, axes));
  }
  for (const int8_t type : kFirstTypes)
    series.Add(TypeGroup(type), MakeReverse(random, {3, 4, 5}, {1}, type));
  series.Add("one", MakeReverse(random, {1}, {0}));
}

// ---- BROADCAST_TO

Case MakeBroadcast(Random& random, const oracle::Shape& from, const oracle::Shape& to,
                   int8_t type = oracle::kInt8) {
  MoveMaker maker(random, type);
  const int x = maker.Moved(from);
  const int shape = maker.List(to);
  maker.Op<edit::BroadcastToOptionsT>("BROADCAST_TO", {x, shape}, {maker.Result(to)});
  return maker.Made();
}

void GenerateBroadcastTo(Series& series) {
  Random& random = series.random;
  const oracle::Shape full = {2, 3, 4, 5};
  for (unsigned mask = 0; mask < 16; ++mask) {
    oracle::Shape from = full;
    for (size_t d = 0; d < 4; ++d) {
      if ((mask >> d & 1) != 0) from[d] = 1;
    }
    series.Add("dimensions", MakeBroadcast(random, from, full));
  }
  for (const oracle::Shape& from : {oracle::Shape{1}, {5}, {1, 5}, {4, 1}, {3, 1, 5}}) {
    series.Add("fewer_dimensions", MakeBroadcast(random, from, full));
  }
  series.Add("rank5", MakeBroadcast(random, {2, 1, 3, 1, 2}, {2, 2, 3, 4, 2}));
  series.Add("rank5", MakeBroadcast(random, {3, 1, 2}, {2, 2, 3, 3, 2}));
  series.Add("row", MakeBroadcast(random, {1, 33}, {17, 33}));
  series.Add("column", MakeBroadcast(random, {33, 1}, {33, 17}));
  series.Add("one", MakeBroadcast(random, {1}, {1}));
  series.Add("scalar", MakeBroadcast(random, {}, {3, 4}));
  for (const int8_t type : kFirstTypes)
    series.Add(TypeGroup(type), MakeBroadcast(random, {3, 1}, {2, 3, 4}, type));
}

// ---- Real sizes

// Returns a random order of the dimensions.
std::vector<int32_t> RandomOrder(Random& random, int rank) {
  std::vector<int32_t> order = Ascending(rank);
  for (int64_t d = rank - 1; d > 0; --d) {
    std::swap(order[static_cast<size_t>(d)], order[static_cast<size_t>(random.Between(0, d))]);
  }
  return order;
}

void AddTransposeTypes(Series series) {
  Random& random = series.random;
  for (const int8_t type : OtherTypes()) {
    series.Add(TypeGroup(type), Beyond(MakeTranspose(random, {35, 67}, {1, 0}, type)));
    series.Add(TypeGroup(type), Beyond(MakeTranspose(random, {5, 3, 131}, {1, 0, 2}, type)));
    series.Add(TypeGroup(type), Beyond(MakeTranspose(random, {2, 3, 4, 3, 5}, {4, 2, 0, 3, 1}, type)));
    series.Add(TypeGroup(type), Beyond(MakeTranspose(random, {2, 3, 2, 5, 3, 4}, {5, 1, 3, 0, 4, 2}, type)));
  }
  series.AddSmoke("smoke", Beyond(MakeTranspose(random, {3, 2, 19, 5}, {2, 0, 3, 1}, oracle::kInt64, true)));
  // Strides exceed 16 bits.
  series.Add("far", MakeTranspose(random, {3, 5, 6567}, {1, 0, 2}));
  series.Add("far", MakeTranspose(random, {2, 3, 41003}, {1, 0, 2}));
}

void GenerateRealTranspose(RealSizes& series) {
  Random& random = series.random;
  const auto fits = [](const SizeList& s) { return Product(s) <= 40'000; };
  for (const SizeList& s : PairedSizes({{4, 1024}, {4, 1024}, {1, 8}}, fits)) {
    series.Add("dims", random.OneIn(2) ? MakeTranspose(random, {s[2], s[0], s[1]}, {0, 2, 1})
                                       : MakeTranspose(random, {s[0], s[1], s[2]}, {1, 0, 2}));
  }
  for (int rank = 5; rank <= 6; ++rank) {
    for (int i = 0; i < 12; ++i) {
      oracle::Shape shape = RandomShape(random, rank, 3);
      for (int32_t& dim : shape) ++dim;
      series.Add("rank" + std::to_string(rank),
                 BeyondIf(rank > 5, MakeTranspose(random, shape, RandomOrder(random, rank))));
    }
  }
  series.Add("network", MakeTranspose(random, {1, 49, 4, 32}, {0, 2, 1, 3}));
  series.Add("network", MakeTranspose(random, {1, 14, 14, 64}, {0, 3, 1, 2}));
  series.AddSmoke("smoke", MakeTranspose(random, {3, 67, 37}, {0, 2, 1}));
  series.AddSmoke("smoke", MakeTranspose(random, {5, 3, 261}, {1, 0, 2}));
  series.AddSmoke("smoke", MakeTranspose(random, {2, 3, 4, 3, 5}, {4, 2, 0, 3, 1}));
  series.AddSmoke("smoke", Beyond(MakeTranspose(random, {2, 3, 2, 5, 3, 4}, {5, 1, 3, 0, 4, 2})));
  series.AddSmoke("smoke", MakeTranspose(random, {19, 35}, {1, 0}, oracle::kFloat32));
  series.AddSmoke("smoke", MakeTranspose(random, {67, 3}, {1, 0}, oracle::kInt16));
  AddTransposeTypes(series.Part("types."));
}

void AddReverseTypes(Series series) {
  Random& random = series.random;
  for (const int8_t type : OtherTypes()) {
    series.Add(TypeGroup(type), Beyond(MakeReverse(random, {3, 131, 2}, {1}, type)));
    series.Add(TypeGroup(type), Beyond(MakeReverse(random, {2, 3, 2, 3, 37}, {4, 1}, type)));
  }
  series.Add("all", MakeReverse(random, {2, 3, 2, 3, 5}, {0, 1, 2, 3, 4}));
  series.Add("all", MakeReverse(random, {2, 3, 2, 3, 2, 5}, {5, 3, 1, 0, 2}));
  series.Add("far", MakeReverse(random, {3, 33001}, {0}));
  series.AddSmoke("smoke", MakeReverse(random, {2, 3, 5, 2, 3}, {3, 0, 4, 2}, oracle::kInt32));
}

void GenerateRealReverseV2(RealSizes& series) {
  Random& random = series.random;
  for (const int32_t size : AroundPowers(64, 1024)) {
    series.Add("length", MakeReverse(random, {2, size}, {1}));
    series.Add("outer", MakeReverse(random, {size, 3}, {0}));
    series.Add("inner", MakeReverse(random, {3, 2, size}, {1}));
  }
  for (int rank = 5; rank <= 6; ++rank) {
    for (int32_t axis = 0; axis < rank; ++axis) {
      oracle::Shape shape = RandomShape(random, rank, 3);
      for (int32_t& dim : shape) ++dim;
      series.Add("rank" + std::to_string(rank), MakeReverse(random, shape, {axis}));
    }
  }
  series.AddSmoke("smoke", MakeReverse(random, {3, 265}, {1}));
  series.AddSmoke("smoke", MakeReverse(random, {2, 3, 5, 135}, {1, 2}));
  series.AddSmoke("smoke", MakeReverse(random, {2, 3, 2, 2, 3, 5}, {1, 2, 4}));
  AddReverseTypes(series.Part("types."));
}

void AddBroadcastTypes(Series series) {
  Random& random = series.random;
  for (const int8_t type : OtherTypes()) {
    series.Add(TypeGroup(type), Beyond(MakeBroadcast(random, {3, 1, 67}, {3, 5, 67}, type)));
    series.Add(TypeGroup(type), Beyond(MakeBroadcast(random, {3, 67, 1}, {3, 67, 35}, type)));
    series.Add(TypeGroup(type), Beyond(MakeBroadcast(random, {2, 1, 3, 1, 2, 1}, {2, 3, 3, 2, 2, 5}, type)));
  }
  series.AddSmoke("smoke", Beyond(MakeBroadcast(random, {3, 1, 2, 1}, {3, 5, 2, 19}, oracle::kInt64)));
}

void GenerateRealBroadcastTo(RealSizes& series) {
  Random& random = series.random;
  for (const int32_t size : AroundPowers(64, 1024)) {
    series.Add("row", MakeBroadcast(random, {1, size}, {3, size}));
    series.Add("column", MakeBroadcast(random, {3, 1}, {3, size}));
    series.Add("outer", MakeBroadcast(random, {1, 3}, {size, 3}));
  }
  for (int rank = 5; rank <= 6; ++rank) {
    for (int i = 0; i < 12; ++i) {
      oracle::Shape to = RandomShape(random, rank, 2);
      for (int32_t& dim : to) ++dim;
      oracle::Shape from = to;
      for (int32_t& dim : from) dim = random.OneIn(2) ? 1 : dim;
      series.Add("rank" + std::to_string(rank), BeyondIf(rank > 5, MakeBroadcast(random, from, to)));
    }
  }
  series.AddSmoke("smoke", MakeBroadcast(random, {3, 1, 139}, {3, 2, 139}));
  series.AddSmoke("smoke", MakeBroadcast(random, {2, 1, 3, 1, 2}, {2, 3, 3, 261, 2}));
  series.AddSmoke("smoke", Beyond(MakeBroadcast(random, {1, 3, 1, 2, 1, 5}, {2, 3, 2, 2, 3, 5})));
  AddBroadcastTypes(series.Part("types."));
}

Case DrawTranspose(Random& random) {
  const oracle::Shape shape = DrawShape(random, 1, 6, DrawBudget(random, kMostElements));
  const std::vector<int32_t> order = DrawOrder(random, static_cast<int32_t>(shape.size()));
  const int8_t type = DrawMovedType(random);
  return BeyondIf(shape.size() > 4 || type != oracle::kInt8, MakeTranspose(random, shape, order, type));
}

Case DrawReverse(Random& random) {
  const oracle::Shape shape = DrawShape(random, 1, 5, DrawBudget(random, kMostElements));
  const std::vector<int32_t> axes = DrawSome(random, static_cast<int32_t>(shape.size()));
  const int8_t type = DrawMovedType(random);
  return BeyondIf(shape.size() > 4 || type != oracle::kInt8, MakeReverse(random, shape, axes, type));
}

Case DrawBroadcastTo(Random& random) {
  const oracle::Shape to = DrawShape(random, 1, 5, DrawBudget(random, kMostElements));
  oracle::Shape from = WithOnes(to, static_cast<unsigned>(random.Int(0, 31)));
  if (random.OneIn(3))
    from.erase(from.begin(), from.begin() + random.Int(0, static_cast<int>(from.size()) - 1));
  const int8_t type = DrawMovedType(random);
  return BeyondIf(to.size() > 4 || type != oracle::kInt8, MakeBroadcast(random, from, to, type));
}

}  // namespace

extern const CaseFamilies kMoveCases = {
    Family("TRANSPOSE", GenerateTranspose, GenerateRealTranspose, DrawTranspose),
    Family("REVERSE_V2", GenerateReverseV2, GenerateRealReverseV2, DrawReverse),
    Family("BROADCAST_TO", GenerateBroadcastTo, GenerateRealBroadcastTo, DrawBroadcastTo),
};

}  // namespace lutra::conformance
