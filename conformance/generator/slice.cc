// SPDX-License-Identifier: Apache-2.0
// Cases of SLICE and STRIDED_SLICE, which take a part of an array.

#include <cstdlib>

#include "conformance/generator/draw.h"
#include "conformance/generator/moves.h"

namespace lutra::conformance {
namespace {

// ---- SLICE

struct Slice {
  oracle::Shape shape, begins, sizes;
};

Case MakeSlice(Random& random, const Slice& slice, int8_t type = oracle::kInt8, bool wide_lists = false) {
  oracle::Shape result = slice.sizes;
  for (size_t d = 0; d < result.size(); ++d) {
    if (result[d] == -1) result[d] = slice.shape[d] - slice.begins[d];
  }
  MoveMaker maker(random, type);
  if (wide_lists) maker.Widen();
  const int x = maker.Moved(slice.shape);
  const int begins = maker.List(slice.begins), sizes = maker.List(slice.sizes);
  maker.Op<edit::SliceOptionsT>("SLICE", {x, begins, sizes}, {maker.Result(result)});
  return maker.Made();
}

// `open`: some sizes are written as -1.
Slice RandomSlice(Random& random, int rank, bool open = false) {
  Slice slice = {.shape = RandomShape(random, rank, rank < 3 ? 20 : 6)};
  for (const int32_t dim : slice.shape) {
    const int64_t begin = random.Between(0, dim - 1);
    const int64_t size = open && random.OneIn(2) ? -1 : random.Between(1, dim - begin);
    slice.begins.push_back(static_cast<int32_t>(begin));
    slice.sizes.push_back(static_cast<int32_t>(size));
  }
  if (open) slice.sizes.back() = -1;
  return slice;
}

void GenerateSlice(Series& series) {
  Random& random = series.random;
  for (int rank = 1; rank <= 5; ++rank) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      series.Add("rank" + std::to_string(rank), MakeSlice(random, RandomSlice(random, rank)));
    }
  }
  for (int rank = 1; rank <= 5; ++rank) {
    for (int repeat = 0; repeat < 2; ++repeat) {
      series.Add("open", MakeSlice(random, RandomSlice(random, rank, true)));
    }
  }
  for (const int channels : MovedChannels()) {
    const auto begin = random.Int(0, channels - 1);
    series.Add("channels",
               MakeSlice(random,
                         {.shape = {1, 2, 3, channels}, .begins = {0, 0, 1, begin}, .sizes = {1, 2, 2, -1}}));
  }
  series.Add("all", MakeSlice(random, {.shape = {2, 3, 4}, .begins = {0, 0, 0}, .sizes = {2, 3, 4}}));
  series.Add("all", MakeSlice(random, {.shape = {2, 3, 4}, .begins = {0, 0, 0}, .sizes = {-1, -1, -1}}));
  series.Add("one", MakeSlice(random, {.shape = {1}, .begins = {0}, .sizes = {1}}));
  series.Add("one",
             MakeSlice(random, {.shape = {2, 3, 4, 5}, .begins = {1, 2, 3, 4}, .sizes = {1, 1, 1, 1}}));
  for (const int8_t type : {oracle::kInt16, oracle::kInt32, oracle::kFloat32}) {
    for (const int rank : {2, 4})
      series.Add(TypeGroup(type), MakeSlice(random, RandomSlice(random, rank), type));
  }
  series.Add(TypeGroup(oracle::kBool), MakeSlice(random, RandomSlice(random, 3), oracle::kBool));
}

// ---- STRIDED_SLICE

// The part along one dimension.
struct Stride {
  int32_t begin = 0, end = 0, stride = 1;
  bool no_begin = false, no_end = false, shrink = false;  // Bits of the masks.
  int32_t count = 1;                                      // Positions that are taken.
};

Case MakeStridedSlice(Random& random, const oracle::Shape& shape, const std::vector<Stride>& strides,
                      int8_t type = oracle::kInt8) {
  MoveMaker maker(random, type);
  const int x = maker.Moved(shape);
  std::vector<int32_t> lists[3];
  oracle::Shape result;
  int32_t begin_mask = 0, end_mask = 0, shrink_mask = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    const Stride& stride = strides[d];
    lists[0].push_back(stride.begin);
    lists[1].push_back(stride.end);
    lists[2].push_back(stride.stride);
    begin_mask |= static_cast<int32_t>(stride.no_begin) << d;
    end_mask |= static_cast<int32_t>(stride.no_end) << d;
    shrink_mask |= static_cast<int32_t>(stride.shrink) << d;
    if (!stride.shrink) result.push_back(stride.count);
  }
  // Dimensions after the end of the lists are taken whole.
  result.insert(result.end(), shape.begin() + static_cast<std::ptrdiff_t>(strides.size()), shape.end());
  std::vector<int> inputs = {x};
  for (const std::vector<int32_t>& list : lists) inputs.push_back(maker.List(list));
  maker.Op<edit::StridedSliceOptionsT>("STRIDED_SLICE", inputs, {maker.Result(result)}, [&](auto& options) {
    options.begin_mask = begin_mask;
    options.end_mask = end_mask;
    options.shrink_axis_mask = shrink_mask;
  });
  return maker.Made();
}

