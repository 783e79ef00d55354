// SPDX-License-Identifier: Apache-2.0
// Cases of PRELU: the slope, operand b, is broadcast to the input, never the input to the slope.

#include <algorithm>

#include "conformance/generator/draw.h"
#include "conformance/generator/series.h"
#include "conformance/generator/two_operands.h"

namespace lutra::conformance {
namespace {

void DrawPreluScales(Random& random, Scales kind, int reach, TwoOperands* t) {
  const int exponent = random.Int(-8, 0);
  t->a_scale = DrawScale(random, kind, exponent);
  t->b_scale = DrawScale(random, kind, random.Int(-6 - reach, -4));
  t->out_scale = DrawScale(random, kind, std::ilogb(t->a_scale) + random.Int(-1, reach));
}

void AppendPrelu(ModelMaker& maker, const char* op, const std::vector<int>& inputs, int output, int8_t) {
  maker.Op(op, inputs, {output});
}

constexpr ElementwiseOp kPrelu = {
    .name = "PRELU", .append = AppendPrelu, .draw_scales = DrawPreluScales, .has_activation = false};

TwoOperands Draw(Random& random, Scales kind, int reach = 2) {
  TwoOperands t;
  DrawPreluScales(random, kind, reach, &t);
  DrawZeroPoints(random, &t);
  t.b_constant = true;
  return t;
}

TwoOperands Draw(Random& random) {
  return Draw(random, static_cast<Scales>(random.Between(0, kScaleKinds - 1)));
}

void GeneratePrelu(Series& series) {
  Random& random = series.random;
  const auto add = [&](const std::string& what, const TwoOperands& t, std::vector<std::string> tags = {}) {
    series.Add(what, MakeElementwise(random, kPrelu, t), std::move(tags));
  };
  for (const int channels : {1, 3, 4, 8, 15, 16, 17, 31, 33}) {
    TwoOperands t = Draw(random);
    t.a = {random.Int(1, 3), 3, 5, channels};
    t.b = {1, 1, channels};
    if (random.OneIn(3)) t.b = {channels};
    add("per_channel", t);
  }
  for (unsigned mask = 0; mask < 16; ++mask) {
    TwoOperands t = Draw(random);
    t.a = {2, 3, 4, 5};
    t.b = WithOnes(t.a, mask);
    add("broadcast", t);
  }
  for (const oracle::Shape& slope : {oracle::Shape{}, {1}, {7}, {6, 1}, {6, 7}, {5, 1, 1}}) {
    TwoOperands t = Draw(random);
    t.a = {2, 5, 6, 7};
    t.b = slope;
    add("fewer_dimensions", t);
  }
  for (const int size : {1, 16, 45}) {
    TwoOperands t = Draw(random);
    t.a = t.b = {1, size};
    t.b_constant = false;
    add("computed_slope", t);
  }
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    TwoOperands t = Draw(random);
    t.a = {1, 4, 4, 9};
    t.b = {1, 1, 9};
    t.a_zero = zero;
    t.a_values = static_cast<Values>(random.Between(0, kValueKinds - 1));
    t.b_values = static_cast<Values>(random.Between(0, kValueKinds - 1));
    add("zero_point", t, {ToString(t.a_values)});
  }
  for (int kind = 0; kind < kScaleKinds; ++kind) {
    for (const int reach : {1, 8}) {
      TwoOperands t = Draw(random, static_cast<Scales>(kind), reach);
      t.a = {1, 7, 7, 3};
      t.b = {1, 1, 3};
      add(std::string("scales.") + ToString(static_cast<Scales>(kind)), t);
    }
  }
  // The input has every code, and slopes are a few values.
  for (int i = 0; i < 6; ++i) {
    TwoOperands t = Draw(random);
    t.a = {1, 1, 256, 8};
    t.b = {1, 1, 8};
    t.a_codes = EveryCode(8);
    t.b_codes = MakeCodes(random, 6, Values::kRandom);
    t.b_codes.insert(t.b_codes.end(), {0x80, 0x7F});
    add("exhaustive", t);
  }
  series.AddSeparators(10, 600, [](Random& r) {
    TwoOperands t = Draw(r, r.OneIn(4) ? Scales::kRandom : Scales::kSmall, 1);
    t.a = {1, 5, 5, 17};
    t.b = {1, 1, 17};
    return MakeElementwise(r, kPrelu, t);
  });
}

// The slopes have dimensions of 1, or lack dimensions, wherever they may.
void GenerateRealPrelu(RealSizes& series) {
  Random& random = series.random;
  const auto make = [&](const oracle::Shape& input, const oracle::Shape& slope) {
    TwoOperands t = Draw(random);
    t.a = input;
    t.b = slope;
    return MakeElementwise(random, kPrelu, t);
  };
  for (const int32_t channels : AroundPowers(64, 1024)) {
    series.Add("channels", make({2, 3, channels}, {channels}));
    series.Add("count", make({channels}, {channels}));
  }
  for (int rank = 5; rank <= 6; ++rank) {
    for (int i = 0; i < 8; ++i) {
      oracle::Shape input = DrawBroadcast(random, rank, 9).a;
      for (int32_t& dim : input) dim = std::max(dim, 2);
      series.Add("rank" + std::to_string(rank),
                 make(input, WithOnes(input, static_cast<unsigned>(random.Between(0, 63)))));
    }
  }
  series.AddSmoke("smoke", make({2, 3, 2, 2, 69}, {3, 1, 2, 69}));
  series.AddSmoke("smoke", make({2, 2, 3, 2, 2, 13}, {2, 3, 1, 2, 1}));
  series.AddSmoke("smoke", make({3, 519}, {519}));
}

Case DrawPrelu(Random& random) {
  TwoOperands t = Draw(random, static_cast<Scales>(random.Int(0, kScaleKinds - 1)), random.OneIn(4) ? 8 : 2);
  t.a = DrawShape(random, 1, 4, DrawBudget(random, 512));
  t.b = WithOnes(t.a, static_cast<unsigned>(random.Int(0, 15)));
  if (random.OneIn(3)) t.b.erase(t.b.begin(), t.b.begin() + random.Int(0, static_cast<int>(t.b.size()) - 1));
  // A dimension that the slope lacks must be repeated in the input, or 1.
  t.a_values = DrawValues(random);
  t.b_values = DrawValues(random);
  return MakeElementwise(random, kPrelu, t);
}

}  // namespace

extern const CaseFamilies kPreluCases = {
    Family("PRELU", GeneratePrelu, GenerateRealPrelu, DrawPrelu),
};

}  // namespace lutra::conformance
