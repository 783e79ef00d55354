// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED: sizes around blocks, leading dimensions, shifts where rounding shows.

#include "conformance/generator/series.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {
namespace {

struct FullyConnected : Products {
  oracle::Shape rows = {1};  // The input's dimensions but for the last.
  int depth = 8, units = 4;
  bool keep_dimensions = false;
};

Case Make(Random& random, const FullyConnected& c) {
  ModelMaker maker;
  oracle::Shape in = c.rows;
  in.push_back(c.depth);
  const auto rows = static_cast<int>(oracle::ElementCount(c.rows));
  oracle::Shape out = {rows, c.units};
  if (c.keep_dimensions) {
    out = c.rows;
    out.push_back(c.units);
  }
  const int x = maker.Input({.shape = in, .scale = c.in_scale, .zero_point = c.in_zero});
  const int weights = AddWeights(random, c, {c.units, c.depth}, 0, &maker);
  const int bias = AddBias(random, c, c.units, &maker);
  const int y = maker.Output({.shape = out, .scale = c.out_scale, .zero_point = c.out_zero});
  maker.Op<edit::FullyConnectedOptionsT>("FULLY_CONNECTED", {x, weights, bias}, {y}, [&](auto& options) {
    options.keep_num_dims = c.keep_dimensions;
    options.fused_activation_function = c.activation;
  });
  return {.model = maker.Finish(),
          .inputs = {MakeCodes(random, oracle::ElementCount(in), c.values, c.in_zero)}};
}

const std::vector<int>& Depths() {
  static const std::vector<int> depths = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 100};
  return depths;
}

std::string ByScales(const std::string& what, bool per_channel) {
  return what + (per_channel ? ".per_channel" : ".per_tensor");
}

void SetScales(Random& random, bool per_channel, FullyConnected* c) {
  SetScales(random, c->depth, per_channel ? c->units : 1, c);
}

void AddSizes(Series& series) {
  Random& random = series.random;
  for (const int depth : Depths()) {
    for (const int units : ChannelCounts()) {
      FullyConnected c;
      c.depth = depth;
      c.units = units;
      c.rows = {random.OneIn(2) ? 1 : static_cast<int>(random.Between(2, 5))};
      c.activation = static_cast<int8_t>(random.Between(0, 3));
      if (random.OneIn(4)) c.values = static_cast<Values>(random.Between(0, kValueKinds - 1));
      c.has_bias = !random.OneIn(4);
      const bool per_channel = random.OneIn(3);
      SetScales(random, per_channel, &c);
      series.Add(ByScales("size", per_channel), Make(random, c));
    }
  }
}

// More than two dimensions, flattened or kept.
void AddLeadingDimensions(Series& series) {
  Random& random = series.random;
  const std::vector<oracle::Shape> leading = {{1, 1}, {2, 3}, {3, 1}, {1, 2, 2}, {2, 1, 3}, {1, 1, 1}};
  for (const oracle::Shape& rows : leading) {
    for (const bool keep : {false, true}) {
      FullyConnected c;
      c.rows = rows;
      c.depth = random.Pick(Depths());
      c.units = random.Pick(ChannelCounts());
      c.keep_dimensions = keep;
      SetScales(random, false, &c);
      series.Add(keep ? "keep_dimensions" : "flatten", Make(random, c));
    }
  }
}

void AddZeroPoints(Series& series) {
  Random& random = series.random;
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    for (int kind = 0; kind < kValueKinds; ++kind) {
      FullyConnected c;
      c.depth = 19;
      c.units = 9;
      c.values = static_cast<Values>(kind);
      SetScales(random, kind % 3 == 0, &c);
      c.in_zero = zero;
      c.out_zero = random.Between(-40, 40);
      c.out_scale *= 4;
      c.has_bias = kind % 3 != 1;
      c.weights = kind == 4 ? Values::kExtremes : Values::kRandom;
      series.Add(ByScales("zero_point", kind % 3 == 0), Make(random, c), {ToString(c.values)});
    }
  }
}

// Requantisation with shifts near zero, where rounding shows; and far from it.
void AddShifts(Series& series) {
  Random& random = series.random;
  for (int exponent = -14; exponent <= 3; ++exponent) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      FullyConnected c;
      c.depth = 1 + repeat % 2;
      c.units = 17;
      c.rows = {3};
      SetShift(random, exponent, repeat, c.units, &c);
      series.Add("shift", Make(random, c), {"tie"});
    }
  }
}

void AddActivations(Series& series) {
  Random& random = series.random;
  for (const int8_t activation : {1, 2, 3}) {
    for (const int exponent : {-9, -7, -6, -5, -4, -3, -1, 1}) {
      FullyConnected c;
      c.units = 9;
      c.activation = activation;
      SetScales(random, false, &c);
      SetOutputScale(random, exponent, &c);
      series.Add(std::string("activation.") + ActivationName(activation), Make(random, c));
    }
  }
}

