// SPDX-License-Identifier: Apache-2.0
// Cases of SELECT_V2: a tensor of booleans selects elements of two others; all three broadcast.

#include "conformance/generator/draw.h"
#include "conformance/generator/moves.h"
#include "conformance/generator/two_operands.h"

namespace lutra::conformance {
namespace {

struct Select {
  oracle::Shape condition, x, y;
  oracle::Shape result = {2, 3, 4, 5};
  bool constant_condition = false, constant_x = false;
};

Case Make(Random& random, const Select& s) {
  ModelMaker maker;
  const float scale = random.Scale(-6, 0);
  const int64_t zero = random.ZeroPoint();
  const auto operand = [&](const MadeTensor& tensor, bool is_constant) {
    oracle::Bytes bytes = MakeCodes(random, oracle::ElementCount(tensor.shape), Values::kRandom);
    if (tensor.type == oracle::kBool) {
      for (uint8_t& byte : bytes) byte &= 1;
    }
    return maker.Operand(tensor, std::move(bytes), is_constant);
  };
  const auto codes = [&](const oracle::Shape& shape) {
    return MadeTensor{.shape = shape, .scale = scale, .zero_point = zero};
  };
  const int condition = operand({.shape = s.condition, .type = oracle::kBool}, s.constant_condition);
  const int x = operand(codes(s.x), s.constant_x);
  const int y = operand(codes(s.y), false);
  maker.Op<edit::SelectV2OptionsT>("SELECT_V2", {condition, x, y}, {maker.Output(codes(s.result))});
  return maker.Made();
}

void GenerateSelect(Series& series) {
  const auto add = [&](const std::string& what, const Select& s) {
    series.Add(what, Make(series.random, s));
  };
  for (const oracle::Shape& shape : {oracle::Shape{1}, {16}, {17}, {3, 33}, {2, 3, 5, 7}}) {
    add("same", {.condition = shape, .x = shape, .y = shape, .result = shape});
  }
  const oracle::Shape full = Select{}.result;
  for (unsigned mask = 1; mask < 16; ++mask) {
    add("condition", {.condition = WithOnes(full, mask), .x = full, .y = full});
    add("operands", {.condition = full, .x = WithOnes(full, mask), .y = WithOnes(full, 15 - mask)});
  }
  add("scalar.condition", {.condition = {}, .x = full, .y = full});
  add("scalar.operands", {.condition = full, .x = {}, .y = {}});
  add("fewer_dimensions", {.condition = {5}, .x = full, .y = {4, 1}});
  add("fewer_dimensions", {.condition = {4, 5}, .x = {3, 1, 1}, .y = full});
  add("constant.condition", {.condition = full, .x = full, .y = full, .constant_condition = true});
  add("constant.first", {.condition = full, .x = {5}, .y = full, .constant_x = true});
}

// Makes a case of other types.
Case MakeTyped(Random& random, const Select& s, int8_t type) {
  MoveMaker maker(random, type);
  const int x = maker.Moved(s.x), y = maker.Moved(s.y);
  const int condition = maker.Input({.shape = s.condition, .type = oracle::kBool});
  maker.Op<edit::SelectV2OptionsT>("SELECT_V2", {condition, x, y}, {maker.Result(s.result)});
  Case test = maker.Made();
  oracle::Bytes& bools = test.inputs.emplace_back();
  for (int64_t i = oracle::ElementCount(s.condition); i > 0; --i) bools.push_back(random.OneIn(2) ? 1 : 0);
  return test;
}

void AddSelectTypes(Series series) {
  Random& random = series.random;
  const oracle::Shape whole = {3, 5, 37};
  for (const int8_t type : OtherTypes()) {
    series.Add(
        TypeGroup(type),
        Beyond(MakeTyped(random, {.condition = whole, .x = whole, .y = whole, .result = whole}, type)));
    series.Add(
        TypeGroup(type),
        Beyond(MakeTyped(random, {.condition = {3, 1, 37}, .x = {5, 1}, .y = whole, .result = whole}, type)));
  }
  series.Add("far", Make(random,
                         {.condition = {3, 521, 1}, .x = {521, 5}, .y = {3, 521, 5}, .result = {3, 521, 5}}));
  series.AddSmoke(
      "smoke",
      Beyond(MakeTyped(random, {.condition = {3, 5, 1}, .x = {3, 1, 7}, .y = {3, 5, 7}, .result = {3, 5, 7}},
                       oracle::kInt64)));
}

void GenerateRealSelect(RealSizes& series) {
  Random& random = series.random;
  for (const int32_t count : AroundPowers(64, 1024)) {
    const oracle::Shape whole = {2, count};
    series.Add("count", Make(random, {.condition = whole, .x = whole, .y = whole, .result = whole}));
    series.Add("row", Make(random, {.condition = {2, 1}, .x = {count}, .y = whole, .result = whole}));
  }
  for (int rank = 5; rank <= 6; ++rank) {
    for (int i = 0; i < 10; ++i) {
      oracle::Shape whole = DrawBroadcast(random, rank, 11).a;
      for (int32_t& dim : whole) dim = dim == 1 ? 2 : dim;
      Select s = {.result = whole};
      const auto mask = static_cast<unsigned>(random.Between(0, 63)),
                 other = static_cast<unsigned>(random.Between(0, 63));
      s.condition = WithOnes(whole, mask & ~other);
      s.x = WithOnes(whole, other);
      s.y = WithOnes(whole, mask & other ? 0 : mask);
      series.Add("rank" + std::to_string(rank), Make(random, s));
    }
  }
  const oracle::Shape whole = {2, 2, 3, 2, 71};
  series.AddSmoke(
      "smoke", Make(random, {.condition = {2, 1, 3, 1, 71}, .x = whole, .y = {2, 1, 2, 1}, .result = whole}));
  series.AddSmoke("smoke",
                  Make(random, {.condition = {3, 389}, .x = {3, 389}, .y = {3, 389}, .result = {3, 389}}));
  AddSelectTypes(series.Part("types."));
}

Case DrawSelect(Random& random) {
  const BroadcastPair pair = DrawBroadcastPair(random, DrawBudget(random, 512));
  Select s;
  s.result = BroadcastShape(pair.a, pair.b);
  const oracle::Shape third = WithOnes(s.result, static_cast<unsigned>(random.Int(0, 63)));
  const int order = random.Int(0, 2);
  s.condition = order == 0 ? third : pair.a;
  s.x = order == 1 ? third : order == 0 ? pair.a : pair.b;
  s.y = order == 2 ? third : pair.b;
  if (const int8_t type = DrawMovedType(random); type != oracle::kInt8)
    return Beyond(MakeTyped(random, s, type));
  s.constant_condition = random.OneIn(5);
  s.constant_x = random.OneIn(5);
  return BeyondIf(s.result.size() > 4, Make(random, s));
}

}  // namespace

extern const CaseFamilies kSelectCases = {
    Family("SELECT_V2", GenerateSelect, GenerateRealSelect, DrawSelect),
};

}  // namespace lutra::conformance
