// SPDX-License-Identifier: Apache-2.0
// Cases of GATHER and GATHER_ND, which pick elements or slices by indices.

#include "conformance/generator/draw.h"
#include "conformance/generator/moves.h"

namespace lutra::conformance {
namespace {

// ---- GATHER

struct Gather {
  oracle::Shape shape, indices;
  int axis = 0, batch_dims = 0;
  bool axis_from_end = false, batch_dims_from_end = false;  // They are written as negative numbers.
  bool constant = false;                                    // The indices are a constant.
  int8_t type = oracle::kInt8;
  bool wide = false;  // Indices are int64.
};

Case MakeGather(Random& random, const Gather& gather) {
  const auto rank = static_cast<int32_t>(gather.shape.size());
  const auto indices_rank = static_cast<int32_t>(gather.indices.size());
  oracle::Shape result(gather.shape.begin(), gather.shape.begin() + gather.axis);
  result.insert(result.end(), gather.indices.begin() + gather.batch_dims, gather.indices.end());
  result.insert(result.end(), gather.shape.begin() + gather.axis + 1, gather.shape.end());
  const int32_t dim = gather.shape[static_cast<size_t>(gather.axis)];
  std::vector<int32_t> indices;
  for (int64_t i = 0; i < oracle::ElementCount(gather.indices); ++i) {
    indices.push_back(random.Int(0, dim - 1));
  }
  MoveMaker maker(random, gather.type);
  const int x = maker.Moved(gather.shape);
  if (gather.wide) maker.Widen();
  const int picks = maker.Integers(indices, gather.indices, gather.constant);
  maker.Op<edit::GatherOptionsT>("GATHER", {x, picks}, {maker.Result(result)}, [&](auto& options) {
    options.axis = gather.axis_from_end ? gather.axis - rank : gather.axis;
    options.batch_dims = gather.batch_dims_from_end ? gather.batch_dims - indices_rank : gather.batch_dims;
  });
  return maker.Made();
}

void GenerateGather(Series& series) {
  Random& random = series.random;
  for (int rank = 1; rank <= 4; ++rank) {
    for (int axis = 0; axis < rank; ++axis) {
      for (const bool from_end : {false, true}) {
        Gather gather = {.shape = RandomShape(random, rank, 6), .axis = axis, .axis_from_end = from_end};
        gather.shape[static_cast<size_t>(axis)] += 3;
        gather.indices = {random.Int(1, 8)};
        gather.constant = random.OneIn(2);
        series.Add("axis.rank" + std::to_string(rank), MakeGather(random, gather));
      }
    }
  }
  // Indices have more than one dimension.
  for (const int axis : {0, 1, 2}) {
    Gather gather = {.shape = {4, 5, 3}, .indices = {2, 3}, .axis = axis};
    series.Add("indices.rank2", MakeGather(random, gather));
    gather.indices = {2, 1, 2};
    series.Add("indices.rank3", MakeGather(random, gather));
  }
  series.Add("indices.scalar", MakeGather(random, {.shape = {5, 3}, .axis = 0}));
  series.Add("indices.scalar", MakeGather(random, {.shape = {2, 5, 3}, .axis = 1}));
  // The first dimensions of table and indices are a batch.
  for (const bool from_end : {false, true}) {
    const auto add = [&](Gather gather) {
      gather.batch_dims_from_end = from_end;
      series.Add(from_end ? "batch_dims.from_end" : "batch_dims", MakeGather(random, gather));
    };
    add({.shape = {3, 5}, .indices = {3, 4}, .axis = 1, .batch_dims = 1});
    add({.shape = {3, 5, 4}, .indices = {3, 2}, .axis = 1, .batch_dims = 1});
    add({.shape = {3, 2, 6}, .indices = {3, 4}, .axis = 2, .batch_dims = 1});
    add({.shape = {2, 3, 5}, .indices = {2, 3, 4}, .axis = 2, .batch_dims = 2});
    add({.shape = {2, 3, 5, 2}, .indices = {2, 3, 2}, .axis = 2, .batch_dims = 2});
    add({.shape = {2, 4, 3}, .indices = {2, 2, 2}, .axis = 1, .batch_dims = 1});
  }
  // Blocks have each of these lengths, and rows are read from a table.
  for (const int channels : {15, 16, 17, 33}) {
    series.Add("block", MakeGather(random, {.shape = {7, channels}, .indices = {5}}));
  }
  series.Add("table", MakeGather(random, {.shape = {100, 8}, .indices = {1, 16}}));
  series.Add("table", MakeGather(random, {.shape = {256}, .indices = {40}, .constant = true}));
  series.Add("one", MakeGather(random, {.shape = {1}, .indices = {1}}));
  for (const int axis : {0, 1, 2}) {
    series.Add(
        TypeGroup(oracle::kFloat32),
        MakeGather(random, {.shape = {4, 3, 5}, .indices = {3}, .axis = axis, .type = oracle::kFloat32}));
  }
}

// ---- GATHER_ND

struct GatherNd {
  oracle::Shape shape;
  oracle::Shape positions;  // The shape of the indices without their last dimension.
  int depth = 1;            // The last dimension of the indices.
  bool constant = false;    // The indices are a constant.
  int8_t type = oracle::kInt8;
  bool wide = false;  // Indices are int64.
};

Case MakeGatherNd(Random& random, const GatherNd& gather) {
  oracle::Shape indices_shape = gather.positions;
  indices_shape.push_back(gather.depth);
  oracle::Shape result = gather.positions;
  result.insert(result.end(), gather.shape.begin() + gather.depth, gather.shape.end());
  std::vector<int32_t> indices;
  for (int64_t i = 0; i < oracle::ElementCount(gather.positions); ++i) {
    for (int d = 0; d < gather.depth; ++d) {
      indices.push_back(random.Int(0, gather.shape[static_cast<size_t>(d)] - 1));
    }
  }
  MoveMaker maker(random, gather.type);
  const int x = maker.Moved(gather.shape);
  if (gather.wide) maker.Widen();
  const int picks = maker.Integers(indices, indices_shape, gather.constant);
  maker.Op<edit::GatherNdOptionsT>("GATHER_ND", {x, picks}, {maker.Result(result)});
  return maker.Made();
}

void GenerateGatherNd(Series& series) {
  Random& random = series.random;
  for (int rank = 1; rank <= 5; ++rank) {
    for (int depth = 1; depth <= rank; ++depth) {
      GatherNd gather = {.shape = RandomShape(random, rank, 4), .depth = depth};
      for (int32_t& dim : gather.shape) ++dim;
      gather.positions = RandomShape(random, 1, 8);
      gather.constant = random.OneIn(2);
      series.Add("depth" + std::to_string(depth), MakeGatherNd(random, gather));
    }
  }
  for (const int depth : {1, 2, 3}) {
    series.Add("positions.rank2",
               MakeGatherNd(random, {.shape = {4, 5, 3}, .positions = {2, 3}, .depth = depth}));
    series.Add("positions.rank3",
               MakeGatherNd(random, {.shape = {4, 5, 3}, .positions = {2, 1, 3}, .depth = depth}));
  }
  series.Add("positions.rank0", MakeGatherNd(random, {.shape = {4, 5, 3}, .depth = 1}));
  series.Add("positions.rank0", MakeGatherNd(random, {.shape = {4, 5, 3}, .depth = 2}));
  for (const int channels : {16, 17, 33}) {
    series.Add("block", MakeGatherNd(random, {.shape = {3, 3, channels}, .positions = {5}, .depth = 2}));
  }
  series.Add("one", MakeGatherNd(random, {.shape = {1}, .positions = {1}}));
  for (const int depth : {1, 2, 3}) {
    series.Add(TypeGroup(oracle::kFloat32),
               MakeGatherNd(
                   random, {.shape = {4, 3, 5}, .positions = {4}, .depth = depth, .type = oracle::kFloat32}));
  }
}

// ---- Real sizes

void AddGatherTypes(Series series) {
  Random& random = series.random;
  for (const int8_t type : OtherTypes()) {
    const auto add = [&](Gather gather) {
      gather.type = type;
      series.Add(TypeGroup(type), Beyond(MakeGather(random, gather)));
    };
    add({.shape = {3, 67, 3}, .indices = {19}, .axis = 1});
    add({.shape = {3, 5, 37}, .indices = {3, 4}, .axis = 1, .batch_dims = 1, .constant = true});
    add({.shape = {9, 131}, .indices = {7}, .wide = true});
  }
  // Several dimensions are the batch, and some lie between the batch and the axis.
  for (const bool wide : {false, true}) {
    series.Add("batch", BeyondIf(wide, MakeGather(random, {.shape = {2, 3, 2, 5, 3},
                                                           .indices = {2, 3, 4},
                                                           .axis = 3,
                                                           .batch_dims = 2,
                                                           .wide = wide})));
    series.Add("batch", BeyondIf(wide, MakeGather(random, {.shape = {2, 3, 4, 7},
                                                           .indices = {2, 3, 5},
                                                           .axis = 3,
                                                           .batch_dims = 2,
                                                           .batch_dims_from_end = true,
                                                           .wide = wide})));
  }
  series.Add("far", MakeGather(random, {.shape = {2, 130, 257}, .indices = {5}, .axis = 1}));
  series.Add("far", MakeGather(random, {.shape = {70000}, .indices = {67}}));
  series.AddSmoke(
      "smoke",
      Beyond(MakeGather(
          random,
          {.shape = {2, 3, 2, 11, 3}, .indices = {2, 3, 4}, .axis = 3, .batch_dims = 2, .wide = true})));
}

void GenerateRealGather(RealSizes& series) {
  Random& random = series.random;
  const auto fits = [](const SizeList& s) { return s[0] * s[2] <= 40'000 && s[1] * s[2] <= 40'000; };
  // The sizes are those of the table, of the indices, and of a slice.
  for (const SizeList& s : PairedSizes({{4, 1024}, {1, 1024}, {1, 256}}, fits)) {
    series.Add("dims",
               MakeGather(random, {.shape = {s[0], s[2]}, .indices = {s[1]}, .constant = random.OneIn(2)}));
  }
  for (int rank = 5; rank <= 6; ++rank) {
    for (int axis = 0; axis < rank; ++axis) {
      Gather gather = {.shape = RandomShape(random, rank, 3), .indices = {2, 3}, .axis = axis};
      gather.indices.resize(rank == 5 ? 2 : 1);
      ++gather.shape[static_cast<size_t>(axis)];
      series.Add("rank" + std::to_string(rank), MakeGather(random, gather));
    }
  }
  for (const int32_t outer : AroundPowers(64, 1024)) {
    series.Add("outer", MakeGather(random, {.shape = {outer, 5, 2}, .indices = {3}, .axis = 1}));
  }
  series.AddSmoke("smoke", MakeGather(random, {.shape = {3, 525, 2}, .indices = {141}, .axis = 1}));
  series.AddSmoke("smoke", MakeGather(random, {.shape = {131, 9}, .indices = {37}, .constant = true}));
  series.AddSmoke("smoke",
                  MakeGather(random, {.shape = {5, 3, 135}, .indices = {5, 4}, .axis = 1, .batch_dims = 1}));
  series.AddSmoke("smoke", MakeGather(random, {.shape = {2, 3, 2, 7, 2}, .indices = {2, 3}, .axis = 3}));
  // Indices of int64 exceed 7, 8 and 16 bits.
  for (const int32_t entries : {129, 257, 32769, 65537}) {
    for (const bool constant : {false, true}) {
      series.Add("wide",
                 Beyond(MakeGather(
                     random, {.shape = {entries}, .indices = {97}, .constant = constant, .wide = true})));
    }
  }
  AddGatherTypes(series.Part("types."));
}

void AddGatherNdTypes(Series series) {
  Random& random = series.random;
  for (const int8_t type : OtherTypes()) {
    series.Add(TypeGroup(type), Beyond(MakeGatherNd(random, {.shape = {3, 67, 3},
                                                             .positions = {19},
                                                             .depth = 2,
                                                             .constant = true,
                                                             .type = type,
                                                             .wide = true})));
    series.Add(TypeGroup(type),
               Beyond(MakeGatherNd(
                   random, {.shape = {2, 3, 4, 5, 7}, .positions = {3, 5}, .depth = 4, .type = type})));
  }
  series.Add("far", MakeGatherNd(random, {.shape = {1031, 67, 2}, .positions = {67}, .depth = 2}));
  series.AddSmoke(
      "smoke",
      Beyond(MakeGatherNd(random, {.shape = {2, 5, 3, 4, 3}, .positions = {17}, .depth = 4, .wide = true})));
}

void GenerateRealGatherNd(RealSizes& series) {
  Random& random = series.random;
  const auto fits = [](const SizeList& s) { return s[0] * 3 * s[2] <= 40'000 && s[1] * s[2] <= 40'000; };
  for (const SizeList& s : PairedSizes({{4, 1024}, {1, 1024}, {1, 256}}, fits)) {
    const GatherNd gather = {
        .shape = {3, s[0], s[2]}, .positions = {s[1]}, .depth = 2, .constant = random.OneIn(2)};
    series.Add("dims", MakeGatherNd(random, gather));
  }
  for (int depth = 1; depth <= 6; ++depth) {
    series.Add(
        "rank6",
        BeyondIf(depth > 5,
                 MakeGatherNd(random, {.shape = {2, 3, 2, 4, 3, 2}, .positions = {9}, .depth = depth})));
  }
  series.AddSmoke("smoke", MakeGatherNd(random, {.shape = {3, 523, 2}, .positions = {137}, .depth = 2}));
  series.AddSmoke("smoke",
                  MakeGatherNd(random, {.shape = {2, 3, 2, 5, 3}, .positions = {13, 2}, .depth = 5}));
  series.AddSmoke("smoke", MakeGatherNd(random, {.shape = {7, 139}, .positions = {5}}));
  AddGatherNdTypes(series.Part("types."));
}

Case DrawGather(Random& random) {
  Gather gather = {.shape = DrawShape(random, 1, 4, DrawBudget(random, 1024))};
  const auto rank = static_cast<int>(gather.shape.size());
  gather.axis = random.Int(0, rank - 1);
  gather.axis_from_end = random.OneIn(3);
  gather.batch_dims = random.OneIn(4) ? random.Int(0, gather.axis) : 0;
  gather.indices.assign(gather.shape.begin(), gather.shape.begin() + gather.batch_dims);
  for (const int32_t dim : DrawShape(random, random.Int(0, 2), 64)) gather.indices.push_back(dim);
  // Counted from the end, a batch of all dimensions would be written as 0.
  const bool may_count_back = gather.batch_dims < static_cast<int>(gather.indices.size());
  gather.batch_dims_from_end = may_count_back && random.OneIn(5);
  gather.constant = random.OneIn(2);
  gather.type = DrawMovedType(random);
  gather.wide = random.OneIn(5);
  return BeyondIf(gather.type != oracle::kInt8 || gather.wide, MakeGather(random, gather));
}

Case DrawGatherNd(Random& random) {
  GatherNd gather = {.shape = DrawShape(random, 1, 5, DrawBudget(random, 1024))};
  gather.depth = random.Int(1, static_cast<int>(gather.shape.size()));
  gather.positions = DrawShape(random, random.Int(0, 2), 32);
  gather.constant = random.OneIn(2);
  gather.type = DrawMovedType(random);
  return BeyondIf(gather.type != oracle::kInt8, MakeGatherNd(random, gather));
}

}  // namespace

extern const CaseFamilies kGatherCases = {
    Family("GATHER", GenerateGather, GenerateRealGather, DrawGather),
    Family("GATHER_ND", GenerateGatherNd, GenerateRealGatherNd, DrawGatherNd),
};

}  // namespace lutra::conformance