void AddSpreads(Series& series) {
  Random& random = series.random;
  for (const int spread : {2, 4, 8, 14}) {
    for (int repeat = 0; repeat < 8; ++repeat) {
      FullyConnected c;
      c.units = 12;
      c.depth = random.Pick(Depths());
      SetScales(random, true, &c);
      for (float& scale : c.filter_scales) scale = random.Scale(-6 - spread / 2, -6 + spread / 2);
      series.Add("spread.per_channel", Make(random, c));
    }
  }
}

// The largest sums that a bias makes; with a scale for each channel the product of scales is of double.
void AddLargeBiases(Series& series) {
  Random& random = series.random;
  for (int repeat = 0; repeat < 36; ++repeat) {
    const bool per_channel = repeat % 3 == 0;
    FullyConnected c;
    c.units = 33;
    SetNearHalves(random, c.units, &c);
    if (per_channel) c.filter_scales.assign(static_cast<size_t>(c.units), c.filter_scales[0]);
    series.Add(ByScales("large_bias", per_channel), Make(random, c));
  }
}

void AddMultipliers(Series& series) {
  Random& random = series.random;
  for (const int exponent : {0, -1, -4, -9, -30, -31, -32, -33, -36}) {
    FullyConnected c;
    c.units = 17;
    const bool below = exponent > -30;
    SetMultiplier(random, exponent, below, c.units, &c);
    series.Add(below ? "multiplier.below_power_of_two" : "multiplier.tiny", Make(random, c));
  }
}

void GenerateFullyConnected(const CaseSink& sink) {
  Series series("FULLY_CONNECTED", sink);
  AddSizes(series);
  AddLeadingDimensions(series);
  AddZeroPoints(series);
  AddShifts(series);
  AddActivations(series);
  AddSpreads(series);
  AddLargeBiases(series);
  AddMultipliers(series);
  AddSeparators(sink, "FULLY_CONNECTED", 16, 300, [](Random& r) {
    FullyConnected c;
    c.depth = 2;
    c.units = 33;
    if (r.OneIn(2)) {
      SetTies(r, c.units, &c);
    } else {
      SetNearHalves(r, c.units, &c);
    }
    return Make(r, c);
  });
}

// ---- Real sizes

// `plain`: with a bias, a scale for each unit and no activation.
Case MakeRealLayer(Random& random, int rows, int depth, int units, bool plain = false) {
  FullyConnected c;
  c.rows = {rows};
  c.depth = depth;
  c.units = units;
  c.least_weight = -127;
  c.activation = static_cast<int8_t>(plain || random.OneIn(2) ? 0 : random.Between(1, 3));
  c.has_bias = plain || !random.OneIn(4);
  SetScales(random, plain || random.OneIn(2), &c);
  return Make(random, c);
}

void GenerateRealFullyConnected(const CaseSink& sink) {
  RealSizes series("FULLY_CONNECTED", sink);
  Random& random = series.random;
  const auto fits = [](const SizeList& s) { return Product(s) <= kMostProducts; };
  for (const SizeList& s : PairedSizes({{4, 1024}, {4, 1024}}, fits)) {
    const bool small = Product(s) * 5 <= kUsualProducts;
    series.Add("dims", MakeRealLayer(random, small ? static_cast<int>(random.Between(1, 5)) : 1, s[0], s[1]));
  }
  // Long rows, and many; the last layers of MobileNet, of an autoencoder, of keyword spotting.
  for (const int depth : {2047, 2048, 2049, 3136, 4097})
    series.Add("depth", MakeRealLayer(random, 2, depth, 7));
  for (const int rows : AroundPowers(8, 128)) series.Add("rows", MakeRealLayer(random, rows, 21, 18));
  series.Add("network", MakeRealLayer(random, 1, 640, 128));
  series.Add("network", MakeRealLayer(random, 1, 128, 640));
  series.Add("network", MakeRealLayer(random, 1, 1280, 1000));
  series.Add("network", MakeRealLayer(random, 49, 96, 384));
  for (const bool wide : {false, true}) {
    for (const int depth : {65, 1027, 4095}) {
      FullyConnected c;
      c.depth = depth;
      c.units = 33;
      SetSumEnds(random, depth, c.units, false, wide, &c);
      const Case test = Make(random, c);
      if (depth == 1027 && wide) {
        series.AddSmoke("smoke", test);
      } else {
        series.Add(wide ? "sum_ends.int32" : "sum_ends.int16", test);
      }
    }
  }
  series.AddSmoke("smoke", MakeRealLayer(random, 3, 70, 131, true));
  series.AddSmoke("smoke", MakeRealLayer(random, 2, 1031, 13));
  series.AddSmoke("smoke", MakeRealLayer(random, 5, 263, 37, true));
  series.AddSmoke("smoke", MakeRealLayer(random, 1, 11, 1037, true));
}

constexpr CaseFamily kFullyConnectedFamilies[] = {
    {"int8.fully_connected.", GenerateFullyConnected, GenerateRealFullyConnected},
};

}  // namespace

extern const CaseFamilies kFullyConnectedCases = kFullyConnectedFamilies;

}  // namespace lutra::conformance
