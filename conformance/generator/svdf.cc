// SPDX-License-Identifier: Apache-2.0
// Cases of SVDF: states of both types, several inferences, sums up to the limits of the state.

#include "conformance/generator/draw.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

struct Svdf {
  bool int16_state = true;
  int batches = 1, size = 6, units = 4, rank = 1, memory = 5;
  float in_scale = 0.25f, feature_scale = 0.25f, state_scale = 0.25f, time_scale = 0.25f, out_scale = 0.5f;
  int64_t in_zero = 0, state_zero = 0, out_zero = 0;
  Values values = Values::kRandom;
  int64_t largest_weight = 127;
  bool positive = false;  // No feature weight is negative.
  int32_t largest_bias = 2000;
  bool has_bias = true;
  int invokes = 3;
};

Case Make(Random& random, const Svdf& c) {
  constexpr int8_t kRelu = 1;  // Converters write it; it has no effect.
  const int filters = c.units * c.rank;
  const int8_t state_type = c.int16_state ? oracle::kInt16 : oracle::kInt8;
  const auto weights = [&](int columns, int64_t largest, int8_t type, bool positive = false) {
    std::vector<int16_t> codes;
    for (int i = 0; i < filters * columns; ++i) {
      codes.push_back(static_cast<int16_t>(random.Between(positive ? 0 : -largest, largest)));
    }
    return type == oracle::kInt16 ? ToBytes(codes) : ToBytes(std::vector<int8_t>(codes.begin(), codes.end()));
  };
  ModelMaker maker;
  const int x = maker.Input({.shape = {c.batches, c.size}, .scale = c.in_scale, .zero_point = c.in_zero});
  const int feature = maker.Constant({.shape = {filters, c.size}, .scale = c.feature_scale},
                                     weights(c.size, c.largest_weight, oracle::kInt8, c.positive));
  // Sums over rank * memory int16 products stay far below 2^31.
  const int64_t largest_time = c.int16_state ? c.largest_weight * 3 : c.largest_weight;
  const int time = maker.Constant({.shape = {filters, c.memory}, .type = state_type, .scale = c.time_scale},
                                  weights(c.memory, largest_time, state_type));
  int bias = -1;
  if (c.has_bias) {
    std::vector<int32_t> values;
    for (int i = 0; i < c.units; ++i) {
      values.push_back(random.Int(-c.largest_bias, c.largest_bias));
    }
    bias = maker.Constant({.shape = {c.units}, .type = oracle::kInt32, .scale = c.state_scale * c.time_scale},
                          ToBytes(values));
  }
  const int state = maker.Activation({.shape = {c.batches, filters * c.memory},
                                      .type = state_type,
                                      .scale = c.state_scale,
                                      .zero_point = c.state_zero,
                                      .is_variable = true});
  const int y = maker.Output({.shape = {c.batches, c.units}, .scale = c.out_scale, .zero_point = c.out_zero});
  maker.Op<edit::SVDFOptionsT>("SVDF", {x, feature, time, bias, state}, {y}, [&](auto& options) {
    options.rank = c.rank;
    options.fused_activation_function = kRelu;
  });
  return {.model = maker.Finish(),
          .inputs = {MakeCodes(random, int64_t{c.batches} * c.size, c.values, c.in_zero)},
          .invokes = c.invokes};
}

// Draws scales with which both sums fill the range of their results.
Svdf Typical(Random& random, bool int16_state) {
  Svdf c;
  c.int16_state = int16_state;
  c.batches = random.OneIn(3) ? 2 : 1;
  c.size = random.Int(1, 20);
  c.units = random.Int(1, 9);
  c.rank = random.Int(1, 3);
  c.memory = random.Int(1, 8);
  c.in_scale = random.Scale(-5, -2);
  c.feature_scale = random.Scale(-8, -6);
  c.state_scale = c.in_scale * c.feature_scale * (int16_state ? random.Scale(-1, 1) : random.Scale(7, 8));
  c.time_scale = random.Scale(-10, -7);
  c.out_scale = c.state_scale * c.time_scale * (int16_state ? random.Scale(16, 18) : random.Scale(6, 8));
  c.in_zero = random.ZeroPoint();
  c.out_zero = random.ZeroPoint();
  // With a zero point, sums must not reach the state's limits: versions of TensorFlow Lite Micro differ in
  // whether they add it before the clamp.
  if (!int16_state && random.OneIn(2)) {
    c.state_zero = random.Between(-10, 10);
    const double largest = static_cast<double>(c.largest_weight) * 255 * c.size / 117;
    c.state_scale = c.in_scale * c.feature_scale * std::ldexp(1.0f, std::ilogb(largest) + 1);
    c.out_scale = c.state_scale * c.time_scale * random.Scale(4, 6);
  }
  c.invokes = random.Int(1, c.memory + 2);
  return c;
}

// Shifts of both steps are near zero, and sums are so small that they do not saturate.
Svdf SmallSums(Random& random) {
  Svdf c;
  c.int16_state = random.OneIn(2);
  c.size = 2;
  c.units = 9;
  c.memory = 2;
  const int first = random.Int(-4, -1);
  const int second = random.Int(-4, -1);
  c.in_scale = random.OneIn(2) ? std::ldexp(1.0f, first) : random.Scale(first, first);
  c.feature_scale = c.state_scale = c.out_scale = 1.0f;
  c.time_scale = random.OneIn(2) ? std::ldexp(1.0f, second) : random.Scale(second, second);
  c.largest_weight = 3;
  c.largest_bias = 100;
  c.values = Values::kNearZeroPoint;
  c.in_zero = random.Between(-100, 100);
  c.invokes = 2;
  return c;
}

