// SPDX-License-Identifier: Apache-2.0
// CONV_2D: windows, groups, zero points, shifts where rounding shows.

#include "conformance/generator/series.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {
namespace {

struct Conv : Convolution {
  int groups = 1;
};

Case Make(Random& random, const Conv& c) {
  ModelMaker maker;
  const int x = maker.Input(
      {.shape = {c.batches, c.height, c.width, c.in_channels}, .scale = c.in_scale, .zero_point = c.in_zero});
  const int weights = AddWeights(
      random, c, {c.out_channels, c.filter_height, c.filter_width, c.in_channels / c.groups}, 0, &maker);
  const int bias = AddBias(random, c, c.out_channels, &maker);
  std::vector<int> inputs = {x, weights};
  if (c.has_bias) inputs.push_back(bias);
  const int y = maker.Output({.shape = {c.batches, OutputHeight(c), OutputWidth(c), c.out_channels},
                              .scale = c.out_scale,
                              .zero_point = c.out_zero});
  maker.Op<edit::Conv2DOptionsT>("CONV_2D", inputs, {y}, [&](auto& options) { SetWindow(c, &options); });
  const int64_t count = int64_t{c.batches} * c.height * c.width * c.in_channels;
  return {.model = maker.Finish(), .inputs = {MakeCodes(random, count, c.values, c.in_zero)}};
}

void SetScales(Random& random, bool per_channel, Conv* c) {
  SetScales(random, c->filter_height * c->filter_width * c->in_channels / c->groups,
            per_channel ? c->out_channels : 1, c);
}

void AddWindows(Series& series) {
  Random& random = series.random;
  for (const Convolution& window : AllWindows()) {
    for (const bool per_channel : {false, true}) {
      for (int repeat = 0; repeat < 2; ++repeat) {
        Conv c = {window};
        RandomWindow(random, &c);
        SetScales(random, per_channel, &c);
        series.Add(WindowName(c) + (per_channel ? ".per_channel" : ".per_tensor"), Make(random, c));
      }
    }
  }
}

// Numbers of channels, and groups.
void AddChannelsAndGroups(Series& series) {
  Random& random = series.random;
  for (const int in : ChannelCounts()) {
    for (const int out : ChannelCounts()) {
      if (random.OneIn(2)) continue;
      Conv c;
      c.height = c.width = 3;
      c.filter_height = c.filter_width = random.OneIn(2) ? 1 : 3;
      c.in_channels = in;
      c.out_channels = out;
      SetScales(random, random.OneIn(2), &c);
      series.Add("channels", Make(random, c));
    }
  }
  for (const int groups : {2, 3, 4}) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      Conv c;
      c.groups = groups;
      c.in_channels = groups * static_cast<int>(random.Between(1, 4));
      c.out_channels = groups * static_cast<int>(random.Between(1, 5));
      SetScales(random, repeat % 2 == 0, &c);
      series.Add("groups" + std::to_string(groups), Make(random, c));
    }
  }
}

// Zero points and values at their ends; without bias.
void AddZeroPoints(Series& series) {
  Random& random = series.random;
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    for (int kind = 0; kind < kValueKinds; ++kind) {
      Conv c;
      c.values = static_cast<Values>(kind);
      SetScales(random, kind % 2 == 0, &c);
      c.in_zero = zero;
      c.has_bias = kind % 3 != 0;
      c.weights = kind == 4 ? Values::kExtremes : Values::kRandom;
      series.Add("zero_point", Make(random, c), {ToString(c.values)});
    }
  }
}

// Requantisation with shifts near zero, where rounding shows; and far from it.
void AddShifts(Series& series) {
  Random& random = series.random;
  for (int exponent = -14; exponent <= 3; ++exponent) {
    for (int repeat = 0; repeat < 8; ++repeat) {
      Conv c;
      c.filter_height = c.filter_width = 1;
      c.in_channels = 1 + repeat % 2;
      c.out_channels = 9;
      SetShift(random, exponent, repeat, c.out_channels, &c);
      series.Add("shift", Make(random, c), {"tie"});
    }
  }
}

