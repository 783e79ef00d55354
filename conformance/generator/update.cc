// SPDX-License-Identifier: Apache-2.0
// Cases of EMBEDDING_LOOKUP, which reads rows of a table by ids, and DYNAMIC_UPDATE_SLICE, which replaces a
// box of a tensor.

#include "conformance/generator/draw.h"
#include "conformance/generator/moves.h"

namespace lutra::conformance {
namespace {

using oracle::Shape;

// ---- EMBEDDING_LOOKUP

struct Lookup {
  Shape table;
  int32_t ids;
  int8_t type = oracle::kInt8;
  bool constant_table = true, constant_ids = false;
};

Case MakeLookup(Random& random, const Lookup& lookup) {
  std::vector<int32_t> ids;
  for (int32_t i = 0; i < lookup.ids; ++i) ids.push_back(random.Int(0, lookup.table[0] - 1));
  Shape result = lookup.table;
  result[0] = lookup.ids;
  MoveMaker maker(random, lookup.type);
  const int picks = maker.Integers(ids, {lookup.ids}, lookup.constant_ids);
  const int table = maker.Moved(lookup.table, lookup.constant_table);
  maker.Op("EMBEDDING_LOOKUP", {picks, table}, {maker.Result(result)});
  return maker.Made();
}

void GenerateLookup(Series& series) {
  const auto add = [&](const std::string& what, const Lookup& lookup) {
    series.Add(what, MakeLookup(series.random, lookup));
  };
  for (const int channels : MovedChannels()) add("row", {{7, channels}, 5});
  for (int rank = 2; rank <= 5; ++rank) {
    Lookup lookup = {RandomShape(series.random, rank, 5), 4};
    lookup.table[0] += 3;
    add("rank" + std::to_string(rank), lookup);
    lookup.constant_table = false;
    add("computed", lookup);
  }
  for (const int8_t type : {oracle::kInt8, oracle::kFloat32}) {
    add(TypeGroup(type), {{9, 5}, 7, type});
    add(TypeGroup(type), {{9, 3, 2}, 7, type, false, true});
  }
  add("one", {{1, 1}, 1});
  add("more_than_rows", {{2, 3}, 40});
}

void GenerateRealLookup(RealSizes& series) {
  Random& random = series.random;
  for (const int32_t count : AroundPowers(64, 1024)) {
    series.Add("row", MakeLookup(random, {{5, count}, 3}));
    series.Add("table", MakeLookup(random, {{count, 5}, 9}));
    series.Add("ids", MakeLookup(random, {{17, 3}, count}));
  }
  series.AddSmoke("smoke", MakeLookup(random, {{261, 9}, 13}));
  series.AddSmoke("smoke", MakeLookup(random, {{5, 3, 67}, 4, oracle::kFloat32, false}));
  Series far = series.Part("far.");
  far.Add("rows", MakeLookup(far.random, {{66067, 1}, 33}));
}

Case DrawLookup(Random& random) {
  Lookup lookup = {DrawShape(random, 2, 5, DrawBudget(random, kMostElements)), DrawSize(random, 64)};
  lookup.type = random.OneIn(4) ? oracle::kFloat32 : oracle::kInt8;
  lookup.constant_table = random.OneIn(2);
  lookup.constant_ids = random.OneIn(4);
  return MakeLookup(random, lookup);
}

// ---- DYNAMIC_UPDATE_SLICE

struct Update {
  Shape shape, update;
  std::vector<int32_t> start;
  int8_t type = oracle::kInt8;
  bool wide = false;  // The start is int64.
  bool constant_start = false, constant_update = false;
};

Case MakeUpdate(Random& random, const Update& u) {
  MoveMaker maker(random, u.type);
  const int x = maker.Moved(u.shape);
  const int update = maker.Moved(u.update, u.constant_update);
  if (u.wide) maker.Widen();
  const int start = maker.Integers(u.start, {static_cast<int32_t>(u.start.size())}, u.constant_start);
  maker.Op<edit::DynamicUpdateSliceOptionsT>("DYNAMIC_UPDATE_SLICE", {x, update, start},
                                             {maker.Result(u.shape)});
  return maker.Made();
}

// Draws a box of at most the tensor's size; one start in `outside_of` lies outside.
Update AnyUpdate(Random& random, const Shape& shape, int outside_of) {
  Update u = {.shape = shape};
  for (const int32_t dim : shape) {
    u.update.push_back(random.OneIn(4) ? dim : random.Int(1, dim));
    const int32_t last = dim - u.update.back();
    u.start.push_back(random.OneIn(outside_of) ? random.Int(-dim - 3, dim + 3) : random.Int(0, last));
  }
  return u;
}

const std::vector<int8_t>& UpdatedTypes() {
  static const std::vector<int8_t> types = {oracle::kInt8, oracle::kInt16, oracle::kInt32, oracle::kFloat32};
  return types;
}

void GenerateUpdate(Series& series) {
  Random& random = series.random;
  for (int rank = 1; rank <= 4; ++rank) {
    for (int i = 0; i < 8; ++i) {
      Shape shape = RandomShape(random, rank, 6);
      for (int32_t& dim : shape) ++dim;
      Update u = AnyUpdate(random, shape, i < 4 ? 1000 : 2);
      u.wide = i % 2 == 1;
      u.constant_start = i % 4 == 3;
      u.constant_update = i % 4 == 2;
      series.Add((i < 4 ? "inside.rank" : "clamped.rank") + std::to_string(rank), MakeUpdate(random, u));
    }
  }
  for (const int8_t type : UpdatedTypes()) {
    for (int i = 0; i < 2; ++i) {
      Update u = AnyUpdate(random, {3, 5, 7}, 3);
      u.type = type;
      series.Add(TypeGroup(type), MakeUpdate(random, u));
    }
  }
  series.Add("whole", MakeUpdate(random, {{3, 4}, {3, 4}, {1, -1}}));
  series.Add("one", MakeUpdate(random, {{5, 4}, {1, 1}, {4, 3}}));
  for (const int32_t far : {INT32_MIN, INT32_MAX}) {
    series.Add("far_outside", MakeUpdate(random, {{5, 4}, {2, 3}, {far, 1}}));
    series.Add("far_outside", MakeUpdate(random, {{5, 4}, {2, 3}, {1, far}, oracle::kInt8, true}));
  }
}

void GenerateRealUpdate(RealSizes& series) {
  Random& random = series.random;
  for (const int32_t count : AroundPowers(64, 1024)) {
    series.Add("row", MakeUpdate(random, AnyUpdate(random, {3, count}, 3)));
    series.Add("column", MakeUpdate(random, AnyUpdate(random, {count, 3}, 3)));
  }
  for (int rank = 5; rank <= 6; ++rank) {
    for (int i = 0; i < 6; ++i) {
      const Shape shape = RandomShape(random, rank, 4);
      series.Add("rank" + std::to_string(rank),
                 BeyondIf(rank > 5, MakeUpdate(random, AnyUpdate(random, shape, 3))));
    }
  }
  series.AddSmoke("smoke", MakeUpdate(random, {{3, 5, 139}, {2, 3, 67}, {1, 9, 70}}));
  series.AddSmoke("smoke", MakeUpdate(random, {{7, 2, 3, 11}, {2, 1, 3, 5}, {5, -1, 0, 4}, oracle::kInt32}));
}

Case DrawUpdate(Random& random) {
  Update u = AnyUpdate(random, DrawShape(random, 1, 5, DrawBudget(random, kMostElements)), 3);
  u.type = random.OneIn(3) ? random.Pick(UpdatedTypes()) : int8_t{oracle::kInt8};
  u.wide = random.OneIn(2);
  u.constant_start = random.OneIn(4);
  u.constant_update = random.OneIn(4);
  return BeyondIf(u.shape.size() > 4, MakeUpdate(random, u));
}

}  // namespace

extern const CaseFamilies kUpdateCases = {
    Family("EMBEDDING_LOOKUP", GenerateLookup, GenerateRealLookup, DrawLookup),
    Family("DYNAMIC_UPDATE_SLICE", GenerateUpdate, GenerateRealUpdate, DrawUpdate),
};

}  // namespace lutra::conformance