// The ways to write strides from which a group of cases draws.
struct StrideKind {
  const char* name;
  bool backwards = false;  // Some strides are negative.
  bool masks = false;      // Some bounds are written but not used.
  bool from_end = false;   // Some bounds are counted from the end.
  bool beyond = false;     // Some ends, and begins, lie outside and are brought to the edge.
  bool shrinks = false;    // Some dimensions are dropped; the first always is.
};

// Draws some positions, and one of the ways to write them.
Stride RandomStride(Random& random, const StrideKind& kind, int32_t dim) {
  Stride s;
  const bool backwards = kind.backwards && random.OneIn(2);
  const auto step = random.Int(1, 3);
  const auto low = random.Int(0, dim - 1);
  const auto high = random.Int(low, dim - 1);
  s.count = (high - low) / step + 1;
  s.stride = backwards ? -step : step;
  s.begin = backwards ? high : low;
  s.end = backwards ? low - 1 : high + 1;
  const int32_t first = backwards ? dim - 1 : 0, last = backwards ? 0 : dim - 1;
  if (kind.masks && random.OneIn(2)) {
    s.no_begin = true;
    const int32_t from_first = backwards ? dim - 1 - low : high;
    s.count = from_first / step + 1;
    s.begin = random.Int(0, dim - 1);
  }
  const int32_t start = s.no_begin ? first : s.begin;
  // An end of -1 would mean the last position: to include the first one needs a mask, or an end of -1 - dim
  // or less.
  const bool needs_no_end = backwards && s.end < 0;
  if (needs_no_end && kind.beyond) {
    s.end = -dim - random.Int(1, 9);
  } else if (needs_no_end || (kind.masks && random.OneIn(2))) {
    s.no_end = true;
    s.count = std::abs(last - start) / step + 1;
    s.end = random.Int(0, dim - 1);
  } else if (kind.beyond && !backwards && random.OneIn(2)) {
    s.end = dim + random.Int(1, 9);
    s.count = (last - start) / step + 1;
  } else if (kind.from_end && s.end < dim && random.OneIn(2)) {
    s.end -= dim;
  }
  if (kind.beyond && !s.no_begin && start == first && random.OneIn(2)) {
    s.begin = backwards ? dim + 3 : -dim - 3;
  } else if (kind.from_end && !s.no_begin && random.OneIn(2)) {
    s.begin -= dim;
  }
  return s;
}

Case MakeStridedSlice(Random& random, const StrideKind& kind, int rank, int8_t type = oracle::kInt8) {
  const oracle::Shape shape = RandomShape(random, rank, rank == 1 ? 40 : rank == 2 ? 16 : 7);
  std::vector<Stride> strides;
  for (const int32_t dim : shape) {
    strides.push_back(RandomStride(random, kind, dim));
    const bool is_first = strides.size() == 1;
    // The last dimension stays, so that something is left.
    if (!kind.shrinks || static_cast<int>(strides.size()) == rank || !(is_first || random.OneIn(3))) continue;
    const auto position = random.Int(0, dim - 1);
    const bool from_end = random.OneIn(3);
    strides.back() = {.begin = from_end ? position - dim : position, .end = position + 1, .shrink = true};
    if (from_end) strides.back().end = position + 1 == dim ? dim : position + 1 - dim;
  }
  return MakeStridedSlice(random, shape, strides, type);
}

void GenerateStridedSlice(Series& series) {
  Random& random = series.random;
  const std::vector<StrideKind> kinds = {{.name = "forwards"},
                                         {.name = "backwards", .backwards = true},
                                         {.name = "masks", .masks = true},
                                         {.name = "masks.backwards", .backwards = true, .masks = true},
                                         {.name = "from_end", .from_end = true},
                                         {.name = "beyond", .backwards = true, .beyond = true}};
  for (const StrideKind& kind : kinds) {
    for (int rank = 1; rank <= 4; ++rank) {
      for (int repeat = 0; repeat < 2; ++repeat) {
        if (rank == 1 && repeat == 1) continue;
        series.Add(kind.name, MakeStridedSlice(random, kind, rank));
      }
    }
  }
  for (int i = 0; i < 8; ++i) {
    series.Add("shrink", MakeStridedSlice(random, {.name = "shrink", .shrinks = true}, 2 + i % 3));
  }
  series.Add("one", MakeStridedSlice(random, {1}, {{.begin = 0, .end = 1}}));
  series.Add("one", MakeStridedSlice(random, {1, 5}, {{.begin = 0, .end = 1}, {.begin = 4, .end = 5}}));
  for (const int8_t type : {oracle::kInt16, oracle::kInt32, oracle::kFloat32, oracle::kBool}) {
    for (const int rank : {2, 4}) {
      series.Add(TypeGroup(type), MakeStridedSlice(random, {.name = "type", .backwards = true}, rank, type));
    }
  }
}

