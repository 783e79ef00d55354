// SPDX-License-Identifier: Apache-2.0
// Cases of SPACE_TO_DEPTH, DEPTH_TO_SPACE, SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND, which move blocks of an
// area to another dimension and back.

#include "conformance/generator/draw.h"
#include "conformance/generator/moves.h"

namespace lutra::conformance {
namespace {

// ---- SPACE_TO_DEPTH, DEPTH_TO_SPACE

struct Depth {
  int block = 2;
  int channels = 1;  // The channels of the larger area.
  int8_t type = oracle::kInt8;
};

struct Blocks {
  int batches, rows, columns;
};

Case MakeDepth(Random& random, const Depth& depth, const Blocks& blocks, bool to_depth) {
  const int block = depth.block;
  const auto [batches, rows, columns] = blocks;
  const oracle::Shape area = {batches, rows * block, columns * block, depth.channels};
  const oracle::Shape deep = {batches, rows, columns, depth.channels * block * block};
  MoveMaker maker(random, depth.type);
  const int x = maker.Moved(to_depth ? area : deep);
  const int y = maker.Result(to_depth ? deep : area);
  if (to_depth) {
    maker.Op<edit::SpaceToDepthOptionsT>("SPACE_TO_DEPTH", {x}, {y}, [&](auto& o) { o.block_size = block; });
  } else {
    maker.Op<edit::DepthToSpaceOptionsT>("DEPTH_TO_SPACE", {x}, {y}, [&](auto& o) { o.block_size = block; });
  }
  return maker.Made();
}

Case MakeDepth(Random& random, const Depth& depth, bool to_depth) {
  const int batches = random.Int(1, 3), rows = random.Int(1, 4), columns = random.Int(1, 4);
  return MakeDepth(random, depth, {batches, rows, columns}, to_depth);
}

// Adds `counts[block - 1]` cases with blocks of this size.
void GenerateDepths(Series& series, bool to_depth, const std::vector<int>& counts,
                    const std::vector<int>& channels) {
  for (size_t i = 0; i < counts.size(); ++i) {
    for (int repeat = 0; repeat < counts[i]; ++repeat) {
      const Depth depth = {.block = static_cast<int>(i) + 1, .channels = series.random.Int(1, 5)};
      series.Add("block" + std::to_string(depth.block), MakeDepth(series.random, depth, to_depth));
    }
  }
  for (const int count : channels) {
    series.Add("channels", MakeDepth(series.random, {.channels = count}, to_depth));
  }
  for (const int block : {2, 2, 3}) {
    const Depth depth = {.block = block, .channels = series.random.Int(1, 3), .type = oracle::kFloat32};
    series.Add(TypeGroup(depth.type), MakeDepth(series.random, depth, to_depth));
  }
}

void GenerateSpaceToDepth(Series& series) { GenerateDepths(series, true, {2, 14, 8, 4}, MovedChannels()); }

void GenerateDepthToSpace(Series& series) {
  GenerateDepths(series, false, {2, 10, 5, 3}, {3, 4, 8, 15, 16, 17, 33});
}

// ---- SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND

struct Batch {
  int rank = 4;
  bool has_margins = false;  // There are paddings, or crops.
  int8_t type = oracle::kInt8;
};

struct BatchShapes {
  oracle::Shape space, batched;
  std::vector<int32_t> blocks, margins;
};

BatchShapes RandomBatch(Random& random, const Batch& batch) {
  BatchShapes shapes;
  shapes.space = {random.Int(1, 3)};
  shapes.batched = shapes.space;
  bool changes = false;
  while (!changes) {
    shapes.space.resize(1);
    shapes.batched = shapes.space;
    shapes.blocks.clear();
    shapes.margins.clear();
    for (int d = 0; d < batch.rank - 2; ++d) {
      const int block = random.Int(1, 3), blocks = random.Int(1, 4), whole = block * blocks;
      const int before = batch.has_margins ? random.Int(0, std::min(whole - 1, 4)) : 0;
      const int after = batch.has_margins ? random.Int(0, std::min(whole - 1 - before, 4)) : 0;
      shapes.space.push_back(whole - before - after);
      shapes.batched.push_back(blocks);
      shapes.batched[0] *= block;
      shapes.blocks.push_back(block);
      shapes.margins.insert(shapes.margins.end(), {before, after});
      changes = changes || (batch.has_margins ? before + after > 0 : block > 1);
    }
  }
  const int channels = random.OneIn(2) ? random.Int(1, 6) : random.Pick(MovedChannels());
  shapes.space.push_back(channels);
  shapes.batched.push_back(channels);
  return shapes;
}

Case MakeBatch(const BatchShapes& shapes, bool to_batch, MoveMaker maker) {
  const int x = maker.Moved(to_batch ? shapes.space : shapes.batched);
  const int blocks = maker.List(shapes.blocks);
  const int margins = maker.Int32Constant(shapes.margins, {static_cast<int32_t>(shapes.blocks.size()), 2});
  const int y = maker.Result(to_batch ? shapes.batched : shapes.space);
  if (to_batch) {
    maker.Op<edit::SpaceToBatchNDOptionsT>("SPACE_TO_BATCH_ND", {x, blocks, margins}, {y});
  } else {
    maker.Op<edit::BatchToSpaceNDOptionsT>("BATCH_TO_SPACE_ND", {x, blocks, margins}, {y});
  }
  return maker.Made();
}

Case MakeBatch(Random& random, const Batch& batch, bool to_batch, MoveMaker maker) {
  return MakeBatch(RandomBatch(random, batch), to_batch, std::move(maker));
}

Case MakeBatch(Random& random, const Batch& batch, bool to_batch) {
  return MakeBatch(random, batch, to_batch, MoveMaker(random, batch.type));
}

struct Group {
  const char* name;
  int count;
  Batch batch;
};

void AddGroups(const std::vector<Group>& groups, bool to_batch, Series* series) {
  for (const Group& group : groups) {
    for (int i = 0; i < group.count; ++i) {
      series->Add(group.name, MakeBatch(series->random, group.batch, to_batch));
    }
  }
}

void GenerateSpaceToBatchNd(Series& series) {
  AddGroups({{"no_padding.rank3", 5, {.rank = 3}}, {"no_padding.rank4", 13, {}}}, true, &series);
  // If the zero point is not 0, padding with 0 instead of it is noticed.
  for (const int rank : {3, 4}) {
    for (int i = 0; i < (rank == 3 ? 6 : 14); ++i) {
      const int64_t zero =
          series.random.OneIn(2) ? series.random.Between(-128, -1) : series.random.Between(1, 127);
      const Batch batch = {.rank = rank, .has_margins = true};
      series.Add("padding.rank" + std::to_string(rank),
                 MakeBatch(series.random, batch, true, MoveMaker(series.random, zero)));
    }
  }
  for (const int64_t zero : {-128, -127, -1, 0, 0, 1, 126, 127}) {
    series.Add("padding.zero_point",
               MakeBatch(series.random, {.has_margins = true}, true, MoveMaker(series.random, zero)));
  }
  AddGroups({{"type.float32", 4, {.has_margins = true, .type = oracle::kFloat32}}}, true, &series);
}

void GenerateBatchToSpaceNd(Series& series) {
  AddGroups({{"no_crops.rank3", 5, {.rank = 3}},
             {"no_crops.rank4", 12, {}},
             {"crops.rank3", 6, {.rank = 3, .has_margins = true}},
             {"crops.rank4", 14, {.has_margins = true}},
             {"type.float32", 3, {.has_margins = true, .type = oracle::kFloat32}}},
            false, &series);
}

// ---- Real sizes

void AddDepthTypes(bool to_depth, Series series) {
  Random& random = series.random;
  for (const int8_t type : OtherTypes()) {
    series.Add(TypeGroup(type),
               Beyond(MakeDepth(random, {.block = 3, .channels = 19, .type = type}, {2, 3, 5}, to_depth)));
  }
  series.AddSmoke("smoke",
                  Beyond(MakeDepth(random, {.channels = 5, .type = oracle::kInt16}, {3, 2, 5}, to_depth)));
}

void GenerateRealDepths(bool to_depth, RealSizes& series) {
  Random& random = series.random;
  for (const int32_t size : AroundPowers(32, 256)) {
    series.Add("channels", MakeDepth(random, {.channels = size}, {2, 2, 3}, to_depth));
    series.Add("width", MakeDepth(random, {.channels = 3}, {1, 2, size}, to_depth));
    series.Add("height", MakeDepth(random, {.block = 3}, {2, size, 1}, to_depth));
  }
  for (const int block : {4, 5, 7, 8, 9}) {
    series.Add("block", MakeDepth(random, {.block = block, .channels = 3}, {2, 2, 2}, to_depth));
  }
  series.AddSmoke("smoke", MakeDepth(random, {.channels = 67}, {2, 2, 3}, to_depth));
  series.AddSmoke("smoke", MakeDepth(random, {.block = 5, .channels = 2}, {2, 2, 15}, to_depth));
  AddDepthTypes(to_depth, series.Part("types."));
}

// Adds blocks that are higher than wide, or wider than high, margins wider than a block, and several batches;
// at rank 3 there is no width.
void AddBatchTypes(bool to_batch, Series series) {
  Random& random = series.random;
  const BatchShapes shapes[] = {
      {.space = {3, 13, 7, 5}, .batched = {30, 4, 5, 5}, .blocks = {5, 2}, .margins = {6, 1, 1, 2}},
      {.space = {4, 5, 17, 3}, .batched = {32, 4, 5, 3}, .blocks = {2, 4}, .margins = {0, 3, 2, 1}},
      {.space = {5, 11, 3}, .batched = {20, 5, 3}, .blocks = {4}, .margins = {7, 2}},
      {.space = {2, 67, 35}, .batched = {6, 24, 35}, .blocks = {3}, .margins = {1, 4}},
      {.space = {1, 2, 3, 2}, .batched = {12, 4, 5, 2}, .blocks = {3, 4}, .margins = {4, 6, 9, 8}}};
  for (const BatchShapes& s : shapes) {
    series.Add("blocks", MakeBatch(s, to_batch, MoveMaker(random, int64_t{0})));
    for (const int8_t type : OtherTypes()) {
      series.Add(TypeGroup(type), Beyond(MakeBatch(s, to_batch, MoveMaker(random, type))));
    }
  }
  series.AddSmoke("smoke", MakeBatch(shapes[0], to_batch, MoveMaker(random, int64_t{0})));
  series.AddSmoke("smoke", MakeBatch(shapes[2], to_batch, MoveMaker(random, int64_t{0})));
}

void GenerateRealBatches(bool to_batch, RealSizes& series) {
  Random& random = series.random;
  // The blocks have 2x3 pixels; the area has `rows` x `columns` blocks, of which one row and two columns of
  // pixels are margins.
  const auto make = [&](int batches, int rows, int columns, int channels) {
    const BatchShapes shapes = {.space = {batches, 2 * rows - 1, 3 * columns - 2, channels},
                                .batched = {6 * batches, rows, columns, channels},
                                .blocks = {2, 3},
                                .margins = {1, 0, 0, 2}};
    return MakeBatch(shapes, to_batch, MoveMaker(random, int64_t{0}));
  };
  for (const int32_t size : AroundPowers(32, 256)) {
    series.Add("channels", make(2, 2, 2, size));
    series.Add("width", make(1, 2, size, 3));
    series.Add("height", make(2, size, 1, 5));
  }
  series.AddSmoke("smoke", make(2, 2, 3, 69));
  series.AddSmoke("smoke", make(2, 2, 67, 1));
  AddBatchTypes(to_batch, series.Part("types."));
}

Case DrawDepth(Random& random, bool to_depth) {
  Depth depth = {.block = random.Int(1, random.OneIn(6) ? 8 : 4), .type = DrawMovedType(random)};
  int64_t left = std::max<int64_t>(DrawBudget(random, kMostElements) / (depth.block * depth.block), 1);
  const oracle::Shape blocks = DrawShape(random, 3, left);
  left = std::max<int64_t>(left / oracle::ElementCount(blocks), 1);
  depth.channels = DrawSize(random, static_cast<int32_t>(left));
  return BeyondIf(depth.type != oracle::kInt8,
                  MakeDepth(random, depth, {blocks[0], blocks[1], blocks[2]}, to_depth));
}

Case DrawSpaceToDepth(Random& random) { return DrawDepth(random, true); }
Case DrawDepthToSpace(Random& random) { return DrawDepth(random, false); }

Case DrawBatch(Random& random, bool to_batch) {
  BatchShapes shapes;
  const int sides = random.OneIn(4) ? 1 : 2;
  shapes.space = {random.Int(1, 3)};
  shapes.batched = shapes.space;
  for (int d = 0; d < sides; ++d) {
    const int block = random.Int(1, 4), blocks = DrawSize(random, 20), whole = block * blocks;
    const int before = random.OneIn(2) ? random.Int(0, std::min(whole - 1, 6)) : 0;
    const int after = random.OneIn(2) ? random.Int(0, std::min(whole - 1 - before, 6)) : 0;
    shapes.space.push_back(whole - before - after);
    shapes.batched.push_back(blocks);
    shapes.batched[0] *= block;
    shapes.blocks.push_back(block);
    shapes.margins.insert(shapes.margins.end(), {before, after});
  }
  const int channels = DrawSize(random, 70);
  shapes.space.push_back(channels);
  shapes.batched.push_back(channels);
  return MakeBatch(shapes, to_batch, MoveMaker(random));
}

Case DrawSpaceToBatchNd(Random& random) { return DrawBatch(random, true); }
Case DrawBatchToSpaceNd(Random& random) { return DrawBatch(random, false); }

}  // namespace

extern const CaseFamilies kSpaceCases = {
    Family(
        "SPACE_TO_DEPTH", GenerateSpaceToDepth, [](RealSizes& series) { GenerateRealDepths(true, series); },
        DrawSpaceToDepth),
    Family(
        "DEPTH_TO_SPACE", GenerateDepthToSpace, [](RealSizes& series) { GenerateRealDepths(false, series); },
        DrawDepthToSpace),
    Family(
        "SPACE_TO_BATCH_ND", GenerateSpaceToBatchNd,
        [](RealSizes& series) { GenerateRealBatches(true, series); }, DrawSpaceToBatchNd),
    Family(
        "BATCH_TO_SPACE_ND", GenerateBatchToSpaceNd,
        [](RealSizes& series) { GenerateRealBatches(false, series); }, DrawBatchToSpaceNd),
};

}  // namespace lutra::conformance
