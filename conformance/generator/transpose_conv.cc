// SPDX-License-Identifier: Apache-2.0
// Cases of TRANSPOSE_CONV: windows smaller and larger than the stride, outputs of every possible size.

#include "conformance/generator/draw.h"
#include "conformance/generator/window_cases.h"

namespace lutra::conformance {
namespace {

int SizeOfOutput(const Convolution& c, int in, int filter, int stride, int adjust) {
  return c.same ? in * stride - adjust : (in - 1) * stride + filter + adjust;
}

// Here height and width are the input's.
Case MakeTransposeConv(Random& random, const Convolution& c) {
  ModelMaker maker;
  const int x = maker.Input(InputTensor(c, ImageShape(c)));
  const oracle::Shape shape = {
      c.batches, SizeOfOutput(c, c.height, c.filter_height, c.stride, c.adjust_height),
      SizeOfOutput(c, c.width, c.filter_width, c.StrideAcross(), c.adjust_width), c.out_channels};
  const int output_shape = maker.Int32Constant(shape, {4});
  const int weights =
      AddWeights(random, c, {c.out_channels, c.filter_height, c.filter_width, c.in_channels}, 0, &maker);
  std::vector<int> inputs = {output_shape, weights, x};
  if (c.has_bias) inputs.push_back(AddBias(random, c, c.out_channels, &maker));
  const int y = maker.Output(OutputTensor(c, shape));
  maker.Op<edit::TransposeConvOptionsT>("TRANSPOSE_CONV", inputs, {y},
                                        [&](auto& options) { SetWindow(c, &options); });
  return Finish(random, c, ImageShape(c), maker);
}

// Returns the products of an output, which reads about one of stride * stride taps of the filter.
int TransposedDepthOf(const Convolution& c) {
  return std::max(c.filter_height * c.filter_width / (c.stride * c.stride), 1) * c.in_channels;
}

constexpr WindowOp kTransposeConv = {.make = MakeTransposeConv, .depth = TransposedDepthOf};

void AddTransposedChannels(Random& random, WindowCases* cases) {
  for (const int in : ChannelCounts()) {
    for (const int out : ChannelCounts()) {
      if (!random.OneIn(3)) continue;
      const Convolution c = {.height = 2, .width = 2, .in_channels = in, .out_channels = out, .stride = 2};
      cases->AddScaled("channels", random.OneIn(2), c);
    }
  }
}

void GenerateTransposeConv(Series& series) {
  Random& random = series.random;
  WindowCases cases(kTransposeConv, &series);
  // If the window is smaller than the stride, some elements get the bias alone.
  cases.AddWindows(1, false, [&](Convolution* c) {
    if (!random.OneIn(4)) c->values = Values::kRandom;
    c->height = random.Int(1, 5);
    c->width = random.Int(1, 5);
    c->adjust_height = random.Int(0, c->stride - 1);
    c->adjust_width = random.Int(0, c->stride - 1);
    c->has_bias = !random.OneIn(4);
  });
  AddTransposedChannels(random, &cases);
  cases.AddZeroPoints({Values::kRandom, Values::kLow, Values::kHigh, Values::kExtremes}, [&](int) {
    Convolution c = {.height = 3, .width = 3, .stride = 2};
    cases.SetScales(random.OneIn(2), &c);
    c.out_zero = random.Between(-40, 40);
    return c;
  });
  cases.AddShifts(-11, 4, [](int repeat) {
    Convolution c = {.height = 2, .width = 2, .in_channels = 1 + repeat % 2, .out_channels = 17};
    c.filter_height = c.filter_width = c.stride = 2;
    return c;
  });
  cases.AddActivations({-7, -5, -4, -3}, false, {.out_channels = 9, .stride = 2});
  cases.AddSpreads(1, {.out_channels = 12});
  cases.AddLargeBiases(8, 0, {.height = 2, .width = 2, .out_channels = 12});
  cases.AddMultipliers({.out_channels = 17});
  series.AddSeparators(12, 300, [](Random& r) {
    Convolution c = {.height = 1, .width = 2, .in_channels = 2, .filter_height = 1, .filter_width = 1};
    c.stride = r.Int(1, 2);
    // There are blocks of eight channels and a remainder.
    c.out_channels = r.Int(9, 23);
    SetTies(r, c.out_channels, &c);
    return MakeTransposeConv(r, c);
  });
}

// ---- Real sizes

// Draws channels and image; filters are 2x2 to 5x5, and strides 1 to 3.
Convolution DrawTransposedDims(Random& random, const SizeList& s) {
  Convolution c = {.height = s[2], .width = s[3], .in_channels = s[0], .out_channels = s[1]};
  c.filter_height = random.Int(2, 5);
  c.filter_width = random.Int(2, 5);
  c.stride = random.Int(1, 3);
  c.stride_across = random.Int(1, 3);
  c.same = random.OneIn(2);
  c.least_weight = -127;
  if (Product(s) * c.filter_height * c.filter_width > kMostProducts / 2) {
    c.filter_height = c.filter_width = 1;
  }
  if (Product(s) < 2000) c.batches = random.Int(2, 5);
  return c;
}

void AddTransposedSmoke(RealSizes& series, WindowCases& cases) {
  struct Layer {
    int height, width, in_channels, out_channels, batches;
  };
  constexpr Layer kLayers[] = {{1, 2, 131, 37, 1}, {2, 40, 5, 3, 3}, {2, 2, 3, 259, 1}, {2, 2, 1029, 5, 1}};
  for (const Layer& layer : kLayers) {
    Convolution c = {.batches = layer.batches, .height = layer.height, .width = layer.width};
    c.in_channels = layer.in_channels;
    c.out_channels = layer.out_channels;
    c.filter_height = layer.in_channels > 1000 ? 1 : 4;
    c.filter_width = layer.in_channels > 1000 ? 1 : 3;
    c.stride = 3;
    c.stride_across = 2;
    c.least_weight = -127;
    series.AddSmoke("smoke", cases.Make(true, c));
  }
}

// Several images have many rows or columns; some have many outputs.
constexpr SmokeLayer kTransposedFar[] = {{.layer = {37, 3, 5, 3, 3, 2, 2}, .batches = 3, .stride_across = 1},
                                         {.layer = {19, 67, 3, 2, 4, 5, 3}, .batches = 2},
                                         {.layer = {131, 2, 2, 263, 2, 1, 1}, .batches = 2},
                                         {.layer = {2, 300, 2, 3, 3, 9, 1}, .stride_across = 4}};

void GenerateRealTransposeConv(RealSizes& series) {
  Series far = series.Part("far.");
  WindowCases cases(kTransposeConv, &series);
  cases.AddDims({{4, 512}, {4, 512}, {1, 16}, {1, 64}}, kUsualProducts,
                [&](const SizeList& s) { return DrawTransposedDims(series.random, s); });
  cases.AddSumEnds({{.height = 1,
                     .width = 1,
                     .in_channels = 519,
                     .out_channels = 37,
                     .filter_height = 1,
                     .filter_width = 1}});
  AddTransposedSmoke(series, cases);
  WindowCases(kTransposeConv, &far).AddFar(kTransposedFar, [&](Convolution* c) {
    c->same = far.random.OneIn(2);
  });
}

Case DrawTransposeConv(Random& random) {
  Convolution c = DrawWindow(random, {.has_dilation = false});
  // Each pixel of the input is multiplied with the whole filter.
  DrawLayer(random, c.filter_height * c.filter_width * c.in_channels, false, &c, c.out_channels);
  if (c.same) {
    c.adjust_height = random.Int(0, c.stride - 1);
    c.adjust_width = random.Int(0, c.StrideAcross() - 1);
  }
  return MakeTransposeConv(random, c);
}

}  // namespace

extern const CaseFamilies kTransposeConvCases = {
    Family("TRANSPOSE_CONV", GenerateTransposeConv, GenerateRealTransposeConv, DrawTransposeConv),
};

}  // namespace lutra::conformance
