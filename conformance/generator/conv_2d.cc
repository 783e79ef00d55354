// SPDX-License-Identifier: Apache-2.0
// Cases of CONV_2D: windows, groups, zero points, shifts at which rounding rules differ.

#include "conformance/generator/draw.h"
#include "conformance/generator/window_cases.h"

namespace lutra::conformance {

Case MakeConv2D(Random& random, const Convolution& c) {
  ModelMaker maker;
  const oracle::Shape filter = {c.out_channels, c.filter_height, c.filter_width, c.in_channels / c.groups};
  const std::vector<int> operands = AddOperands(random, c, ImageShape(c), filter, 0, &maker);
  const int y = maker.Output(OutputTensor(c, {c.batches, OutputHeight(c), OutputWidth(c), c.out_channels}));
  maker.Op<edit::Conv2DOptionsT>("CONV_2D", operands, {y}, [&](auto& options) { SetWindow(c, &options); });
  return Finish(random, c, ImageShape(c), maker);
}

namespace {

int DepthOf(const Convolution& c) { return c.filter_height * c.filter_width * c.in_channels / c.groups; }

constexpr WindowOp kConv2D = {.make = MakeConv2D, .depth = DepthOf};

// Adds cases of numbers of channels, and of groups.
void AddChannelsAndGroups(Random& random, WindowCases* cases) {
  for (const int in : ChannelCounts()) {
    for (const int out : ChannelCounts()) {
      if (random.OneIn(2)) continue;
      Convolution c = {.height = 3, .width = 3, .in_channels = in, .out_channels = out};
      c.filter_height = c.filter_width = random.OneIn(2) ? 1 : 3;
      cases->AddScaled("channels", random.OneIn(2), c);
    }
  }
  for (const int groups : {2, 3, 4}) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      Convolution c = {.groups = groups};
      c.in_channels = groups * random.Int(1, 4);
      c.out_channels = groups * random.Int(1, 5);
      cases->AddScaled("groups" + std::to_string(groups), repeat % 2 == 0, c);
    }
  }
}

void GenerateConv2D(Series& series) {
  WindowCases cases(kConv2D, &series);
  cases.AddWindows(2, true, [](Convolution*) {});
  AddChannelsAndGroups(series.random, &cases);
  // Some cases have no bias.
  cases.AddZeroPoints(AllValues(), [&](int kind) {
    Convolution c;
    cases.SetScales(kind % 2 == 0, &c);
    c.has_bias = kind % 3 != 0;
    return c;
  });
  cases.AddShifts(-14, 8, [](int repeat) {
    return Convolution{
        .in_channels = 1 + repeat % 2, .out_channels = 9, .filter_height = 1, .filter_width = 1};
  });
  cases.AddSpreads(6, {.out_channels = 12});
  const auto candidate = [](Random& r) {
    Convolution c = {.height = 1, .in_channels = 2, .filter_height = 1, .filter_width = 1};
    c.groups = r.OneIn(3) ? 2 : 1;
    c.out_channels = c.groups * r.Int(3, 12);
    SetTies(r, c.out_channels, &c);
    return MakeConv2D(r, c);
  };
  series.AddSeparators(12, 300, candidate, {.rules = 6});
}

// ---- Real sizes

// Draws the sizes of channels and image.
Convolution DrawConvDims(Random& random, const SizeList& s) {
  Convolution c = {.height = s[2], .width = s[3], .in_channels = s[0], .out_channels = s[1]};
  for (const int groups : {4, 2}) {
    if (s[0] % groups == 0 && s[1] % groups == 0 && random.OneIn(3)) c.groups = groups;
  }
  DrawRealWindow(random, int64_t{c.out_channels} * (c.in_channels / c.groups), &c);
  return c;
}

// Adds cases of many groups, up to one for each channel.
void AddConvGroups(RealSizes& series, WindowCases& cases) {
  for (const int groups : AroundPowers(8, 64)) {
    Convolution c = {.height = 3, .in_channels = 2 * groups, .groups = groups};
    c.out_channels = (groups % 2 == 0 ? 1 : 3) * groups;
    c.least_weight = -127;
    const Case test = cases.Make(true, c);
    groups == 9 ? series.AddSmoke("groups", test) : series.Add("groups", test);
  }
}

// Layers of MobileNet, ResNet, EfficientNet-lite and keyword spotting.
constexpr NetworkLayer kConvLayers[] = {
    {25, 25, 3, 32, 3, 3, 2},  {7, 7, 32, 64, 1, 1, 1},    {3, 3, 128, 256, 1, 1, 1},
    {5, 5, 64, 64, 3, 3, 1},   {1, 1, 512, 1001, 1, 1, 1}, {4, 4, 40, 240, 1, 1, 1},
    {2, 3, 112, 672, 1, 1, 1}, {1, 1, 320, 1280, 1, 1, 1}, {49, 10, 1, 64, 10, 4, 2},
    {1, 2, 672, 112, 1, 1, 1}, {15, 15, 3, 64, 7, 7, 2},   {6, 6, 16, 96, 1, 1, 1},
    {4, 4, 96, 48, 3, 3, 2},   {1, 100, 40, 80, 1, 9, 1},  {32, 32, 1, 8, 3, 3, 1}};

