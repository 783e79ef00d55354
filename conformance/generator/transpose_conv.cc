// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV: windows smaller and larger than the stride, outputs of every size that fits.

#include "conformance/generator/series.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {
namespace {

// height and width are the input's; an output may be up to a stride less one shorter (SAME) or longer
// (VALID) than others of the same input.
struct TransposeConv : Convolution {
  int adjust_height = 0, adjust_width = 0;
};

int SizeOfOutput(const TransposeConv& c, int in, int filter, int stride, int adjust) {
  return c.same ? in * stride - adjust : (in - 1) * stride + filter + adjust;
}

Case Make(Random& random, const TransposeConv& c) {
  ModelMaker maker;
  const int x = maker.Input(
      {.shape = {c.batches, c.height, c.width, c.in_channels}, .scale = c.in_scale, .zero_point = c.in_zero});
  const oracle::Shape shape = {
      c.batches, SizeOfOutput(c, c.height, c.filter_height, c.stride, c.adjust_height),
      SizeOfOutput(c, c.width, c.filter_width, c.StrideAcross(), c.adjust_width), c.out_channels};
  const int output_shape = maker.Int32Constant(shape, {4});
  const int weights =
      AddWeights(random, c, {c.out_channels, c.filter_height, c.filter_width, c.in_channels}, 0, &maker);
  std::vector<int> inputs = {output_shape, weights, x};
  if (c.has_bias) inputs.push_back(AddBias(random, c, c.out_channels, &maker));
  const int y = maker.Output({.shape = shape, .scale = c.out_scale, .zero_point = c.out_zero});
  maker.Op<edit::TransposeConvOptionsT>("TRANSPOSE_CONV", inputs, {y},
                                        [&](auto& options) { SetWindow(c, &options); });
  const int64_t count = int64_t{c.batches} * c.height * c.width * c.in_channels;
  return {.model = maker.Finish(), .inputs = {MakeCodes(random, count, c.values, c.in_zero)}};
}

// An element of the output takes about one of stride * stride taps of the filter.
void SetScales(Random& random, bool per_channel, TransposeConv* c) {
  const int taps = c->filter_height * c->filter_width / (c->stride * c->stride);
  SetScales(random, std::max(taps, 1) * c->in_channels, per_channel ? c->out_channels : 1, c);
}

// Windows smaller than the stride leave elements that only the bias reaches.
void AddWindows(Series& series) {
  Random& random = series.random;
  for (const Convolution& window : AllWindows()) {
    if (window.dilation > 1) continue;
    for (const bool per_channel : {false, true}) {
      TransposeConv c = {window};
      RandomWindow(random, &c);
      if (!random.OneIn(4)) c.values = Values::kRandom;
      c.height = static_cast<int>(random.Between(1, 5));
      c.width = static_cast<int>(random.Between(1, 5));
      c.adjust_height = static_cast<int>(random.Between(0, c.stride - 1));
      c.adjust_width = static_cast<int>(random.Between(0, c.stride - 1));
      c.has_bias = !random.OneIn(4);
      SetScales(random, per_channel, &c);
      series.Add(WindowName(c) + (per_channel ? ".per_channel" : ".per_tensor"), Make(random, c));
    }
  }
}

void AddChannels(Series& series) {
  Random& random = series.random;
  for (const int in : ChannelCounts()) {
    for (const int out : ChannelCounts()) {
      if (!random.OneIn(3)) continue;
      TransposeConv c;
      c.height = c.width = 2;
      c.stride = 2;
      c.in_channels = in;
      c.out_channels = out;
      SetScales(random, random.OneIn(2), &c);
      series.Add("channels", Make(random, c));
    }
  }
}

void AddZeroPoints(Series& series) {
  Random& random = series.random;
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    for (const Values values : {Values::kRandom, Values::kLow, Values::kHigh, Values::kExtremes}) {
      TransposeConv c;
      c.height = c.width = 3;
      c.stride = 2;
      c.values = values;
      SetScales(random, random.OneIn(2), &c);
      c.in_zero = zero;
      c.out_zero = random.Between(-40, 40);
      series.Add("zero_point", Make(random, c), {ToString(values)});
    }
  }
}

// Requantisation with shifts near zero, where rounding shows; and far from it.
void AddShifts(Series& series) {
  Random& random = series.random;
  for (int exponent = -11; exponent <= 3; ++exponent) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      TransposeConv c;
      c.height = c.width = 2;
      c.filter_height = c.filter_width = c.stride = 2;
      c.in_channels = 1 + repeat % 2;
      c.out_channels = 17;
      SetShift(random, exponent, repeat, c.out_channels, &c);
      series.Add("shift", Make(random, c), {"tie"});
    }
  }
}

