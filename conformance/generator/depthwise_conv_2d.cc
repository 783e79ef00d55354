// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D: windows, depth multipliers, images that are mostly padding.

#include "conformance/generator/series.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {
namespace {

Case Make(Random& random, const Convolution& c) {
  ModelMaker maker;
  const int x = maker.Input(
      {.shape = {c.batches, c.height, c.width, c.in_channels}, .scale = c.in_scale, .zero_point = c.in_zero});
  const int weights = AddWeights(random, c, {1, c.filter_height, c.filter_width, c.out_channels}, 3, &maker);
  const int bias = AddBias(random, c, c.out_channels, &maker);
  const int y = maker.Output({.shape = {c.batches, OutputHeight(c), OutputWidth(c), c.out_channels},
                              .scale = c.out_scale,
                              .zero_point = c.out_zero});
  maker.Op<edit::DepthwiseConv2DOptionsT>("DEPTHWISE_CONV_2D", {x, weights, bias}, {y}, [&](auto& options) {
    SetWindow(c, &options);
    options.depth_multiplier = c.out_channels / c.in_channels;
  });
  const int64_t count = int64_t{c.batches} * c.height * c.width * c.in_channels;
  return {.model = maker.Finish(), .inputs = {MakeCodes(random, count, c.values, c.in_zero)}};
}

void SetScales(Random& random, bool per_channel, Convolution* c) {
  SetScales(random, c->filter_height * c->filter_width, per_channel ? c->out_channels : 1, c);
}

void AddWindows(Series& series) {
  Random& random = series.random;
  for (const Convolution& window : AllWindows()) {
    for (const bool per_channel : {false, true}) {
      for (int repeat = 0; repeat < 2; ++repeat) {
        Convolution c = window;
        RandomWindow(random, &c);
        if (!random.OneIn(4)) c.values = Values::kRandom;
        c.out_channels = c.in_channels * (random.OneIn(2) ? 1 : static_cast<int>(random.Between(2, 4)));
        SetScales(random, per_channel, &c);
        series.Add(WindowName(c) + (per_channel ? ".per_channel" : ".per_tensor"), Make(random, c));
      }
    }
  }
}

void AddDepthMultipliers(Series& series) {
  Random& random = series.random;
  for (const int multiplier : {1, 2, 3, 5, 8}) {
    for (const int channels : ChannelCounts()) {
      for (const bool per_channel : {false, true}) {
        Convolution c;
        c.height = c.width = 3;
        c.filter_height = c.filter_width = random.OneIn(3) ? 1 : 3;
        c.in_channels = channels;
        c.out_channels = multiplier * channels;
        SetScales(random, per_channel, &c);
        series.Add("depth_multiplier" + std::to_string(multiplier), Make(random, c));
      }
    }
  }
}

// Images smaller than the window: most of it lies in the padding.
void AddPaddings(Series& series) {
  Random& random = series.random;
  for (const int dilation : {1, 2, 3}) {
    for (const int filter : {2, 3, 4, 5, 7}) {
      Convolution c;
      c.height = static_cast<int>(random.Between(1, 2));
      c.width = static_cast<int>(random.Between(1, 3));
      c.filter_height = c.filter_width = filter;
      c.dilation = dilation;
      c.in_channels = c.out_channels = static_cast<int>(random.Between(1, 17));
      SetScales(random, random.OneIn(2), &c);
      series.Add("padding", Make(random, c));
    }
  }
}

void AddZeroPoints(Series& series) {
  Random& random = series.random;
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    for (int kind = 0; kind < kValueKinds; ++kind) {
      Convolution c;
      c.in_channels = c.out_channels = 5;
      c.values = static_cast<Values>(kind);
      SetScales(random, kind % 2 == 0, &c);
      c.in_zero = zero;
      c.out_zero = random.Between(-40, 40);
      c.weights = kind == 4 ? Values::kExtremes : Values::kRandom;
      series.Add("zero_point", Make(random, c), {ToString(c.values)});
    }
  }
}