// Spreads of the channels' scales.
void AddSpreads(Series& series) {
  Random& random = series.random;
  for (const int spread : {2, 4, 8, 14}) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      Conv c;
      c.out_channels = 12;
      SetScales(random, true, &c);
      for (float& scale : c.filter_scales) scale = random.Scale(-6 - spread / 2, -6 + spread / 2);
      series.Add("spread", Make(random, c));
    }
  }
}

void GenerateConv2D(const CaseSink& sink) {
  Series series("CONV_2D", sink);
  AddWindows(series);
  AddChannelsAndGroups(series);
  AddZeroPoints(series);
  AddShifts(series);
  AddSpreads(series);
  const auto candidate = [](Random& r) {
    Conv c;
    c.height = 1;
    c.width = 4;
    c.filter_height = c.filter_width = 1;
    c.groups = r.OneIn(3) ? 2 : 1;
    c.in_channels = 2;
    c.out_channels = c.groups * static_cast<int>(r.Between(3, 12));
    SetTies(r, c.out_channels, &c);
    return Make(r, c);
  };
  AddSeparators(sink, "CONV_2D", 12, 300, candidate, {.rules = 6});
}

// ---- Real sizes

int64_t PerTap(const Conv& c) { return int64_t{c.out_channels} * (c.in_channels / c.groups); }

// Channels and image, every two of them near every power of two together.
void AddConvDims(RealSizes& series) {
  Random& random = series.random;
  const auto fits = [](const SizeList& s) { return Product(s) <= kMostProducts / 2; };
  for (const SizeList& s : PairedSizes({{4, 1024}, {4, 1024}, {1, 64}, {1, 256}}, fits)) {
    Conv c;
    c.in_channels = s[0];
    c.out_channels = s[1];
    c.height = s[2];
    c.width = s[3];
    for (const int groups : {4, 2}) {
      if (s[0] % groups == 0 && s[1] % groups == 0 && random.OneIn(3)) c.groups = groups;
    }
    DrawRealWindow(random, PerTap(c), &c);
    SetScales(random, random.OneIn(2), &c);
    series.Add("dims", Make(random, c));
  }
}

// Many groups, up to one for each channel.
void AddConvGroups(RealSizes& series) {
  Random& random = series.random;
  for (const int groups : AroundPowers(8, 64)) {
    Conv c;
    c.groups = groups;
    c.in_channels = 2 * groups;
    c.out_channels = (groups % 2 == 0 ? 1 : 3) * groups;
    c.height = 3;
    c.least_weight = -127;
    SetScales(random, true, &c);
    const Case test = Make(random, c);
    groups == 9 ? series.AddSmoke("groups", test) : series.Add("groups", test);
  }
}

// MobileNet, ResNet, EfficientNet-lite, keyword spotting.
void AddConvLayers(RealSizes& series) {
  Random& random = series.random;
  constexpr NetworkLayer kLayers[] = {
      {25, 25, 3, 32, 3, 3, 2},  {7, 7, 32, 64, 1, 1, 1},    {3, 3, 128, 256, 1, 1, 1},
      {5, 5, 64, 64, 3, 3, 1},   {1, 1, 512, 1001, 1, 1, 1}, {4, 4, 40, 240, 1, 1, 1},
      {2, 3, 112, 672, 1, 1, 1}, {1, 1, 320, 1280, 1, 1, 1}, {49, 10, 1, 64, 10, 4, 2},
      {1, 2, 672, 112, 1, 1, 1}, {15, 15, 3, 64, 7, 7, 2},   {6, 6, 16, 96, 1, 1, 1},
      {4, 4, 96, 48, 3, 3, 2},   {1, 100, 40, 80, 1, 9, 1},  {32, 32, 1, 8, 3, 3, 1}};
  for (const NetworkLayer& layer : kLayers) {
    Conv c;
    SetLayer(random, layer, &c);
    SetScales(random, true, &c);
    series.Add("network", Make(random, c));
  }
}