void AddActivations(Series& series) {
  Random& random = series.random;
  for (const int8_t activation : {1, 2, 3}) {
    for (const int exponent : {-7, -5, -4, -3}) {
      TransposeConv c;
      c.stride = 2;
      c.out_channels = 9;
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
    TransposeConv c;
    c.out_channels = 12;
    SetScales(random, true, &c);
    for (float& scale : c.filter_scales) scale = random.Scale(-6 - spread / 2, -6 + spread / 2);
    series.Add("spread", Make(random, c));
  }
}

void AddLargeBiases(Series& series) {
  Random& random = series.random;
  for (int repeat = 0; repeat < 8; ++repeat) {
    TransposeConv c;
    c.height = c.width = 2;
    c.out_channels = 12;
    SetNearHalves(random, c.out_channels, &c);
    series.Add("large_bias", Make(random, c));
  }
}

void AddMultipliers(Series& series) {
  Random& random = series.random;
  for (const int exponent : {0, -1, -4, -9, -30, -31, -32, -33, -36}) {
    TransposeConv c;
    c.out_channels = 17;
    const bool below = exponent > -30;
    SetMultiplier(random, exponent, below, c.out_channels, &c);
    series.Add(below ? "multiplier.below_power_of_two" : "multiplier.tiny", Make(random, c));
  }
}

void GenerateTransposeConv(const CaseSink& sink) {
  Series series("TRANSPOSE_CONV", sink);
  AddWindows(series);
  AddChannels(series);
  AddZeroPoints(series);
  AddShifts(series);
  AddActivations(series);
  AddSpreads(series);
  AddLargeBiases(series);
  AddMultipliers(series);
  AddSeparators(sink, "TRANSPOSE_CONV", 12, 300, [](Random& r) {
    TransposeConv c;
    c.height = 1;
    c.width = 2;
    c.filter_height = c.filter_width = 1;
    c.stride = static_cast<int>(r.Between(1, 2));
    c.in_channels = 2;
    // Blocks of eight channels and a tail.
    c.out_channels = static_cast<int>(r.Between(9, 23));
    SetTies(r, c.out_channels, &c);
    return Make(r, c);
  });
}

// ---- Real sizes

// Filters of 2x2 to 5x5, in steps of 1 to 3.
TransposeConv RealFilter(Random& random) {
  TransposeConv c;
  c.filter_height = static_cast<int>(random.Between(2, 5));
  c.filter_width = static_cast<int>(random.Between(2, 5));
  c.stride = static_cast<int>(random.Between(1, 3));
  c.stride_across = static_cast<int>(random.Between(1, 3));
  c.same = random.OneIn(2);
  c.least_weight = -127;
  return c;
}

// Channels and image, every two of them near every power of two together.
void AddTransposedDims(RealSizes& series) {
  Random& random = series.random;
  const auto fits = [](const SizeList& s) { return Product(s) <= kUsualProducts; };
  for (const SizeList& s : PairedSizes({{4, 512}, {4, 512}, {1, 16}, {1, 64}}, fits)) {
    TransposeConv c = RealFilter(random);
    c.in_channels = s[0];
    c.out_channels = s[1];
    c.height = s[2];
    c.width = s[3];
    if (Product(s) * c.filter_height * c.filter_width > kMostProducts / 2)
      c.filter_height = c.filter_width = 1;
    if (Product(s) < 2000) c.batches = static_cast<int>(random.Between(2, 5));
    SetScales(random, random.OneIn(2), &c);
    series.Add("dims", Make(random, c));
  }
}

// Sums at their ends, and the smoke set's.
void AddTransposedEnds(RealSizes& series) {
  Random& random = series.random;
  for (const bool wide : {false, true}) {
    TransposeConv c;
    c.height = c.width = 1;
    c.filter_height = c.filter_width = 1;
    c.in_channels = 519;
    c.out_channels = 37;
    SetSumEnds(random, c.in_channels, c.out_channels, false, wide, &c);
    series.Add(wide ? "sum_ends.int32" : "sum_ends.int16", Make(random, c));
  }
  struct Layer {
    int height, width, in_channels, out_channels, batches;
  };
  constexpr Layer kLayers[] = {{1, 2, 131, 37, 1}, {2, 40, 5, 3, 3}, {2, 2, 3, 259, 1}, {2, 2, 1029, 5, 1}};
  for (const Layer& layer : kLayers) {
    TransposeConv c;
    c.filter_height = layer.in_channels > 1000 ? 1 : 4;
    c.filter_width = layer.in_channels > 1000 ? 1 : 3;
    c.stride = 3;
    c.stride_across = 2;
    c.least_weight = -127;
    c.height = layer.height;
    c.width = layer.width;
    c.in_channels = layer.in_channels;
    c.out_channels = layer.out_channels;
    c.batches = layer.batches;
    SetScales(random, true, &c);
    series.AddSmoke("smoke", Make(random, c));
  }
}

// Several images, each of many rows or columns; more outputs than a byte counts.
void AddTransposedFar(RealSizes series) {
  const SmokeLayer rows[] = {{.layer = {37, 3, 5, 3, 3, 2, 2}, .batches = 3, .stride_across = 1},
                             {.layer = {19, 67, 3, 2, 4, 5, 3}, .batches = 2},
                             {.layer = {131, 2, 2, 263, 2, 1, 1}, .batches = 2},
                             {.layer = {2, 300, 2, 3, 3, 9, 1}, .stride_across = 4}};
  for (const SmokeLayer& row : rows) {
    TransposeConv c;
    SetSmokeLayer(series.random, row, &c);
    c.same = series.random.OneIn(2);
    SetScales(series.random, true, &c);
    const Case test = Make(series.random, c);
    row.batches == 3 ? series.AddSmoke("window", test) : series.Add("window", test);
  }
}

void GenerateRealTransposeConv(const CaseSink& sink) {
  RealSizes series("TRANSPOSE_CONV", sink);
  AddTransposedDims(series);
  AddTransposedEnds(series);
  AddTransposedFar(RealSizes("TRANSPOSE_CONV", sink, "far."));
}

constexpr CaseFamily kTransposeConvFamilies[] = {
    {"int8.transpose_conv.", GenerateTransposeConv, GenerateRealTransposeConv},
};

}  // namespace

extern const CaseFamilies kTransposeConvCases = kTransposeConvFamilies;

}  // namespace lutra::conformance
