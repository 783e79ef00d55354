// SPDX-License-Identifier: Apache-2.0
// Cases of CONCATENATION and PACK, which join tensors along an axis, and of SPLIT, SPLIT_V and UNPACK, which
// divide one.

#include "conformance/generator/draw.h"
#include "conformance/generator/moves.h"

namespace lutra::conformance {
namespace {

// A tensor whose pieces have these sizes along the axis.
struct Pieces {
  oracle::Shape shape;  // The shape of a piece; its size along the axis is not used.
  int axis = 0;
  std::vector<int32_t> sizes;
  bool from_end = false;  // The axis is written as a negative number.
  int8_t type = oracle::kInt8;

  int32_t WrittenAxis() const { return from_end ? axis - static_cast<int32_t>(shape.size()) : axis; }
  oracle::Shape Piece(size_t i) const {
    oracle::Shape piece = shape;
    piece[static_cast<size_t>(axis)] = sizes[i];
    return piece;
  }
  oracle::Shape Whole() const {
    oracle::Shape whole = shape;
    whole[static_cast<size_t>(axis)] = 0;
    for (const int32_t size : sizes) whole[static_cast<size_t>(axis)] += size;
    return whole;
  }
};

enum class Sizes : uint8_t { kRandom, kEqual, kOne };

Pieces RandomPieces(Random& random, int rank, int axis, int count, Sizes sizes, bool from_end = false) {
  Pieces pieces = {.shape = RandomShape(random, rank, 4), .axis = axis, .from_end = from_end};
  int64_t size = random.Between(1, 4);
  for (int i = 0; i < count; ++i) {
    if (sizes == Sizes::kRandom) size = random.Between(1, 5);
    pieces.sizes.push_back(sizes == Sizes::kOne ? 1 : static_cast<int32_t>(size));
  }
  return pieces;
}

// Returns pieces along some axis of a tensor of `rank` dimensions.
Pieces RandomPieces(Random& random, int rank, int count, Sizes sizes) {
  const auto axis = random.Int(0, rank - 1);
  return RandomPieces(random, rank, axis, count, sizes, random.OneIn(2));
}

using MakePieces = Case (*)(Random& random, const Pieces& pieces);

// Settings that the five operators share.
struct Common {
  MakePieces make;
  Sizes sizes;
  int first_rank, last_rank;  // Each axis of these ranks, counted from either end.
  std::vector<int> counts;    // Numbers of pieces.
  std::vector<int8_t> types;  // Types other than int8.
};

void AddCommon(const Common& common, Series* series) {
  Random& random = series->random;
  const auto& [make, sizes, first_rank, last_rank, counts, types] = common;
  for (int rank = first_rank; rank <= last_rank; ++rank) {
    for (int axis = 0; axis < rank; ++axis) {
      for (const bool from_end : {false, true}) {
        const auto count = random.Int(2, 4);
        series->Add("axis.rank" + std::to_string(rank),
                    make(random, RandomPieces(random, rank, axis, count, sizes, from_end)));
      }
    }
  }
  for (const int count : counts) {
    series->Add("pieces" + std::to_string(count), make(random, RandomPieces(random, 3, count, sizes)));
  }
  for (const int8_t type : types) {
    Pieces pieces = RandomPieces(random, 3, 3, sizes);
    pieces.type = type;
    series->Add(TypeGroup(type), make(random, pieces));
  }
}

// ---- Joining

struct Joined {
  bool has_constant = false;  // The second piece is a constant.
  bool repeats = false;       // The first piece is also the last.
};

Case MakeConcatenation(Random& random, const Pieces& pieces, const Joined& joined) {
  MoveMaker maker(random, pieces.type);
  std::vector<int> inputs;
  for (size_t i = 0; i < pieces.sizes.size(); ++i) {
    if (joined.repeats && i + 1 == pieces.sizes.size()) {
      inputs.push_back(inputs[0]);
    } else {
      inputs.push_back(maker.Moved(pieces.Piece(i), joined.has_constant && i == 1));
    }
  }
  maker.Op<edit::ConcatenationOptionsT>("CONCATENATION", inputs, {maker.Result(pieces.Whole())},
                                        [&](auto& options) { options.axis = pieces.WrittenAxis(); });
  return maker.Made();
}

Case MakeConcatenation(Random& random, const Pieces& pieces) { return MakeConcatenation(random, pieces, {}); }

// Returns the shape without the axis, which pieces of PACK and UNPACK lack.
oracle::Shape WithoutAxis(const Pieces& pieces) {
  oracle::Shape piece = pieces.shape;
  piece.erase(piece.begin() + pieces.axis);
  return piece;
}

Case MakePack(Random& random, const Pieces& pieces) {
  MoveMaker maker(random, pieces.type);
  std::vector<int> inputs;
  for (size_t i = 0; i < pieces.sizes.size(); ++i) inputs.push_back(maker.Moved(WithoutAxis(pieces)));
  maker.Op<edit::PackOptionsT>("PACK", inputs, {maker.Result(pieces.Whole())}, [&](auto& options) {
    options.axis = pieces.WrittenAxis();
    options.values_count = static_cast<int32_t>(inputs.size());
  });
  return maker.Made();
}

void GenerateConcatenation(Series& series) {
  Random& random = series.random;
  AddCommon({.make = MakeConcatenation,
             .sizes = Sizes::kRandom,
             .first_rank = 1,
             .last_rank = 5,
             .counts = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 10},
             .types = {oracle::kInt16, oracle::kInt16, oracle::kInt32, oracle::kInt32, oracle::kFloat32,
                       oracle::kFloat32, oracle::kBool, oracle::kBool}},
            &series);
  for (const int first : MovedChannels()) {
    for (int repeat = 0; repeat < 2; ++repeat) {
      Pieces pieces = {.shape = {1, 2, 3, 1}, .axis = 3, .from_end = repeat == 1};
      pieces.sizes = {first, random.Pick(MovedChannels())};
      series.Add("channels", MakeConcatenation(random, pieces));
    }
  }
  for (int rank = 1; rank <= 4; ++rank) {
    for (const int count : {2, 3}) {
      series.Add("constant", MakeConcatenation(random, RandomPieces(random, rank, count, Sizes::kRandom),
                                               {.has_constant = true}));
    }
  }
  for (int rank = 1; rank <= 5; ++rank) {
    const int count = 2 + rank % 2;
    Pieces pieces = RandomPieces(random, rank, count, Sizes::kRandom);
    pieces.sizes.back() = pieces.sizes[0];
    series.Add("repeated", MakeConcatenation(random, pieces, {.repeats = true}));
  }
  for (const int count : {2, 3, 4, 5, 10}) {
    series.Add("equal", MakeConcatenation(random, RandomPieces(random, 4, count, Sizes::kEqual)));
  }
}

void GeneratePack(Series& series) {
  AddCommon({.make = MakePack,
             .sizes = Sizes::kOne,
             .first_rank = 2,
             .last_rank = 5,
             .counts = {1, 2, 3, 5, 8, 10},
             .types = {oracle::kInt16, oracle::kInt16, oracle::kInt32, oracle::kInt32, oracle::kFloat32,
                       oracle::kFloat32}},
            &series);
}

// ---- Taking apart

std::vector<int> Results(const Pieces& pieces, MoveMaker* maker) {
  std::vector<int> outputs;
  for (size_t i = 0; i < pieces.sizes.size(); ++i) outputs.push_back(maker->Result(pieces.Piece(i)));
  return outputs;
}

Case MakeSplit(Random& random, const Pieces& pieces) {
  MoveMaker maker(random, pieces.type);
  const int axis = maker.Scalar(pieces.WrittenAxis());
  const int x = maker.Moved(pieces.Whole());
  maker.Op<edit::SplitOptionsT>("SPLIT", {axis, x}, Results(pieces, &maker), [&](auto& options) {
    options.num_splits = static_cast<int32_t>(pieces.sizes.size());
  });
  return maker.Made();
}

// `rest`: the piece whose size is written as -1, for the remaining elements; -1: none.
Case MakeSplitV(Random& random, const Pieces& pieces, int rest) {
  MoveMaker maker(random, pieces.type);
  const int x = maker.Moved(pieces.Whole());
  std::vector<int32_t> sizes = pieces.sizes;
  if (rest >= 0) sizes[static_cast<size_t>(rest)] = -1;
  const int written_sizes = maker.List(sizes);
  const int axis = maker.Scalar(pieces.WrittenAxis());
  maker.Op<edit::SplitVOptionsT>(
      "SPLIT_V", {x, written_sizes, axis}, Results(pieces, &maker),
      [&](auto& options) { options.num_splits = static_cast<int32_t>(sizes.size()); });
  return maker.Made();
}

Case MakeSplitV(Random& random, const Pieces& pieces) { return MakeSplitV(random, pieces, -1); }

Case MakeUnpack(Random& random, const Pieces& pieces) {
  MoveMaker maker(random, pieces.type);
  const int x = maker.Moved(pieces.Whole());
  std::vector<int> outputs;
  for (size_t i = 0; i < pieces.sizes.size(); ++i) outputs.push_back(maker.Result(WithoutAxis(pieces)));
  maker.Op<edit::UnpackOptionsT>("UNPACK", {x}, outputs, [&](auto& options) {
    options.axis = pieces.WrittenAxis();
    options.num = static_cast<int32_t>(outputs.size());
  });
  return maker.Made();
}

void GenerateSplit(Series& series) {
  Random& random = series.random;
  AddCommon({.make = MakeSplit,
             .sizes = Sizes::kEqual,
             .first_rank = 1,
             .last_rank = 4,
             .counts = {1, 2, 3, 4, 5, 6, 8},
             .types = {oracle::kInt16, oracle::kInt32, oracle::kFloat32, oracle::kFloat32}},
            &series);
  for (const int channels : MovedChannels()) {
    Pieces pieces = {.shape = {1, 2, 3, 1}, .axis = 3};
    pieces.sizes = {channels, channels};
    series.Add("channels", MakeSplit(random, pieces));
  }
}

void GenerateSplitV(Series& series) {
  Random& random = series.random;
  AddCommon({.make = MakeSplitV,
             .sizes = Sizes::kRandom,
             .first_rank = 1,
             .last_rank = 4,
             .counts = {1, 3, 5, 6, 8, 10},
             .types = {oracle::kInt16, oracle::kInt32, oracle::kFloat32, oracle::kFloat32}},
            &series);
  for (const int count : {2, 3, 3, 4, 5}) {
    const Pieces pieces = RandomPieces(random, 4, count, Sizes::kRandom);
    const auto rest = random.Int(0, count - 1);
    series.Add("rest", MakeSplitV(random, pieces, rest));
  }
  for (int i = 0; i < 5; ++i) {
    Pieces pieces = {.shape = {1, 2, 3, 1}, .axis = 3};
    for (int piece = 0; piece < 3; ++piece) pieces.sizes.push_back(random.Pick(MovedChannels()));
    series.Add("channels", MakeSplitV(random, pieces));
  }
}

void GenerateUnpack(Series& series) {
  AddCommon({.make = MakeUnpack,
             .sizes = Sizes::kOne,
             .first_rank = 2,
             .last_rank = 5,
             .counts = {1, 2, 3, 5, 8, 10},
             .types = {oracle::kInt16, oracle::kInt32, oracle::kInt32, oracle::kFloat32, oracle::kFloat32,
                       oracle::kFloat32}},
            &series);
}

// ---- Real sizes

void AddPieceTypes(Series series, MakePieces make, Sizes sizes) {
  Random& random = series.random;
  for (const int8_t type : OtherTypes()) {
    Pieces pieces = {.shape = {3, 1, 5}, .axis = 1, .type = type};
    const int32_t size = sizes == Sizes::kOne ? 1 : 37;
    pieces.sizes = {size, size, sizes == Sizes::kRandom ? size + 5 : size};
    series.Add(TypeGroup(type), Beyond(make(random, pieces)));
    Pieces deep = RandomPieces(random, 5, 3, sizes);
    deep.type = type;
    series.Add(TypeGroup(type), Beyond(make(random, deep)));
  }
  // There are many elements around the axis, or pieces of more elements than 16 bits count.
  for (const oracle::Shape& around : {oracle::Shape{521, 1, 3}, {2, 1, 33003}}) {
    Pieces pieces = {.shape = around, .axis = 1};
    pieces.sizes = {1, 1};
    series.Add("far", make(random, pieces));
  }
  Pieces smoke = {.shape = {291, 1, 3}, .axis = 1, .from_end = true, .type = oracle::kInt16};
  smoke.sizes = {1, 1, 1};
  series.AddSmoke("smoke", Beyond(make(random, smoke)));
}

// All five operators have these cases: sizes of pieces, many pieces, more dimensions.
void GenerateRealPieces(MakePieces make, Sizes sizes, RealSizes& series) {
  const char* const op = series.op();
  Random& random = series.random;
  const bool joins = std::string_view(op) == "CONCATENATION";
  // `outer` and `inner`: elements before and after the axis.
  const auto piece = [&](int32_t outer, int count, int32_t size, int32_t inner) {
    Pieces pieces = {.shape = {outer, 1, inner}, .axis = 1};
    for (int i = 0; i < count; ++i) {
      pieces.sizes.push_back(sizes == Sizes::kOne      ? 1
                             : sizes == Sizes::kRandom ? size + random.Int(0, 2)
                                                       : size);
    }
    return make(random, pieces);
  };
  for (const int32_t size : AroundPowers(64, 1024)) {
    series.Add("size", piece(3, 2, size, 1));
    series.Add("inner", piece(2, 3, 2, size));
  }
  for (const int32_t count : AroundPowers(8, 32))
    series.Add("pieces", BeyondIf(joins && count > 10, piece(2, count, 3, 5)));
  for (int rank = 5; rank <= 6; ++rank) {
    for (int axis = 0; axis < rank; ++axis) {
      series.Add("rank" + std::to_string(rank), make(random, RandomPieces(random, rank, axis, 3, sizes)));
    }
  }
  series.AddSmoke("smoke", piece(3, 2, 139, 1));
  series.AddSmoke("smoke", BeyondIf(joins, piece(2, 19, 2, 7)));
  series.AddSmoke("smoke", piece(2, 3, 3, 259));
  series.AddSmoke("smoke", make(random, RandomPieces(random, 6, 3, 3, sizes)));
  series.AddSmoke("smoke", make(random, RandomPieces(random, 5, 4, 3, sizes)));
  AddPieceTypes(series.Part("types."), make, sizes);
}

// Adds splits with one size left open, and sizes beyond a byte.
void AddRests(Series series) {
  for (const int rest : {0, 1, 2}) {
    Pieces pieces = {.shape = {2, 1, 3}, .axis = 1};
    pieces.sizes = {131, 131, 131};
    pieces.sizes[static_cast<size_t>(rest)] = 389;
    const Case test = MakeSplitV(series.random, pieces, rest);
    rest == 1 ? series.AddSmoke("rest", test) : series.Add("rest", test);
  }
}

Pieces DrawPieces(Random& random, int most_rank, Sizes sizes) {
  Pieces pieces = {.shape = DrawShape(random, 1, most_rank, DrawBudget(random, 256))};
  const auto rank = static_cast<int>(pieces.shape.size());
  pieces.axis = random.Int(0, rank - 1);
  pieces.from_end = random.OneIn(3);
  pieces.type = DrawMovedType(random);
  const int count = random.OneIn(5) ? random.Int(1, 10) : random.Int(1, 4);
  int32_t size = sizes == Sizes::kOne ? 1 : pieces.shape[static_cast<size_t>(pieces.axis)];
  for (int i = 0; i < count; ++i) {
    pieces.sizes.push_back(size);
    if (sizes == Sizes::kRandom) size = random.OneIn(4) ? DrawSize(random, 70) : random.Int(1, 5);
  }
  return pieces;
}

template <MakePieces make, Sizes sizes>
Case DrawJoined(Random& random) {
  const Pieces pieces = DrawPieces(random, sizes == Sizes::kOne ? 5 : 4, sizes);
  return BeyondIf(pieces.shape.size() > 4 || pieces.type != oracle::kInt8, make(random, pieces));
}

Case DrawSplitV(Random& random) {
  const Pieces pieces = DrawPieces(random, 4, Sizes::kRandom);
  const int rest = random.OneIn(3) ? random.Int(0, static_cast<int>(pieces.sizes.size()) - 1) : -1;
  return BeyondIf(pieces.type != oracle::kInt8, MakeSplitV(random, pieces, rest));
}

Case DrawConcatenation(Random& random) {
  const Pieces pieces = DrawPieces(random, 4, Sizes::kRandom);
  Joined joined = {.has_constant = pieces.sizes.size() > 1 && random.OneIn(5)};
  joined.repeats = pieces.sizes.size() > 1 && pieces.sizes.front() == pieces.sizes.back() && random.OneIn(3);
  return BeyondIf(pieces.type != oracle::kInt8, MakeConcatenation(random, pieces, joined));
}

}  // namespace

extern const CaseFamilies kJoinCases = {
    Family(
        "CONCATENATION", GenerateConcatenation,
        [](RealSizes& series) { GenerateRealPieces(MakeConcatenation, Sizes::kRandom, series); },
        DrawConcatenation),
    Family(
        "PACK", GeneratePack, [](RealSizes& series) { GenerateRealPieces(MakePack, Sizes::kOne, series); },
        DrawJoined<MakePack, Sizes::kOne>),
    Family(
        "SPLIT", GenerateSplit,
        [](RealSizes& series) { GenerateRealPieces(MakeSplit, Sizes::kEqual, series); },
        DrawJoined<MakeSplit, Sizes::kEqual>),
    Family(
        "SPLIT_V", GenerateSplitV,
        [](RealSizes& series) {
          GenerateRealPieces(MakeSplitV, Sizes::kRandom, series);
          AddRests(series.Part("rests."));
        },
        DrawSplitV),
    Family(
        "UNPACK", GenerateUnpack,
        [](RealSizes& series) { GenerateRealPieces(MakeUnpack, Sizes::kOne, series); },
        DrawJoined<MakeUnpack, Sizes::kOne>),
};

}  // namespace lutra::conformance
