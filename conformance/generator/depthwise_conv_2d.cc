// SPDX-License-Identifier: Apache-2.0
// Cases of DEPTHWISE_CONV_2D: windows, depth multipliers, images that are mostly padding.

#include "conformance/generator/draw.h"
#include "conformance/generator/window_cases.h"

namespace lutra::conformance {

Case MakeDepthwiseConv2D(Random& random, const Convolution& c) {
  ModelMaker maker;
  const oracle::Shape filter = {1, c.filter_height, c.filter_width, c.out_channels};
  std::vector<int> operands = AddOperands(random, c, ImageShape(c), filter, 3, &maker);
  // An absent bias is written as -1; in the scheme before int8 it is left out.
  if (!c.has_bias && c.type == oracle::kInt8) operands.push_back(-1);
  const int y = maker.Output(OutputTensor(c, {c.batches, OutputHeight(c), OutputWidth(c), c.out_channels}));
  maker.Op<edit::DepthwiseConv2DOptionsT>("DEPTHWISE_CONV_2D", operands, {y}, [&](auto& options) {
    SetWindow(c, &options);
    options.depth_multiplier = c.out_channels / c.in_channels;
  });
  return Finish(random, c, ImageShape(c), maker);
}

namespace {

int TapsOf(const Convolution& c) { return c.filter_height * c.filter_width; }

constexpr WindowOp kDepthwiseConv2D = {.make = MakeDepthwiseConv2D, .depth = TapsOf, .channels_last = true};

// Returns a layer with as many channels in as out.
Convolution OfChannels(int channels) { return {.in_channels = channels, .out_channels = channels}; }

void AddDepthMultipliers(Random& random, WindowCases* cases) {
  for (const int multiplier : {1, 2, 3, 5, 8}) {
    for (const int channels : ChannelCounts()) {
      for (const bool per_channel : {false, true}) {
        Convolution c = {.height = 3, .width = 3, .in_channels = channels};
        c.filter_height = c.filter_width = random.OneIn(3) ? 1 : 3;
        c.out_channels = multiplier * channels;
        cases->AddScaled("depth_multiplier" + std::to_string(multiplier), per_channel, c);
      }
    }
  }
}

// Images are smaller than the window, so most of that lies in the padding.
void AddPaddings(Random& random, WindowCases* cases) {
  for (const int dilation : {1, 2, 3}) {
    for (const int filter : {2, 3, 4, 5, 7}) {
      Convolution c = {.filter_height = filter, .filter_width = filter, .dilation = dilation};
      c.height = random.Int(1, 2);
      c.width = random.Int(1, 3);
      c.in_channels = c.out_channels = random.Int(1, 17);
      cases->AddScaled("padding", random.OneIn(2), c);
    }
  }
}

void GenerateDepthwiseConv2D(Series& series) {
  Random& random = series.random;
  WindowCases cases(kDepthwiseConv2D, &series);
  cases.AddWindows(2, true, [&](Convolution* c) {
    if (!random.OneIn(4)) c->values = Values::kRandom;
    c->out_channels = c->in_channels * (random.OneIn(2) ? 1 : random.Int(2, 4));
  });
  AddDepthMultipliers(random, &cases);
  AddPaddings(random, &cases);
  cases.AddZeroPoints(AllValues(), [&](int kind) {
    Convolution c = OfChannels(5);
    cases.SetScales(kind % 2 == 0, &c);
    c.out_zero = random.Between(-40, 40);
    return c;
  });
  cases.AddActivations({-9, -7, -6, -5, -4, -3, -1, 1}, true, OfChannels(9));
  cases.AddShifts(-14, 8, [](int repeat) {
    Convolution c = OfChannels(17);
    c.filter_height = c.filter_width = 1 + repeat / 4;
    return c;
  });
  cases.AddSpreads(6, OfChannels(12));
  cases.AddLargeBiases(12, 0, OfChannels(12));
  cases.AddMultipliers(OfChannels(17));
  series.AddSeparators(12, 300, [](Random& r) {
    // There are blocks of eight channels and a remainder.
    Convolution c = OfChannels(r.Int(9, 23));
    c.height = c.filter_height = c.filter_width = 1;
    SetTies(r, c.out_channels, &c);
    return MakeDepthwiseConv2D(r, c);
  });
}

// ---- Real sizes

// Draws sizes: channels and their multiplier, image.
Convolution DrawDepthwiseDims(Random& random, const SizeList& s) {
  Convolution c = {.height = s[2], .width = s[3], .in_channels = s[0]};
  c.out_channels = s[0] * (random.OneIn(2) ? 1 : s[1]);
  DrawRealWindow(random, c.out_channels, &c);
  return c;
}

// Returns a layer whose filter is a row of `taps`.
Convolution RowOf(int taps, int channels) {
  return {.height = 1,
          .width = taps,
          .in_channels = channels,
          .out_channels = channels,
          .filter_height = 1,
          .filter_width = taps,
          .same = false};
}

constexpr NetworkLayer kDepthwiseLayers[] = {
    {25, 25, 8, 8, 3, 3, 1},     {13, 13, 64, 64, 3, 3, 2}, {7, 7, 240, 240, 5, 5, 2},
    {3, 3, 1024, 1024, 3, 3, 1}, {25, 5, 64, 64, 3, 3, 1},  {4, 4, 672, 672, 5, 5, 1},
    {1, 49, 40, 40, 1, 9, 1},    {49, 10, 1, 64, 10, 4, 2}, {48, 48, 1, 8, 3, 3, 2}};

constexpr SmokeLayer kDepthwiseSmoke[] = {
    {.layer = {3, 4, 267, 267, 3, 3, 1}, .stride_across = 2},
    {.layer = {3, 75, 9, 9, 2, 11, 2}, .batches = 3, .stride_across = 1},
    {.layer = {3, 3, 37, 185, 3, 3, 1}, .batches = 2},
    {.layer = {2, 3, 3, 57, 2, 3, 1}},
    {.layer = {6, 7, 41, 41, 3, 2, 1}, .dilation = 2, .dilation_across = 1},
    {.layer = {1, 2, 1037, 1037, 1, 1, 1}}};

// Some have many outputs for an input.
constexpr SmokeLayer kDepthwiseFar[] = {
    {.layer = {37, 3, 5, 35, 13, 8, 1}, .dilation = 3, .dilation_across = 2},
    {.layer = {3, 300, 5, 5, 2, 7, 1}, .dilation_across = 23},
    {.layer = {1, 1030, 3, 3, 1, 1030, 1}, .stride_across = 128},
    {.layer = {1030, 1, 2, 6, 1030, 1, 128}, .batches = 2, .stride_across = 1},
    {.layer = {1, 2203, 19, 19, 1, 3, 1}, .stride_across = 16}};

void GenerateRealDepthwiseConv2D(RealSizes& series) {
  Series far = series.Part("far.");
  WindowCases cases(kDepthwiseConv2D, &series);
  cases.AddDims({{4, 1024}, {1, 16}, {1, 64}, {1, 256}}, kUsualProducts,
                [&](const SizeList& s) { return DrawDepthwiseDims(series.random, s); });
  cases.AddNetworks(kDepthwiseLayers);
  cases.AddSumEnds({RowOf(9, 45), RowOf(31, 45), RowOf(255, 45)});
  cases.AddSmoke(kDepthwiseSmoke);
  series.AddSmoke("smoke", cases.MakeSumEnds(false, RowOf(33, 24)));
  WindowCases(kDepthwiseConv2D, &far).AddFar(kDepthwiseFar);
  Series int4 = series.Part("int4.");
  std::vector<Convolution> layers;
  for (const int channels : {1, 3, 8, 17, 64, 259}) {
    for (const int filter : {1, 2, 3}) {
      Convolution c = OfChannels(channels);
      c.out_channels *= channels < 20 ? filter : 1;
      c.filter_height = filter;
      c.stride = channels % 2 + 1;
      layers.push_back(c);
    }
  }
  layers.push_back(
      {.height = 9, .width = 7, .in_channels = 5, .out_channels = 15, .dilation = 2, .same = false});
  layers.push_back(
      {.batches = 2, .height = 7, .width = 5, .in_channels = 41, .out_channels = 41, .stride = 2});
  WindowCases(kDepthwiseConv2D, &int4).AddInt4(layers, true);
}

Case DrawDepthwiseConv2D(Random& random) {
  Convolution c = DrawWindow(random, {.is_depthwise = true});
  DrawLayer(random, c.filter_height * c.filter_width, true, &c, c.out_channels);
  c.int4_weights = random.OneIn(8);
  return MakeDepthwiseConv2D(random, c);
}

}  // namespace

extern const CaseFamilies kDepthwiseConv2DCases = {
    Family("DEPTHWISE_CONV_2D", GenerateDepthwiseConv2D, GenerateRealDepthwiseConv2D, DrawDepthwiseConv2D),
};

}  // namespace lutra::conformance
