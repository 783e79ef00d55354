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
  const int y = maker.Output({.shape = {c.batches, OutputSize(c, c.height, c.filter_height),
                                        OutputSize(c, c.width, c.filter_width), c.out_channels},
                              .scale = c.out_scale,
                              .zero_point = c.out_zero});
  maker.Op<edit::Conv2DOptionsT>("CONV_2D", inputs, {y}, [&](auto& options) {
    options.padding = c.same ? 0 : 1;
    options.stride_h = options.stride_w = c.stride;
    options.dilation_h_factor = options.dilation_w_factor = c.dilation;
    options.fused_activation_function = c.activation;
  });
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
  AddSeparators(sink, "CONV_2D", 12, 300, [](Random& r) {
    Conv c;
    c.height = 1;
    c.width = 4;
    c.filter_height = c.filter_width = 1;
    c.groups = r.OneIn(3) ? 2 : 1;
    c.in_channels = 2;
    c.out_channels = c.groups * static_cast<int>(r.Between(3, 12));
    SetTies(r, c.out_channels, &c);
    return Make(r, c);
  });
}

constexpr CaseFamily kConv2DFamilies[] = {
    {"int8.conv_2d.", GenerateConv2D},
};

}  // namespace

extern const CaseFamilies kConv2DCases = kConv2DFamilies;

}  // namespace lutra::conformance