// Long windows in parts, blocks of channels and a remainder, a batch, a group.
constexpr SmokeLayer kConvSmoke[] = {
    {.layer = {2, 3, 131, 19, 2, 3, 1}, .stride_across = 2},
    {.layer = {1, 1, 257, 5, 1, 1, 1}},
    {.layer = {1, 2, 65, 261, 1, 1, 1}},
    {.layer = {4, 70, 3, 5, 2, 9, 2}, .stride_across = 1},
    {.layer = {4, 5, 30, 33, 3, 2, 1}, .batches = 4, .groups = 3, .stride_across = 2},
    {.layer = {3, 5, 130, 7, 3, 2, 1}, .dilation_across = 3},
    {.layer = {33, 66, 1, 3, 3, 3, 1}, .dilation_across = 2},
    {.layer = {5, 4, 67, 3, 2, 2, 1}, .dilation = 2, .dilation_across = 1, .same = false},
    {.layer = {2, 1, 1030, 5, 1, 1, 1}, .same = false}};

constexpr SmokeLayer kConvFar[] = {{.layer = {37, 3, 5, 3, 13, 2, 1}, .dilation = 3},
                                   {.layer = {3, 300, 5, 4, 2, 7, 1}, .dilation_across = 23},
                                   {.layer = {1, 1030, 2, 3, 1, 1030, 1}, .stride_across = 128},
                                   {.layer = {1030, 1, 2, 3, 1030, 1, 128}, .batches = 2, .stride_across = 1},
                                   {.layer = {2, 6607, 6, 2, 1, 2, 1}, .stride_across = 64, .same = false}};

// Returns layers with filters of even and odd lengths, groups, and all options of a window.
std::vector<Convolution> Int4Layers() {
  std::vector<Convolution> layers;
  for (const int channels : {1, 3, 8, 17, 64, 257}) {
    for (const int filter : {1, 2, 3}) {
      layers.push_back({.height = 3,
                        .width = 5,
                        .in_channels = channels,
                        .out_channels = channels % 7 + 5,
                        .filter_height = filter,
                        .filter_width = filter});
    }
  }
  layers.push_back({.height = 6, .width = 7, .in_channels = 6, .out_channels = 9, .groups = 3});
  layers.push_back({.batches = 2,
                    .height = 9,
                    .width = 8,
                    .in_channels = 5,
                    .out_channels = 11,
                    .stride = 2,
                    .dilation = 2,
                    .same = false,
                    .stride_across = 1});
  layers.push_back({.height = 5, .width = 3, .in_channels = 33, .out_channels = 37, .stride = 2});
  return layers;
}

void GenerateRealConv2D(RealSizes& series) {
  Series far = series.Part("far.");
  WindowCases cases(kConv2D, &series);
  cases.AddDims({{4, 1024}, {4, 1024}, {1, 64}, {1, 256}}, kMostProducts / 2,
                [&](const SizeList& s) { return DrawConvDims(series.random, s); });
  AddConvGroups(series, cases);
  cases.AddNetworks(kConvLayers);
  std::vector<Convolution> windows;
  for (const int channels : {33, 257, 1023}) {
    windows.push_back({.height = 3, .width = 3, .in_channels = channels, .out_channels = 13, .same = false});
  }
  cases.AddSumEnds(windows);
  cases.AddSmoke(kConvSmoke);
  const Convolution pixel = {
      .height = 1, .width = 1, .in_channels = 514, .out_channels = 9, .filter_height = 1, .filter_width = 1};
  series.AddSmoke("smoke", cases.MakeSumEnds(true, pixel));
  WindowCases(kConv2D, &far).AddFar(kConvFar);
  Series int4 = series.Part("int4.");
  WindowCases(kConv2D, &int4).AddInt4(Int4Layers(), true);
}

Case DrawConv2D(Random& random) {
  Convolution c = DrawWindow(random, {.has_groups = true});
  DrawLayer(random, DepthOf(c), false, &c, c.out_channels);
  c.int4_weights = random.OneIn(8);
  return MakeConv2D(random, c);
}

}  // namespace

extern const CaseFamilies kConv2DCases = {
    Family("CONV_2D", GenerateConv2D, GenerateRealConv2D, DrawConv2D),
};

}  // namespace lutra::conformance
