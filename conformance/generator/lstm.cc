// SPDX-License-Identifier: Apache-2.0
// Cases of UNIDIRECTIONAL_SEQUENCE_LSTM of int8 and int16: batches, steps and units of all sizes, gates that
// saturate, clips, cell states of every scale that converters write and of some others.

#include "conformance/generator/draw.h"
#include "conformance/generator/int16.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

constexpr int kGates = 4;

struct Lstm {
  int batches = 1, times = 3, depth = 5, units = 4;
  bool time_major = false;
  float in_scale = 0.0078125f, hidden_scale = 0.0078125f, cell_scale = 0.00048828125f;
  // The scale of each weight is drawn between 2^low and 2^high.
  int weights_low = -9, weights_high = -7;
  int64_t in_zero = 0, hidden_zero = 0;
  int64_t largest_weight = 127;
  int32_t largest_bias = 4000;
  float cell_clip = 0;
  Values values = Values::kRandom;
  int invokes = 2;
  bool is_int16 = false;    // Activations are int16, biases int64.
  float weights_scale = 0;  // If not 0, the scale of all weights.
};

// Turns the case into one of int16, whose codes are 256 times as fine.
Lstm Int16Of(Random& random, Lstm c) {
  c.is_int16 = true;
  c.in_scale /= 256;
  c.hidden_scale /= 256;
  c.in_zero = Int16ZeroPoint(random);
  if (c.hidden_zero != 0) c.hidden_zero = Int16ZeroPoint(random);
  return c;
}

int AddWeights(Random& random, const Lstm& c, int columns, ModelMaker* maker) {
  std::vector<int8_t> codes;
  for (int i = 0; i < c.units * columns; ++i) {
    codes.push_back(static_cast<int8_t>(random.Between(-c.largest_weight, c.largest_weight)));
  }
  const float drawn = random.Scale(c.weights_low, c.weights_high);
  const float scale = c.weights_scale != 0 ? c.weights_scale : drawn;
  return maker->Constant({.shape = {c.units, columns}, .scale = scale}, ToBytes(codes));
}

int AddBias(const Lstm& c, const std::vector<int32_t>& bias, float scale, ModelMaker* maker) {
  if (!c.is_int16) {
    return maker->Constant({.shape = {c.units}, .type = oracle::kInt32, .scale = scale}, ToBytes(bias));
  }
  std::vector<int64_t> fine;
  for (const int32_t code : bias) fine.push_back(int64_t{code} * 256);
  return maker->Constant({.shape = {c.units}, .type = oracle::kInt64, .scale = scale}, ToBytes(fine));
}

Case Make(Random& random, const Lstm& c) {
  constexpr int8_t kTanh = 4;
  constexpr int kAbsent = -1;
  ModelMaker maker;
  const int8_t type = c.is_int16 ? int8_t{oracle::kInt16} : int8_t{oracle::kInt8};
  const auto steps = [&](int depth) {
    return c.time_major ? oracle::Shape{c.times, c.batches, depth} : oracle::Shape{c.batches, c.times, depth};
  };
  std::vector<int> operands = {
      maker.Input({.shape = steps(c.depth), .type = type, .scale = c.in_scale, .zero_point = c.in_zero})};
  for (int gate = 0; gate < kGates; ++gate) operands.push_back(AddWeights(random, c, c.depth, &maker));
  for (int gate = 0; gate < kGates; ++gate) operands.push_back(AddWeights(random, c, c.units, &maker));
  operands.insert(operands.end(), 3, kAbsent);
  for (int gate = 0; gate < kGates; ++gate) {
    std::vector<int32_t> bias;
    for (int i = 0; i < c.units; ++i) bias.push_back(random.Int(-c.largest_bias, c.largest_bias));
    const float scale =
        c.in_scale * maker.tensor(operands[static_cast<size_t>(1 + gate)]).quantization->scale[0];
    operands.push_back(AddBias(c, bias, scale, &maker));
  }
  operands.insert(operands.end(), 2, kAbsent);
  operands.push_back(maker.Activation({.shape = {c.batches, c.units},
                                       .type = type,
                                       .scale = c.hidden_scale,
                                       .zero_point = c.hidden_zero,
                                       .is_variable = true}));
  operands.push_back(maker.Activation(
      {.shape = {c.batches, c.units}, .type = oracle::kInt16, .scale = c.cell_scale, .is_variable = true}));
  operands.insert(operands.end(), 4, kAbsent);
  const int y = maker.Output(
      {.shape = steps(c.units), .type = type, .scale = c.hidden_scale, .zero_point = c.hidden_zero});
  maker.Op<edit::UnidirectionalSequenceLSTMOptionsT>("UNIDIRECTIONAL_SEQUENCE_LSTM", operands, {y},
                                                     [&](auto& options) {
                                                       options.fused_activation_function = kTanh;
                                                       options.cell_clip = c.cell_clip;
                                                       options.time_major = c.time_major;
                                                     });
  return {
      .model = maker.Finish(),
      .inputs = {c.is_int16 ? Int16Codes(random, steps(c.depth))
                            : MakeCodes(random, int64_t{c.batches} * c.times * c.depth, c.values, c.in_zero)},
      .invokes = c.invokes};
}