// Clamps well inside the range of the codes, at its ends and outside of it.
void AddActivations(Series& series) {
  Random& random = series.random;
  for (const int8_t activation : {1, 2, 3}) {
    for (const int exponent : {-9, -7, -6, -5, -4, -3, -1, 1}) {
      Convolution c;
      c.in_channels = c.out_channels = 9;
      c.activation = activation;
      SetScales(random, exponent % 2 == 0, &c);
      SetOutputScale(random, exponent, &c);
      series.Add(std::string("activation.") + ActivationName(activation), Make(random, c));
    }
  }
}

// Requantisation with shifts near zero, where rounding shows; and far from it.
void AddShifts(Series& series) {
  Random& random = series.random;
  for (int exponent = -14; exponent <= 3; ++exponent) {
    for (int repeat = 0; repeat < 8; ++repeat) {
      Convolution c;
      c.filter_height = c.filter_width = 1 + repeat / 4;
      c.in_channels = c.out_channels = 17;
      SetShift(random, exponent, repeat, c.out_channels, &c);
      series.Add("shift", Make(random, c), {"tie"});
    }
  }
}

void AddSpreads(Series& series) {
  Random& random = series.random;
  for (const int spread : {2, 4, 8, 14}) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      Convolution c;
      c.in_channels = c.out_channels = 12;
      SetScales(random, true, &c);
      for (float& scale : c.filter_scales) scale = random.Scale(-6 - spread / 2, -6 + spread / 2);
      series.Add("spread", Make(random, c));
    }
  }
}

// The largest sums that a bias makes.
void AddLargeBiases(Series& series) {
  Random& random = series.random;
  for (int repeat = 0; repeat < 12; ++repeat) {
    Convolution c;
    c.in_channels = c.out_channels = 12;
    SetNearHalves(random, c.out_channels, &c);
    series.Add("large_bias", Make(random, c));
  }
}

void AddMultipliers(Series& series) {
  Random& random = series.random;
  for (const int exponent : {0, -1, -4, -9, -30, -31, -32, -33, -36}) {
    Convolution c;
    c.in_channels = c.out_channels = 17;
    const bool below = exponent > -30;
    SetMultiplier(random, exponent, below, c.out_channels, &c);
    series.Add(below ? "multiplier.below_power_of_two" : "multiplier.tiny", Make(random, c));
  }
}

void GenerateDepthwiseConv2D(const CaseSink& sink) {
  Series series("DEPTHWISE_CONV_2D", sink);
  AddWindows(series);
  AddDepthMultipliers(series);
  AddPaddings(series);
  AddZeroPoints(series);
  AddActivations(series);
  AddShifts(series);
  AddSpreads(series);
  AddLargeBiases(series);
  AddMultipliers(series);
  AddSeparators(sink, "DEPTHWISE_CONV_2D", 12, 300, [](Random& r) {
    Convolution c;
    c.height = 1;
    c.filter_height = c.filter_width = 1;
    // Blocks of eight channels and a tail.
    c.in_channels = c.out_channels = static_cast<int>(r.Between(9, 23));
    SetTies(r, c.out_channels, &c);
    return Make(r, c);
  });
}

// ---- Real sizes

// Channels and their multiplier, image; every two of them near every power of two together.
void AddDepthwiseDims(RealSizes& series) {
  Random& random = series.random;
  const auto fits = [](const SizeList& s) { return Product(s) <= kUsualProducts; };
  for (const SizeList& s : PairedSizes({{4, 1024}, {1, 16}, {1, 64}, {1, 256}}, fits)) {
    Convolution c;
    c.in_channels = s[0];
    c.out_channels = s[0] * (random.OneIn(2) ? 1 : s[1]);
    c.height = s[2];
    c.width = s[3];
    DrawRealWindow(random, c.out_channels, &c);
    SetScales(random, random.OneIn(2), &c);
    series.Add("dims", Make(random, c));
  }
}

