// SPDX-License-Identifier: Apache-2.0
// Cases of FULLY_CONNECTED: sizes around blocks, leading dimensions, shifts at which rounding rules differ.

#include "conformance/generator/draw.h"
#include "conformance/generator/window_cases.h"

namespace lutra::conformance {
namespace {

// `rows`: the input's dimensions without the last.
Case MakeRows(Random& random, const Convolution& c, const oracle::Shape& rows, bool keep_dimensions) {
  ModelMaker maker;
  oracle::Shape in = rows;
  in.push_back(c.in_channels);
  oracle::Shape out = {static_cast<int32_t>(oracle::ElementCount(rows))};
  if (keep_dimensions) out = rows;
  out.push_back(c.out_channels);
  std::vector<int> operands = AddOperands(random, c, in, {c.out_channels, c.in_channels}, 0, &maker);
  // An absent bias is written as -1; in the scheme before int8 it is left out.
  if (!c.has_bias && c.type == oracle::kInt8) operands.push_back(-1);
  const int y = maker.Output(OutputTensor(c, out));
  maker.Op<edit::FullyConnectedOptionsT>("FULLY_CONNECTED", operands, {y}, [&](auto& options) {
    options.keep_num_dims = keep_dimensions;
    options.fused_activation_function = c.activation;
  });
  return Finish(random, c, in, maker);
}

int RowLength(const Convolution& c) { return c.in_channels; }

constexpr WindowOp kFullyConnected = {.make = MakeFullyConnected, .depth = RowLength, .names_scales = true};

// Returns a layer with rows of `depth` elements.
Convolution Units(int depth, int units) { return {.in_channels = depth, .out_channels = units}; }

const std::vector<int>& Depths() {
  static const std::vector<int> depths = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 100};
  return depths;
}

void AddSizes(Random& random, WindowCases* cases) {
  for (const int depth : Depths()) {
    for (const int units : ChannelCounts()) {
      Convolution c = Units(depth, units);
      c.batches = random.OneIn(2) ? 1 : random.Int(2, 5);
      c.activation = static_cast<int8_t>(random.Between(0, 3));
      if (random.OneIn(4)) c.values = static_cast<Values>(random.Between(0, kValueKinds - 1));
      c.has_bias = !random.OneIn(4);
      const bool per_channel = random.OneIn(3);
      cases->AddScaled(ByScales("size", per_channel), per_channel, c);
    }
  }
}

// Inputs have more than two dimensions, which are flattened or kept.
void AddLeadingDimensions(Series& series, WindowCases& cases) {
  Random& random = series.random;
  const std::vector<oracle::Shape> leading = {{1, 1}, {2, 3}, {3, 1}, {1, 2, 2}, {2, 1, 3}, {1, 1, 1}};
  for (const oracle::Shape& rows : leading) {
    for (const bool keep : {false, true}) {
      Convolution c;
      c.in_channels = random.Pick(Depths());
      c.out_channels = random.Pick(ChannelCounts());
      cases.SetScales(false, &c);
      series.Add(keep ? "keep_dimensions" : "flatten", MakeRows(random, c, rows, keep));
    }
  }
}

void GenerateFullyConnected(Series& series) {
  Random& random = series.random;
  WindowCases cases(kFullyConnected, &series);
  AddSizes(random, &cases);
  AddLeadingDimensions(series, cases);
  cases.AddZeroPoints(AllValues(), [&](int kind) {
    Convolution c = Units(19, 9);
    cases.SetScales(kind % 3 == 0, &c);
    c.out_zero = random.Between(-40, 40);
    c.out_scale *= 4;
    c.has_bias = kind % 3 != 1;
    return c;
  });
  cases.AddShifts(-14, 6, [](int repeat) {
    return Convolution{.batches = 3, .in_channels = 1 + repeat % 2, .out_channels = 17};
  });
  cases.AddActivations({-9, -7, -6, -5, -4, -3, -1, 1}, false, Units(8, 9));
  cases.AddSpreads(8, [&](int) { return Units(random.Pick(Depths()), 12); });
  // If each channel has a scale, the product of scales is a double.
  cases.AddLargeBiases(36, 3, Units(8, 33));
  cases.AddMultipliers(Units(8, 17));
  series.AddSeparators(16, 300, [](Random& r) {
    Convolution c = Units(2, 33);
    if (r.OneIn(2)) {
      SetTies(r, c.out_channels, &c);
    } else {
      SetNearHalves(r, c.out_channels, &c);
    }
    return MakeFullyConnected(r, c);
  });
}

// ---- Real sizes

// `plain`: the layer has a bias, a scale for each unit and no activation.
Case MakeRealLayer(WindowCases& cases, Random& random, const Convolution& sizes, bool plain = false) {
  Convolution c = sizes;
  c.least_weight = -127;
  c.activation = static_cast<int8_t>(plain || random.OneIn(2) ? 0 : random.Between(1, 3));
  c.has_bias = plain || !random.OneIn(4);
  cases.SetScales(plain || random.OneIn(2), &c);
  return MakeFullyConnected(random, c);
}

void GenerateRealFullyConnected(RealSizes& series) {
  Random& random = series.random;
  WindowCases cases(kFullyConnected, &series);
  const auto make = [&](int rows, int depth, int units, bool plain = false) {
    return MakeRealLayer(cases, random, {.batches = rows, .in_channels = depth, .out_channels = units},
                         plain);
  };
  const auto fits = [](const SizeList& s) { return Product(s) <= kMostProducts; };
  for (const SizeList& s : PairedSizes({{4, 1024}, {4, 1024}}, fits)) {
    const bool small = Product(s) * 5 <= kUsualProducts;
    series.Add("dims", make(small ? random.Int(1, 5) : 1, s[0], s[1]));
  }
  // Rows are long, or many; among them are the last layers of MobileNet, an autoencoder and keyword spotting.
  for (const int depth : {2047, 2048, 2049, 3136, 4097}) series.Add("depth", make(2, depth, 7));
  for (const int rows : AroundPowers(8, 128)) series.Add("rows", make(rows, 21, 18));
  series.Add("network", make(1, 640, 128));
  series.Add("network", make(1, 128, 640));
  series.Add("network", make(1, 1280, 1000));
  series.Add("network", make(49, 96, 384));
  cases.AddSumEnds({Units(65, 33), Units(1027, 33), Units(4095, 33)}, 1);
  series.AddSmoke("smoke", make(3, 70, 131, true));
  series.AddSmoke("smoke", make(2, 1031, 13));
  series.AddSmoke("smoke", make(5, 263, 37, true));
  series.AddSmoke("smoke", make(1, 11, 1037, true));
  Series int4 = series.Part("int4.");
  std::vector<Convolution> layers;
  for (const int depth : {1, 2, 7, 16, 33, 255, 1025}) {
    for (const int units : {1, 2, 5, 19}) {
      Convolution c = Units(depth, units);
      c.batches = units % 3 + 1;
      layers.push_back(c);
    }
  }
  layers.push_back(Units(67, 131));
  WindowCases(kFullyConnected, &int4).AddInt4(layers, false);
}

Case DrawFullyConnected(Random& random) {
  int64_t left = DrawBudget(random, 1 << 14);
  Convolution c;
  const oracle::Shape rows = DrawShape(random, 1, 3, std::min<int64_t>(left, random.OneIn(3) ? 300 : 5));
  left = std::max<int64_t>(left / oracle::ElementCount(rows), 1);
  c.in_channels = DrawSize(random, static_cast<int32_t>(std::min<int64_t>(left, 2048)));
  left = std::max<int64_t>(left / c.in_channels, 1);
  c.out_channels = DrawSize(random, static_cast<int32_t>(std::min<int64_t>(left, 2048)));
  DrawLayer(random, c.in_channels, false, &c, c.out_channels);
  c.int4_weights = random.OneIn(8);
  return MakeRows(random, c, rows, rows.size() > 1 && random.OneIn(2));
}

}  // namespace

Case MakeFullyConnected(Random& random, const Convolution& c) {
  return MakeRows(random, c, {c.batches}, false);
}

extern const CaseFamilies kFullyConnectedCases = {
    Family("FULLY_CONNECTED", GenerateFullyConnected, GenerateRealFullyConnected, DrawFullyConnected),
};

}  // namespace lutra::conformance
