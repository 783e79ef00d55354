// SPDX-License-Identifier: Apache-2.0
// Cases of PAD, PADV2 and MIRROR_PAD, which add borders to an array.

#include "conformance/generator/draw.h"
#include "conformance/generator/moves.h"

namespace lutra::conformance {
namespace {

struct Padded {
  oracle::Shape shape;
  std::vector<int32_t> pairs;  // Numbers of elements before and after, for each dimension.

  oracle::Shape Result() const {
    oracle::Shape result = shape;
    for (size_t d = 0; d < shape.size(); ++d) result[d] += pairs[2 * d] + pairs[2 * d + 1];
    return result;
  }
};

int AddPairs(const Padded& padded, MoveMaker* maker) {
  return maker->Integers(padded.pairs, {static_cast<int32_t>(padded.shape.size()), 2});
}

// Draws at least one element of padding.
Padded RandomPadded(Random& random, int rank) {
  Padded padded = {.shape = RandomShape(random, rank, 5)};
  for (int i = 0; i < 2 * rank; ++i) {
    padded.pairs.push_back(static_cast<int32_t>(random.OneIn(3) ? 0 : random.Between(0, rank < 5 ? 3 : 2)));
  }
  if (padded.Result() == padded.shape) padded.pairs[1] = 2;
  return padded;
}

using MakePadded = Case (*)(Random& random, const Padded& padded, MoveMaker maker);

Case MakePad(Random&, const Padded& padded, MoveMaker maker) {
  const int x = maker.Moved(padded.shape);
  const int pairs = AddPairs(padded, &maker);
  maker.Op<edit::PadOptionsT>("PAD", {x, pairs}, {maker.Result(padded.Result())});
  return maker.Made();
}

// `value`: the bytes of one element.
Case MakePadV2(const Padded& padded, oracle::Bytes value, MoveMaker maker) {
  const int x = maker.Moved(padded.shape);
  const int pairs = AddPairs(padded, &maker);
  const int padding = maker.Constant(maker.Tensor({1}), std::move(value));
  maker.Op<edit::PadV2OptionsT>("PADV2", {x, pairs, padding}, {maker.Result(padded.Result())});
  return maker.Made();
}

Case MakePadV2(Random& random, const Padded& padded, MoveMaker maker) {
  const int8_t type = maker.Tensor({}).type;
  if (type == oracle::kFloat32) return MakePadV2(padded, FloatBytes({-2.5f}), std::move(maker));
  oracle::Bytes value(static_cast<size_t>(oracle::BytesOf(type)));
  for (uint8_t& byte : value) byte = static_cast<uint8_t>(random.Next());
  return MakePadV2(padded, value, std::move(maker));
}

// Adds the 52 cases that PAD and PADV2 share.
void AddPads(MakePadded make, Series* series) {
  Random& random = series->random;
  const auto add = [&](const std::string& what, const Padded& padded, int8_t type = oracle::kInt8) {
    MoveMaker maker(random, type);
    series->Add(what, make(random, padded, std::move(maker)));
  };
  for (int rank = 1; rank <= 5; ++rank) {
    for (int repeat = 0; repeat < 4; ++repeat) add("rank" + std::to_string(rank), RandomPadded(random, rank));
  }
  add("none", {.shape = {1, 2, 3, 4}, .pairs = {0, 0, 0, 0, 0, 0, 0, 0}});
  for (size_t side = 0; side < 8; ++side) {
    Padded padded = {.shape = RandomShape(random, 4, 4), .pairs = std::vector<int32_t>(8)};
    padded.pairs[side] = random.Int(1, 3);
    add("one_side", padded);
  }
  // The padding is wider than the dimension.
  for (int rank = 1; rank <= 3; ++rank) {
    Padded padded = {.shape = RandomShape(random, rank, 2)};
    for (int i = 0; i < 2 * rank; ++i) padded.pairs.push_back(random.Int(3, 5));
    add("wide", padded);
  }
  // An image gets a border, as before a convolution.
  for (const int channels : MovedChannels()) {
    add("image", {.shape = {1, 5, 4, channels}, .pairs = {0, 0, 1, 1, random.OneIn(2), 1, 0, 0}});
  }
  for (const int before : {1, 3, 8}) {
    const auto after = random.Int(0, 11);
    add("channels", {.shape = {2, 2, 3, 5}, .pairs = {0, 0, 0, 0, 0, 0, before, after}});
  }
  for (const int8_t type : {oracle::kInt16, oracle::kInt32, oracle::kFloat32}) {
    add(TypeGroup(type), RandomPadded(random, 2), type);
    add(TypeGroup(type), RandomPadded(random, 4), type);
  }
  add("one", {.shape = {1}, .pairs = {1, 1}});
  add("one", {.shape = {1, 1, 1, 1}, .pairs = {0, 1, 0, 0, 0, 0, 1, 0}});
}

void GeneratePad(Series& series) {
  Random& random = series.random;
  AddPads(MakePad, &series);
  for (const int64_t zero : {-128, -127, -1, 0, 0, 1, 126, 127}) {
    const Padded padded = RandomPadded(random, 4);
    series.Add("zero_point", MakePad(random, padded, MoveMaker(random, zero)));
  }
}

void GeneratePadV2(Series& series) {
  Random& random = series.random;
  AddPads(MakePadV2, &series);
  for (const int64_t code : {-128, -127, -1, 0, 0, 1, 126, 127}) {
    const Padded padded = RandomPadded(random, 4);
    series.Add("value", MakePadV2(padded, {static_cast<uint8_t>(code)}, MoveMaker(random)));
  }
}

// ---- MIRROR_PAD

struct Mirror {
  int rank = 4;
  bool symmetric = false;  // The edge itself is repeated, too.
  bool full = false;       // The padding is as wide as mirroring allows.
  int8_t type = oracle::kInt8;
};

Case MakeMirrorPad(const Padded& padded, bool symmetric, MoveMaker maker) {
  const int x = maker.Moved(padded.shape);
  const int pairs = AddPairs(padded, &maker);
  maker.Op<edit::MirrorPadOptionsT>(
      "MIRROR_PAD", {x, pairs}, {maker.Result(padded.Result())},
      [&](auto& options) { options.mode = static_cast<decltype(options.mode)>(symmetric ? 1 : 0); });
  return maker.Made();
}

Case MakeMirrorPad(Random& random, const Mirror& mirror) {
  Padded padded = {.shape = RandomShape(random, mirror.rank, 4)};
  for (int32_t& dim : padded.shape) {
    ++dim;  // Reflection needs at least two elements.
    const int64_t most = mirror.symmetric ? dim : dim - 1;
    for (int side = 0; side < 2; ++side) {
      padded.pairs.push_back(static_cast<int32_t>(mirror.full ? most : random.Between(0, most)));
    }
  }
  return MakeMirrorPad(padded, mirror.symmetric, MoveMaker(random, mirror.type));
}

void GenerateMirrorPad(Series& series) {
  for (const bool symmetric : {false, true}) {
    const std::string mode = symmetric ? "symmetric" : "reflect";
    for (int rank = 1; rank <= 4; ++rank) {
      for (int repeat = 0; repeat < 3; ++repeat) {
        const Mirror mirror = {.rank = rank, .symmetric = symmetric, .full = repeat == 2 && rank < 4};
        series.Add(mode + (mirror.full ? ".full" : "") + ".rank" + std::to_string(rank),
                   MakeMirrorPad(series.random, mirror));
      }
    }
    for (const int rank : {2, 3, 4}) {
      const Mirror mirror = {.rank = rank, .symmetric = symmetric, .type = oracle::kFloat32};
      series.Add(mode + "." + TypeGroup(mirror.type), MakeMirrorPad(series.random, mirror));
    }
  }
}

// ---- Real sizes

// Adds paddings of arrays of other types. In PADV2's value one byte differs from the others, in each place
// once.
void AddPadTypes(Series series, bool has_value) {
  Random& random = series.random;
  const Padded deep = {.shape = {2, 3, 1, 2, 3}, .pairs = {1, 0, 0, 2, 1, 1, 0, 1, 2, 3}};
  const Padded wide = {.shape = {3, 67}, .pairs = {1, 2, 133, 261}};
  for (const int8_t type : OtherTypes()) {
    const auto size = static_cast<size_t>(oracle::BytesOf(type));
    for (size_t place = 0; place < (has_value && type != oracle::kBool ? size : 1); ++place) {
      oracle::Bytes value(size, static_cast<uint8_t>(type == oracle::kBool ? 0 : 3));
      value[place] = 1;
      for (const Padded& padded : {deep, wide}) {
        MoveMaker maker(random, type);
        series.Add(TypeGroup(type), Beyond(has_value ? MakePadV2(padded, value, std::move(maker))
                                                     : MakePad(random, padded, std::move(maker))));
      }
    }
  }
  MoveMaker maker(random, oracle::kInt64);
  maker.Widen();
  series.AddSmoke("smoke", Beyond(has_value ? MakePadV2(deep, {3, 1, 3, 3, 3, 3, 1, 3}, std::move(maker))
                                            : MakePad(random, deep, std::move(maker))));
}

void GenerateRealPads(MakePadded make, RealSizes& series) {
  const char* const op = series.op();
  Random& random = series.random;
  const auto padded = [&](const Padded& p) { return make(random, p, MoveMaker(random)); };
  for (const int32_t size : AroundPowers(64, 1024)) {
    const auto before = random.Int(0, 3);
    series.Add("row", padded({.shape = {2, size}, .pairs = {1, 0, before, 2}}));
    series.Add("outer", padded({.shape = {size, 17}, .pairs = {1, 2, 0, 1}}));
    series.Add("wide", padded({.shape = {3, 2}, .pairs = {0, 1, size, before}}));
    series.Add("image", padded({.shape = {1, 2, 3, size}, .pairs = {0, 0, 1, before, 2, 1, 0, 0}}));
  }
  for (int rank = 5; rank <= 6; ++rank) {
    for (int i = 0; i < 6; ++i)
      series.Add("rank" + std::to_string(rank), BeyondIf(rank > 5, padded(RandomPadded(random, rank))));
  }
  series.AddSmoke("smoke", padded({.shape = {2, 3, 4, 69}, .pairs = {0, 0, 1, 0, 1, 2, 0, 0}}));
  series.AddSmoke("smoke", padded({.shape = {67, 17}, .pairs = {1, 3, 0, 1}}));
  series.AddSmoke("smoke", padded({.shape = {3, 135}, .pairs = {1, 2, 71, 139}}));
  series.AddSmoke("smoke", padded({.shape = {2, 3, 2, 2, 3}, .pairs = {1, 0, 0, 1, 1, 1, 0, 2, 2, 1}}));
  series.AddSmoke(
      "smoke", Beyond(padded({.shape = {2, 1, 3, 2, 1, 3}, .pairs = {0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 2, 1}})));
  AddPadTypes(series.Part("types."), std::string_view(op) == "PADV2");
}

void GenerateRealMirrorPad(RealSizes& series) {
  for (const bool symmetric : {false, true}) {
    for (const int32_t size : AroundPowers(64, 256)) {
      series.Add("length", MakeMirrorPad({.shape = {2, size}, .pairs = {1, 0, size - 1, size / 2}}, symmetric,
                                         MoveMaker(series.random)));
    }
    series.AddSmoke(
        "rank5", MakeMirrorPad({.shape = {2, 3, 2, 3, 2}, .pairs = {1, 0, 2, 1, 0, 1, 1, 2, 1, 1}}, symmetric,
                               MoveMaker(series.random)));
    series.AddSmoke("smoke", MakeMirrorPad({.shape = {3, 4, 67}, .pairs = {2, 1, 1, 3, 66, 31}}, symmetric,
                                           MoveMaker(series.random)));
  }
  Series types = series.Part("types.");
  for (const bool symmetric : {false, true}) {
    for (const int8_t type : OtherTypes()) {
      types.Add(TypeGroup(type), Beyond(MakeMirrorPad({.shape = {3, 4, 19}, .pairs = {1, 2, 3, 0, 11, 18}},
                                                      symmetric, MoveMaker(types.random, type))));
    }
    types.AddSmoke("rank6", Beyond(MakeMirrorPad(
                                {.shape = {2, 3, 2, 3, 2, 4}, .pairs = {0, 1, 1, 2, 1, 0, 2, 1, 0, 1, 3, 1}},
                                symmetric, MoveMaker(types.random, oracle::kInt16))));
  }
}

Padded DrawPadded(Random& random) {
  Padded padded = {.shape = DrawShape(random, 1, 5, DrawBudget(random, 512))};
  for (size_t i = 0; i < 2 * padded.shape.size(); ++i) {
    padded.pairs.push_back(random.OneIn(8) ? random.Int(0, 20) : random.Int(0, 2));
  }
  return padded;
}

template <MakePadded make>
Case DrawPad(Random& random) {
  const Padded padded = DrawPadded(random);
  const bool is_beyond = padded.shape.size() > 4;
  return BeyondIf(is_beyond, make(random, padded, MoveMaker(random, DrawMovedType(random))));
}

Case DrawMirrorPad(Random& random) {
  const bool symmetric = random.OneIn(2);
  Padded padded = {.shape = DrawShape(random, 1, 5, DrawBudget(random, 512))};
  for (const int32_t dim : padded.shape) {
    const int32_t most = symmetric ? dim : dim - 1;
    for (int side = 0; side < 2; ++side)
      padded.pairs.push_back(random.Int(0, std::min(most, random.OneIn(6) ? 40 : 3)));
  }
  const int8_t type = DrawMovedType(random);
  const bool is_beyond = padded.shape.size() > 4 || type != oracle::kInt8;
  return BeyondIf(is_beyond, MakeMirrorPad(padded, symmetric, MoveMaker(random, type)));
}

}  // namespace

extern const CaseFamilies kPadCases = {
    Family(
        "PAD", GeneratePad, [](RealSizes& series) { GenerateRealPads(MakePad, series); }, DrawPad<MakePad>),
    Family(
        "PADV2", GeneratePadV2, [](RealSizes& series) { GenerateRealPads(MakePadV2, series); },
        DrawPad<MakePadV2>),
    Family("MIRROR_PAD", GenerateMirrorPad, GenerateRealMirrorPad, DrawMirrorPad),
};

}  // namespace lutra::conformance