// Draws a case like those of converters.
Lstm Typical(Random& random) {
  Lstm c;
  c.batches = random.OneIn(3) ? random.Int(2, 3) : 1;
  c.times = random.Int(1, 6);
  c.depth = random.Int(1, 20);
  c.units = random.Int(1, 12);
  c.time_major = random.OneIn(3);
  c.in_scale = random.Scale(-9, -5);
  c.hidden_scale = random.OneIn(2) ? 0.0078125f : random.Scale(-9, -7);
  c.cell_scale = std::ldexp(1.0f, random.Int(-15, -8));
  c.in_zero = random.ZeroPoint();
  c.hidden_zero = random.OneIn(2) ? 0 : random.Between(-60, 60);
  if (random.OneIn(4)) c.cell_clip = random.Scale(-3, 2);
  c.invokes = random.Int(1, 3);
  return c;
}

// The precision of products of scales changes one in some 10,000 gates by one, and that seldom changes a
// code.
Case MakePrecise(int number) {
  Random random("lstm.precision." + std::to_string(number));
  Lstm c = Typical(random);
  c.batches = 1;
  c.times = 40;
  c.units = 12;
  c.cell_clip = 0;
  c.cell_scale = 0x1p-14f;
  c.hidden_scale = 0x1.3p-9f;
  c.weights_low = -8;
  c.weights_high = -6;
  c.invokes = 1;
  return Make(random, c);
}

void GenerateLstm(Series& series) {
  Random& random = series.random;
  for (int repeat = 0; repeat < 24; ++repeat) series.Add("random", Make(random, Typical(random)));
  for (const bool time_major : {false, true}) {
    for (int batches = 1; batches <= 3; ++batches) {
      Lstm c = Typical(random);
      c.time_major = time_major;
      c.batches = batches;
      c.times = 4;
      series.Add("order", Make(random, c));
    }
  }
  for (const int invokes : {1, 2, 5}) {
    Lstm c = Typical(random);
    c.invokes = invokes;
    series.Add("invokes", Make(random, c));
  }
  for (const Values values : {Values::kLow, Values::kHigh, Values::kExtremes, Values::kNearZeroPoint}) {
    Lstm c = Typical(random);
    c.values = values;
    c.in_zero = random.OneIn(2) ? -128 : 127;
    series.Add("values", Make(random, c), {ToString(values)});
  }
  // The tanh of the cell needs a shift to the right, none, or one to the left.
  for (int exponent = -16; exponent <= -6; ++exponent) {
    Lstm c = Typical(random);
    c.cell_scale = std::ldexp(1.0f, exponent);
    series.Add("cell_scale", Make(random, c));
  }
  for (int repeat = 0; repeat < 6; ++repeat) {
    Lstm c = Typical(random);
    c.cell_scale = random.Scale(-14, -9);
    series.Add("cell_scale.any", Make(random, c));
  }
  // Gates leave the range of the tables, and products saturate before and after their sum.
  for (int repeat = 0; repeat < 8; ++repeat) {
    Lstm c = Typical(random);
    c.weights_low = -6;
    c.weights_high = -2;
    c.largest_bias = 100000;
    c.cell_scale = std::ldexp(1.0f, random.Int(-15, -13));
    c.times = 8;
    c.values = repeat % 2 == 0 ? Values::kExtremes : Values::kRandom;
    series.Add("saturated", Make(random, c), {"saturation"});
  }
  for (int repeat = 0; repeat < 6; ++repeat) {
    Lstm c = Typical(random);
    c.cell_clip = random.Scale(-4, 1);
    c.weights_high = -5;
    series.Add("clip", Make(random, c));
  }
  series.AddSeparators(8, 400, [](Random& r) { return Make(r, Typical(r)); }, {.rules = 2});
  // These two differ, among 6,000 that were tried.
  for (const int number : {860, 5846}) series.Add("precision", MakePrecise(number));
  // A clip of less than a unit keeps the cell at 0.
  for (const int exponent : {-2, -8}) {
    Lstm c = Typical(random);
    c.cell_scale = std::ldexp(1.0f, exponent);
    c.cell_clip = c.cell_scale * 0.75f;
    series.Add("clip.less_than_a_unit", Make(random, c));
  }
}