void AddConvSumEnds(RealSizes& series) {
  Random& random = series.random;
  for (const bool wide : {false, true}) {
    for (const int channels : {33, 257, 1023}) {
      Conv c;
      c.height = 3;
      c.width = 3;
      c.same = false;
      c.in_channels = channels;
      c.out_channels = 13;
      SetSumEnds(random, 9 * channels, c.out_channels, false, wide, &c);
      series.Add(wide ? "sum_ends.int32" : "sum_ends.int16", Make(random, c));
    }
  }
}

// Long windows in parts, blocks of channels with a tail, a batch, a group.
void AddConvSmoke(RealSizes& series) {
  Random& random = series.random;
  struct Layer : SmokeLayer {
    int groups = 1;
  };
  const Layer layers[] = {
      {{.layer = {2, 3, 131, 19, 2, 3, 1}, .stride_across = 2}},
      {{.layer = {1, 1, 257, 5, 1, 1, 1}}},
      {{.layer = {1, 2, 65, 261, 1, 1, 1}}},
      {{.layer = {4, 70, 3, 5, 2, 9, 2}, .stride_across = 1}},
      {{.layer = {4, 5, 30, 33, 3, 2, 1}, .batches = 4, .stride_across = 2}, 3},
      {{.layer = {3, 5, 130, 7, 3, 2, 1}, .dilation_across = 3}},
      {{.layer = {33, 66, 1, 3, 3, 3, 1}, .dilation_across = 2}},
      {{.layer = {5, 4, 67, 3, 2, 2, 1}, .dilation = 2, .dilation_across = 1, .same = false}},
      {{.layer = {2, 1, 1030, 5, 1, 1, 1}, .same = false}}};
  for (const Layer& row : layers) {
    Conv c;
    SetSmokeLayer(random, row, &c);
    c.groups = row.groups;
    SetScales(random, true, &c);
    series.AddSmoke("smoke", Make(random, c));
  }
  Conv c;
  c.height = c.width = 1;
  c.filter_height = c.filter_width = 1;
  c.in_channels = 514;
  c.out_channels = 9;
  SetSumEnds(random, c.in_channels, c.out_channels, false, true, &c);
  series.AddSmoke("smoke", Make(random, c));
}

// Tall filters, taps far apart, padding and rows of more than a byte and more than 16 bits count.
void AddConvFar(RealSizes series) {
  constexpr SmokeLayer kRows[] = {{.layer = {37, 3, 5, 3, 13, 2, 1}, .dilation = 3},
                                  {.layer = {3, 300, 5, 4, 2, 7, 1}, .dilation_across = 23},
                                  {.layer = {1, 1030, 2, 3, 1, 1030, 1}, .stride_across = 128},
                                  {.layer = {1030, 1, 2, 3, 1030, 1, 128}, .batches = 2, .stride_across = 1},
                                  {.layer = {2, 6607, 6, 2, 1, 2, 1}, .stride_across = 64, .same = false}};
  for (const SmokeLayer& row : kRows) {
    Conv c;
    SetSmokeLayer(series.random, row, &c);
    SetScales(series.random, true, &c);
    const Case test = Make(series.random, c);
    row.layer.filter_height == 13 ? series.AddSmoke("window", test) : series.Add("window", test);
  }
}

void GenerateRealConv2D(const CaseSink& sink) {
  RealSizes series("CONV_2D", sink);
  AddConvDims(series);
  AddConvGroups(series);
  AddConvLayers(series);
  AddConvSumEnds(series);
  AddConvSmoke(series);
  AddConvFar(RealSizes("CONV_2D", sink, "far."));
}

constexpr CaseFamily kConv2DFamilies[] = {
    {"int8.conv_2d.", GenerateConv2D, GenerateRealConv2D},
};

}  // namespace

extern const CaseFamilies kConv2DCases = kConv2DFamilies;

}  // namespace lutra::conformance