// ---- Real sizes

void AddSliceTypes(Series series) {
  Random& random = series.random;
  for (const int8_t type : OtherTypes()) {
    series.Add(
        TypeGroup(type),
        Beyond(MakeSlice(random, {.shape = {5, 7, 67}, .begins = {1, 2, 5}, .sizes = {3, 4, 59}}, type)));
    series.Add(TypeGroup(type), Beyond(MakeSlice(random, RandomSlice(random, 5), type)));
    series.Add(TypeGroup(type), Beyond(MakeSlice(random, RandomSlice(random, 6, true), type, true)));
  }
  series.Add("far", MakeSlice(random, {.shape = {259, 261}, .begins = {131, 3}, .sizes = {127, 251}}));
  series.Add("far", MakeSlice(random, {.shape = {3, 41003}, .begins = {1, 33001}, .sizes = {2, 301}}));
  series.AddSmoke(
      "smoke",
      Beyond(MakeSlice(
          random,
          {.shape = {2, 2, 2, 3, 2, 301}, .begins = {0, 1, 1, 1, 0, 129}, .sizes = {2, 1, 1, 2, -1, 7}},
          oracle::kInt16, true)));
}

void GenerateRealSlice(RealSizes& series) {
  Random& random = series.random;
  const auto make = [&](const Slice& slice) { return MakeSlice(random, slice); };
  for (const int32_t size : AroundPowers(64, 1024)) {
    const auto begin = random.Int(1, 40);
    series.Add("row", make({.shape = {3, size + 41}, .begins = {1, begin}, .sizes = {2, size}}));
    series.Add("outer", make({.shape = {size + 41, 3}, .begins = {begin, 1}, .sizes = {size, 2}}));
    series.Add("inner", make({.shape = {2, 4, size}, .begins = {0, 1, 0}, .sizes = {2, 2, size}}));
  }
  for (int i = 0; i < 10; ++i) series.Add("rank5", make(RandomSlice(random, 5, i % 2 == 0)));
  series.AddSmoke("smoke", make({.shape = {3, 5, 137}, .begins = {1, 1, 3}, .sizes = {2, 3, 131}}));
  series.AddSmoke("smoke",
                  make({.shape = {2, 3, 3, 2, 4}, .begins = {1, 1, 0, 1, 1}, .sizes = {1, 2, 2, 1, 3}}));
  series.AddSmoke("smoke",
                  make({.shape = {3, 2, 3, 3, 4}, .begins = {1, 1, 1, 0, 1}, .sizes = {2, 1, 2, 2, 3}}));
  series.AddSmoke("smoke", make({.shape = {547, 5}, .begins = {263, 1}, .sizes = {271, 3}}));
  AddSliceTypes(series.Part("types."));
}

void AddStridedSliceTypes(Series series) {
  Random& random = series.random;
  const StrideKind every = {.name = "", .backwards = true, .masks = true, .from_end = true, .shrinks = true};
  const std::vector<StrideKind> kinds = {
      {.name = "forwards"},
      {.name = "masks", .backwards = true, .masks = true},
      {.name = "beyond", .backwards = true, .beyond = true},
      {.name = "shrink", .masks = true, .shrinks = true},
      {.name = "every", .backwards = true, .masks = true, .from_end = true, .beyond = true, .shrinks = true}};
  for (const int8_t type : OtherTypes()) {
    series.Add(TypeGroup(type), Beyond(MakeStridedSlice(random, every, 4, type)));
    series.Add(TypeGroup(type), Beyond(MakeStridedSlice(random, every, 5, type)));
  }
  for (const StrideKind& kind : kinds) {
    for (int i = 0; i < 6; ++i) series.Add(kind.name, Beyond(MakeStridedSlice(random, kind, 5 + i % 2)));
  }
  // The cases take all but the last, counted from the end; drop all dimensions but one; have lists for some
  // dimensions only.
  for (const int32_t end : {-1, -2}) {
    series.Add("but_last", MakeStridedSlice(random, {3, 7, 19},
                                            {{.end = end, .count = 3 + end},
                                             {.begin = 1, .end = end, .count = 6 + end},
                                             {.end = -1, .stride = 3, .count = 6}}));
  }
  const Stride drop = {.begin = 1, .end = 2, .shrink = true}, whole = {.end = 3, .count = 3};
  for (size_t kept = 0; kept < 6; ++kept) {
    std::vector<Stride> strides(6, drop);
    strides[kept] = whole;
    series.Add("one_left", Beyond(MakeStridedSlice(random, {3, 3, 3, 3, 3, 3}, strides)));
  }
  for (size_t listed = 1; listed < 5; ++listed) {
    series.Add("some_listed", Beyond(MakeStridedSlice(random, {3, 3, 3, 3, 5},
                                                      std::vector<Stride>(listed, {.begin = 1, .end = -1}))));
  }
  series.AddSmoke("but_last",
                  MakeStridedSlice(random, {5, 19}, {{.end = -1, .count = 4}, {.end = -1, .count = 18}}));
  series.AddSmoke("some_listed",
                  Beyond(MakeStridedSlice(random, {3, 3, 5, 2, 3}, {{.begin = 1, .end = -1}, drop})));
  for (int i = 0; i < 2; ++i) series.AddSmoke("smoke", Beyond(MakeStridedSlice(random, every, 5 + i)));
}