void GenerateRealLstm(RealSizes& series) {
  Random& random = series.random;
  for (const auto& [depth, units] :
       {std::pair{28, 20}, {64, 33}, {129, 65}, {257, 128}, {1, 130}, {300, 1}}) {
    Lstm c = Typical(random);
    c.batches = 1;
    c.depth = depth;
    c.units = units;
    c.times = 2;
    c.weights_low = -11;
    c.weights_high = -9;
    if (units == 33) {
      series.AddSmoke("smoke", Make(random, c));
    } else {
      series.Add("size", Make(random, c));
    }
  }
  Lstm c = Typical(random);
  c.times = 130;
  series.Add("times", Make(random, c));
  c.batches = 17;
  c.times = 3;
  series.Add("batches", Make(random, c));
}

Lstm DrawnLstm(Random& random) {
  Lstm c = Typical(random);
  c.batches = random.OneIn(3) ? random.Int(1, 4) : 1;
  c.times = DrawSize(random, 12);
  c.depth = DrawSize(random, 80);
  c.units = DrawSize(random, 60);
  c.weights_low = random.Int(-12, -5);
  c.weights_high = c.weights_low + random.Int(0, 3);
  c.values = DrawValues(random);
  // The cell's shift is from -30 to 14.
  if (random.OneIn(6)) c.cell_scale = std::ldexp(1.0f, random.Int(-42, 2));
  return c;
}

Case DrawLstm(Random& random) { return Make(random, DrawnLstm(random)); }

// ---- Of int16.

Case MakeInt16(Random& random, const Lstm& c) { return Make(random, Int16Of(random, c)); }

// Draws a scale of weights whose product with the input's has other 15 bits in float32 than in double.
float SeparatingScale(Random& random, float in_scale) {
  for (;;) {
    const float scale = random.Scale(-9, -7), product = in_scale * scale;
    const auto reduced = [](double factor) {
      return (oracle::QuantizeMultiplier(factor * 4096).value + (1 << 15)) >> 16;
    };
    if (reduced(double{product}) != reduced(double{in_scale} * double{scale})) return scale;
  }
}

CaseFamily Int16LstmFamily() {
  return Int16Family(
      "UNIDIRECTIONAL_SEQUENCE_LSTM.int16",
      [](Series& series) {
        Random& random = series.random;
        for (int repeat = 0; repeat < 24; ++repeat) series.Add("random", MakeInt16(random, Typical(random)));
        for (int exponent = -16; exponent <= -6; ++exponent) {
          Lstm c = Typical(random);
          c.cell_scale = std::ldexp(1.0f, exponent);
          series.Add("cell_scale", MakeInt16(random, c));
        }
        // Sums exceed 32 bits, and gates leave the range of the tables.
        for (int repeat = 0; repeat < 8; ++repeat) {
          Lstm c = Typical(random);
          c.depth = 600;
          c.largest_bias = 1 << 30;
          c.weights_low = -16;
          c.weights_high = -12;
          series.Add("wide", MakeInt16(random, c));
        }
        for (int repeat = 0; repeat < 6; ++repeat) {
          Lstm c = Typical(random);
          c.cell_clip = random.Scale(-4, 1);
          series.Add("clip", MakeInt16(random, c));
        }
        for (int repeat = 0; repeat < 3; ++repeat) {
          Lstm c = Int16Of(random, Typical(random));
          c.times = 12;
          c.units = 12;
          c.cell_clip = 0;
          c.weights_scale = SeparatingScale(random, c.in_scale);
          series.Add("precision", Make(random, c));
        }
        series.AddSeparators(8, 200, [](Random& r) {
          Case test = MakeInt16(r, Typical(r));
          test.smoke = Smoke::kNever;
          return test;
        });
      },
      [](RealSizes& sizes) {
        Lstm c = Typical(sizes.random);
        c.depth = 129;
        c.units = 65;
        c.times = 2;
        sizes.Add("size", MakeInt16(sizes.random, c));
      },
      [](Random& random) { return WithDrawnCodes(random, MakeInt16(random, DrawnLstm(random))); });
}

}  // namespace

extern const CaseFamilies kLstmInt16Cases = {Int16LstmFamily()};

extern const CaseFamilies kLstmCases = {
    Family("UNIDIRECTIONAL_SEQUENCE_LSTM", GenerateLstm, GenerateRealLstm, DrawLstm),
};

}  // namespace lutra::conformance