void GenerateSvdf(Series& series) {
  Random& random = series.random;
  for (const bool int16_state : {true, false}) {
    const std::string name = int16_state ? "int16_state" : "int8_state";
    for (int repeat = 0; repeat < 12; ++repeat) {
      series.Add(name + ".random", Make(random, Typical(random, int16_state)));
    }
    for (const int invokes : {1, 2, 4, 9}) {
      Svdf c = Typical(random, int16_state);
      c.memory = 4;
      c.invokes = invokes;
      series.Add(name + ".invokes", Make(random, c));
    }
    for (const Values values : {Values::kLow, Values::kHigh, Values::kExtremes}) {
      Svdf c = Typical(random, int16_state);
      c.values = values;
      c.in_zero = random.OneIn(2) ? -128 : 127;
      series.Add(name + ".extremes", Make(random, c), {ToString(values)});
    }
    // The state saturates in these.
    for (int repeat = 0; repeat < 3; ++repeat) {
      Svdf c = Typical(random, int16_state);
      c.size = 20;
      c.state_zero = 0;
      c.state_scale = c.in_scale * c.feature_scale * random.Scale(int16_state ? -3 : 4, int16_state ? -3 : 4);
      c.values = Values::kExtremes;
      series.Add(name + ".saturated", Make(random, c), {"saturation"});
    }
    Svdf c = Typical(random, int16_state);
    c.has_bias = false;
    series.Add(name + ".no_bias", Make(random, c));
  }
  series.AddSeparators(14, 300, [](Random& r) { return Make(r, SmallSums(r)); });
}

// ---- Real sizes

Case MakeRealSvdf(Random& random, bool int16_state, const SizeList& s) {
  Svdf c = Typical(random, int16_state);
  // Typical scales suit sums over a few products.
  const float more = std::ldexp(1.0f, std::max(std::ilogb(static_cast<double>(s[0])) / 2 - 2, 0));
  c.state_zero = 0;
  c.size = s[0];
  c.units = s[1];
  c.memory = s[2];
  c.rank = s[3];
  c.batches = s[4];
  c.state_scale =
      c.in_scale * c.feature_scale * more * (int16_state ? random.Scale(-1, 1) : random.Scale(7, 8));
  c.out_scale = c.state_scale * c.time_scale * (int16_state ? random.Scale(18, 20) : random.Scale(8, 10));
  c.invokes = random.Int(2, 4);
  return Make(random, c);
}

// The state saturates at the end from which its zero point moves it away; nothing wraps.
Case MakeClamped(Random& random, bool high) {
  Svdf c = Typical(random, false);
  c.size = 20;
  c.in_zero = high ? -128 : 127;
  c.values = high ? Values::kHigh : Values::kLow;
  c.positive = true;
  c.memory = 3;
  c.state_zero = high ? -9 : 9;
  c.state_scale = c.in_scale * c.feature_scale * random.Scale(10, 10);
  c.out_zero = random.Between(-20, 20);
  c.out_scale = c.state_scale * c.time_scale * random.Scale(8, 8);
  return Make(random, c);
}

void GenerateRealSvdf(RealSizes& series) {
  Random& random = series.random;
  const auto fits = [](const SizeList& s) { return Product(s) * 4 <= kUsualProducts; };
  for (const bool int16_state : {true, false}) {
    const std::string name = int16_state ? "int16_state" : "int8_state";
    // The sizes are inputs, units and memory; then come filters of a unit, and batches.
    for (SizeList s : PairedSizes({{4, 1024}, {4, 256}, {1, 64}}, fits)) {
      s.push_back(random.Int(1, 3));
      s.push_back(static_cast<int32_t>(random.OneIn(2) ? 1 : random.Between(2, 5)));
      series.Add(name + ".dims", MakeRealSvdf(random, int16_state, s));
    }
    series.AddSmoke("smoke", MakeRealSvdf(random, int16_state, {13, 70, 5, 1, 3}));
    series.AddSmoke("smoke", MakeRealSvdf(random, int16_state, {267, 11, 3, 2, 2}));
    series.AddSmoke("smoke", MakeRealSvdf(random, int16_state, {7, 23, 133, 3, 1}));
  }
  for (const bool high : {true, false}) series.AddSmoke("int8_state.clamped", MakeClamped(random, high));
}

Case DrawSvdf(Random& random) {
  Svdf c = Typical(random, !random.OneIn(3));
  c.batches = random.OneIn(3) ? random.Int(1, 4) : 1;
  c.size = DrawSize(random, 300);
  c.units = DrawSize(random, std::max(1, 4096 / c.size));
  c.rank = random.Int(1, 3);
  c.memory = DrawSize(random, 20);
  c.values = DrawValues(random);
  c.has_bias = !random.OneIn(4);
  c.invokes = random.Int(1, 6);
  c.state_zero = 0;
  return Make(random, c);
}

}  // namespace

extern const CaseFamilies kSvdfCases = {
    Family("SVDF", GenerateSvdf, GenerateRealSvdf, DrawSvdf),
};

}  // namespace lutra::conformance