void GenerateRealStridedSlice(RealSizes& series) {
  Random& random = series.random;
  // Takes every `step`-th of `size` positions, forwards or backwards.
  const auto every = [](int32_t size, int32_t step) {
    return Stride{.begin = step > 0 ? 0 : size - 1,
                  .stride = step,
                  .no_end = true,
                  .count = (size - 1) / std::abs(step) + 1};
  };
  for (const int32_t size : AroundPowers(64, 1024)) {
    auto step = random.Int(1, 5);
    if (random.OneIn(2)) step = -step;
    series.Add("row", MakeStridedSlice(random, {3, size}, {every(3, 1), every(size, step)}));
    series.Add("inner", MakeStridedSlice(random, {7, size}, {every(7, step), every(size, 1)}));
    series.Add("outer", MakeStridedSlice(random, {size, 3}, {every(size, step), every(3, -2)}));
  }
  series.AddSmoke("smoke", MakeStridedSlice(random, {3, 139}, {every(3, -1), every(139, 2)}));
  series.AddSmoke("smoke", MakeStridedSlice(random, {5, 4, 71}, {every(5, 2), every(4, -1), every(71, 1)}));
  series.AddSmoke("smoke", MakeStridedSlice(random, {3, 4, 5, 37},
                                            {every(3, 2), every(4, -1), every(5, 3), every(37, -2)}));
  series.AddSmoke("smoke", MakeStridedSlice(random, {525, 3}, {every(525, -3), every(3, 1)}));
  AddStridedSliceTypes(series.Part("types."));
}

Case DrawSlice(Random& random) {
  Slice slice = {.shape = DrawShape(random, 1, 5, DrawBudget(random, kMostElements))};
  for (const int32_t dim : slice.shape) {
    const int32_t begin = random.Int(0, dim - 1);
    slice.begins.push_back(begin);
    slice.sizes.push_back(random.OneIn(3) ? -1 : random.Int(1, dim - begin));
  }
  const int8_t type = DrawMovedType(random);
  return BeyondIf(type != oracle::kInt8, MakeSlice(random, slice, type, random.OneIn(6)));
}

Case DrawStridedSlice(Random& random) {
  const oracle::Shape shape = DrawShape(random, 1, 5, DrawBudget(random, kMostElements));
  const bool backwards = random.OneIn(2), masks = random.OneIn(2), from_end = random.OneIn(3);
  const bool beyond = random.OneIn(4), shrinks = random.OneIn(3);
  const StrideKind kind = {.name = "",
                           .backwards = backwards,
                           .masks = masks,
                           .from_end = from_end,
                           .beyond = beyond,
                           .shrinks = shrinks};
  const size_t listed =
      random.OneIn(4) ? static_cast<size_t>(random.Int(1, static_cast<int>(shape.size()))) : shape.size();
  std::vector<Stride> strides;
  for (size_t d = 0; d < listed; ++d) {
    const int32_t dim = shape[d];
    if (shrinks && d + 1 < shape.size() && random.OneIn(2)) {
      const int32_t position = random.Int(0, dim - 1);
      strides.push_back({.begin = position, .end = position + 1, .shrink = true});
    } else {
      strides.push_back(RandomStride(random, kind, dim));
    }
  }
  const int8_t type = DrawMovedType(random);
  const bool is_beyond = shape.size() > 4 || strides.size() < shape.size() || type != oracle::kInt8;
  return BeyondIf(is_beyond, MakeStridedSlice(random, shape, strides, type));
}

}  // namespace

extern const CaseFamilies kSliceCases = {
    Family("SLICE", GenerateSlice, GenerateRealSlice, DrawSlice),
    Family("STRIDED_SLICE", GenerateStridedSlice, GenerateRealStridedSlice, DrawStridedSlice),
};

}  // namespace lutra::conformance