void AddDepthwiseLayers(RealSizes& series) {
  Random& random = series.random;
  constexpr NetworkLayer kLayers[] = {
      {25, 25, 8, 8, 3, 3, 1},     {13, 13, 64, 64, 3, 3, 2}, {7, 7, 240, 240, 5, 5, 2},
      {3, 3, 1024, 1024, 3, 3, 1}, {25, 5, 64, 64, 3, 3, 1},  {4, 4, 672, 672, 5, 5, 1},
      {1, 49, 40, 40, 1, 9, 1},    {49, 10, 1, 64, 10, 4, 2}, {48, 48, 1, 8, 3, 3, 2}};
  for (const NetworkLayer& layer : kLayers) {
    Convolution c;
    SetLayer(random, layer, &c);
    SetScales(random, true, &c);
    series.Add("network", Make(random, c));
  }
}

void AddDepthwiseSumEnds(RealSizes& series) {
  Random& random = series.random;
  for (const bool wide : {false, true}) {
    for (const int taps : {9, 31, 255}) {
      Convolution c;
      c.height = 1;
      c.width = c.filter_width = taps;
      c.filter_height = 1;
      c.same = false;
      c.in_channels = c.out_channels = 45;
      SetSumEnds(random, taps, c.out_channels, true, wide, &c);
      series.Add(wide ? "sum_ends.int32" : "sum_ends.int16", Make(random, c));
    }
  }
}

void AddDepthwiseSmoke(RealSizes& series) {
  Random& random = series.random;
  const SmokeLayer layers[] = {{.layer = {3, 4, 267, 267, 3, 3, 1}, .stride_across = 2},
                               {.layer = {3, 75, 9, 9, 2, 11, 2}, .batches = 3, .stride_across = 1},
                               {.layer = {3, 3, 37, 185, 3, 3, 1}, .batches = 2},
                               {.layer = {2, 3, 3, 57, 2, 3, 1}},
                               {.layer = {6, 7, 41, 41, 3, 2, 1}, .dilation = 2, .dilation_across = 1},
                               {.layer = {1, 2, 1037, 1037, 1, 1, 1}}};
  for (const SmokeLayer& row : layers) {
    Convolution c;
    SetSmokeLayer(random, row, &c);
    SetScales(random, true, &c);
    series.AddSmoke("smoke", Make(random, c));
  }
  Convolution c;
  c.height = c.filter_height = 1;
  c.width = c.filter_width = 33;
  c.same = false;
  c.in_channels = c.out_channels = 24;
  SetSumEnds(random, c.width, c.out_channels, true, false, &c);
  series.AddSmoke("smoke", Make(random, c));
}

// Tall filters, taps far apart, many outputs for an input, padding of more than a byte counts.
void AddDepthwiseFar(RealSizes series) {
  constexpr SmokeLayer kRows[] = {{.layer = {37, 3, 5, 35, 13, 8, 1}, .dilation = 3, .dilation_across = 2},
                                  {.layer = {3, 300, 5, 5, 2, 7, 1}, .dilation_across = 23},
                                  {.layer = {1, 1030, 3, 3, 1, 1030, 1}, .stride_across = 128},
                                  {.layer = {1030, 1, 2, 6, 1030, 1, 128}, .batches = 2, .stride_across = 1},
                                  {.layer = {1, 2203, 19, 19, 1, 3, 1}, .stride_across = 16}};
  for (const SmokeLayer& row : kRows) {
    Convolution c;
    SetSmokeLayer(series.random, row, &c);
    SetScales(series.random, true, &c);
    const Case test = Make(series.random, c);
    row.layer.filter_height == 13 ? series.AddSmoke("window", test) : series.Add("window", test);
  }
}

void GenerateRealDepthwiseConv2D(const CaseSink& sink) {
  RealSizes series("DEPTHWISE_CONV_2D", sink);
  AddDepthwiseDims(series);
  AddDepthwiseLayers(series);
  AddDepthwiseSumEnds(series);
  AddDepthwiseSmoke(series);
  AddDepthwiseFar(RealSizes("DEPTHWISE_CONV_2D", sink, "far."));
}

constexpr CaseFamily kDepthwiseConv2DFamilies[] = {
    {"int8.depthwise_conv_2d.", GenerateDepthwiseConv2D, GenerateRealDepthwiseConv2D},
};

}  // namespace

extern const CaseFamilies kDepthwiseConv2DCases = kDepthwiseConv2DFamilies;

}  // namespace lutra::conformance
