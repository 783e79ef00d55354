// SPDX-License-Identifier: Apache-2.0
// Cases of AVERAGE_POOL_2D and MAX_POOL_2D: input and output have one scale and zero point.

#include "conformance/generator/draw.h"
#include "conformance/generator/int16.h"
#include "conformance/generator/window_cases.h"

namespace lutra::conformance {

Case MakePool(Random& random, const char* op, const Convolution& c) {
  ModelMaker maker;
  const int x = maker.Input(OutputTensor(c, ImageShape(c)));
  const int y = maker.Output(OutputTensor(c, {c.batches, OutputHeight(c), OutputWidth(c), c.in_channels}));
  maker.Op<edit::Pool2DOptionsT>(op, {x}, {y}, [&](auto& options) { SetWindow(c, &options); });
  return Finish(random, c, ImageShape(c), maker);
}

namespace {

constexpr WindowOp kAveragePool = {
    .make = [](Random& random, const Convolution& c) { return MakePool(random, "AVERAGE_POOL_2D", c); }};
constexpr WindowOp kMaxPool = {
    .make = [](Random& random, const Convolution& c) { return MakePool(random, "MAX_POOL_2D", c); }};

// Returns a window of the whole image, as at the end of classifiers.
Convolution WholeImage(int height, int width) {
  return {.height = height, .width = width, .filter_height = height, .filter_width = width, .same = false};
}

// Returns a row of windows of `count` elements whose sums have all remainders, upwards from some number, from
// -1 and from 0: they show how a mean is rounded.
oracle::Bytes Remainders(Random& random, int count) {
  oracle::Bytes codes;
  for (const int64_t first : {random.Between(-127, 126), int64_t{-1}, int64_t{0}}) {
    for (int raised = 0; raised <= count; ++raised) {
      for (int k = 0; k < count; ++k) codes.push_back(static_cast<uint8_t>(first + (k < raised ? 1 : 0)));
    }
  }
  return codes;
}

// Adds images that are smaller than the window.
void AddPoolPaddings(Random& random, WindowCases* cases) {
  for (const int filter : {2, 3, 4, 5, 7, 9}) {
    for (const int stride : {1, 2}) {
      Convolution c = {.filter_height = filter, .filter_width = filter, .stride = stride};
      c.height = random.Int(1, 3);
      c.width = random.Int(1, 2);
      cases->AddScaled("padding", false, c);
    }
  }
}

// Adds each window size `repeats` times.
void GeneratePool(int repeats, Random& random, WindowCases& cases) {
  cases.AddWindows(repeats, false, [&](Convolution* c) {
    if (!random.OneIn(4)) c->values = Values::kRandom;
    c->activation = random.OneIn(2) ? 0 : c->activation;
  });
  for (const int channels : ChannelCounts()) {
    for (const bool same : {false, true}) {
      Convolution c = {.height = 5, .in_channels = channels, .stride = 2, .same = same};
      c.filter_height = c.filter_width = 2;
      cases.AddScaled("channels", false, c);
    }
  }
  struct Image {
    int height, width;
  };
  constexpr Image kImages[] = {{1, 1}, {1, 7}, {2, 2}, {3, 3},   {4, 4},  {5, 3},
                               {6, 6}, {7, 7}, {8, 8}, {16, 16}, {25, 5}, {1, 256}};
  for (const Image& image : kImages) {
    cases.AddScaled("global", false, WholeImage(image.height, image.width));
  }
  AddPoolPaddings(random, &cases);
  const Convolution small = {.filter_height = 2, .filter_width = 2};
  cases.AddZeroPoints(AllValues(), [&](int) { return small; });
  cases.AddActivations({-10, -8, -6, -5, -4, -2, 0, 2}, false, small);
}

void GenerateAverage(Series& series) {
  WindowCases cases(kAveragePool, &series);
  GeneratePool(4, series.random, cases);
  for (const int count : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 25}) {
    for (const int64_t zero : {-128, 3}) {
      Convolution c = {.height = 1, .in_channels = 1, .filter_height = 1, .same = false};
      c.codes = Remainders(series.random, count);
      c.width = static_cast<int>(c.codes.size());
      c.filter_width = c.stride = count;
      c.out_zero = zero;
      cases.Add("tie", c, {"tie"});
    }
  }
}

void GenerateMax(Series& series) {
  WindowCases cases(kMaxPool, &series);
  GeneratePool(2, series.random, cases);
}

// ---- Real sizes

constexpr SmokeLayer kPoolFar[] = {
    {.layer = {37, 5, 5, 5, 13, 2, 1}, .batches = 2},
    {.layer = {1, 1030, 3, 3, 1, 1030, 1}, .stride_across = 128},
    {.layer = {1030, 1, 3, 3, 1030, 1, 128}, .batches = 2, .stride_across = 1}};

void GenerateRealPool(const WindowOp& window_op, RealSizes& series) {
  Series far = series.Part("far.");
  WindowCases cases(window_op, &series);
  cases.AddDims({{4, 1024}, {1, 64}, {1, 256}}, kUsualProducts, [&](const SizeList& s) {
    Convolution c = {.height = s[1], .width = s[2], .in_channels = s[0]};
    DrawRealWindow(series.random, c.in_channels, &c);
    c.dilation = c.dilation_across = 1;
    return c;
  });
  const auto global = [&](int height, int width, int channels, Values values = Values::kRandom) {
    Convolution c = WholeImage(height, width);
    c.values = values;
    c.in_channels = channels;
    c.batches = 2;
    return cases.Make(false, c);
  };
  for (const int32_t side : AroundPowers(8, 64)) {
    series.Add("global", global(side, side + 1, 3));
    // The sums are the largest, with either sign.
    series.Add("global.ends", global(side, side, 2, side % 2 == 0 ? Values::kHigh : Values::kLow));
  }
  series.Add("global", global(7, 7, 1280));
  series.Add("global", global(25, 5, 64));
  series.Add("global", global(1, 2049, 2));
  series.AddSmoke("smoke", global(33, 34, 1, Values::kHigh));
  series.AddSmoke("smoke", global(2, 2, 261));
  series.AddSmoke("smoke", global(17, 18, 1, Values::kHigh));
  series.AddSmoke("smoke", global(18, 17, 1, Values::kLow));
  Convolution c = {.batches = 3, .height = 6, .width = 9, .in_channels = 71, .filter_width = 2, .stride = 2};
  c.activation = 3;
  series.AddSmoke("smoke", cases.Make(false, c));
  c = {.batches = 3, .height = 6, .width = 67, .in_channels = 3, .filter_width = 11};
  series.AddSmoke("smoke", cases.Make(false, c));
  WindowCases(window_op, &far).AddFar(kPoolFar);
}

Case DrawPool(Random& random, const char* op) {
  Convolution c = DrawWindow(random, {.has_dilation = false, .is_pool = true});
  if (random.OneIn(6) && int64_t{c.height} * c.width <= 4096) {
    c.filter_height = c.height;
    c.filter_width = c.width;
    c.same = false;
  }
  c.in_scale = c.out_scale = random.Scale(-8, 0);
  c.in_zero = c.out_zero = random.ZeroPoint();
  c.values = DrawValues(random);
  c.activation = static_cast<int8_t>(random.OneIn(3) ? random.Int(0, 3) : 0);
  return MakePool(random, op, c);
}

// ---- Of int16: only the codes are wider.

Case MakeInt16Pool(Random& random, const char* op, Convolution c) {
  c.type = oracle::kInt16;
  c.in_scale = c.out_scale = random.Scale(-14, -8);
  c.in_zero = c.out_zero = Int16ZeroPoint(random);
  c.codes = Int16Codes(random, ImageShape(c));
  return MakePool(random, op, c);
}

void AddInt16Pools(Series& series, const char* op) {
  Random& random = series.random;
  size_t i = 0;
  for (Convolution c : AllWindows()) {
    if (c.dilation != 1 || c.DilationAcross() != 1 || ++i % 3 != 0) continue;
    RandomWindow(random, &c);
    c.activation = static_cast<int8_t>(random.Between(0, 3));
    series.Add("window", MakeInt16Pool(random, op, c));
  }
  for (const int side : {1, 2, 3, 7, 16})
    series.Add("global", MakeInt16Pool(random, op, WholeImage(side, side)));
  for (const int channels : {1, 7, 8, 9, 17, 33}) {
    Convolution c = {.height = 5, .width = 5, .in_channels = channels};
    c.filter_height = c.filter_width = 2;
    series.Add("channels", MakeInt16Pool(random, op, c));
  }
}

Case DrawInt16Pool(Random& random, const char* op) {
  Convolution c = DrawWindow(random, {.has_dilation = false, .is_pool = true});
  c.activation = static_cast<int8_t>(random.OneIn(3) ? random.Int(0, 3) : 0);
  return WithDrawnCodes(random, MakeInt16Pool(random, op, c));
}

CaseFamily Int16PoolFamily(const char* name, const char* op) {
  return Int16Family(
      name, [op](Series& series) { AddInt16Pools(series, op); },
      [op](RealSizes& sizes) {
        Convolution c = WholeImage(25, 5);
        c.in_channels = 65;
        sizes.Add("global", MakeInt16Pool(sizes.random, op, c));
      },
      [op](Random& random) { return DrawInt16Pool(random, op); });
}

}  // namespace

extern const CaseFamilies kPoolInt16Cases = {
    Int16PoolFamily("AVERAGE_POOL_2D.int16", "AVERAGE_POOL_2D"),
    Int16PoolFamily("MAX_POOL_2D.int16", "MAX_POOL_2D"),
};

extern const CaseFamilies kPoolCases = {
    Family(
        "AVERAGE_POOL_2D", GenerateAverage, [](RealSizes& series) { GenerateRealPool(kAveragePool, series); },
        [](Random& random) { return DrawPool(random, "AVERAGE_POOL_2D"); }),
    Family(
        "MAX_POOL_2D", GenerateMax, [](RealSizes& series) { GenerateRealPool(kMaxPool, series); },
        [](Random& random) { return DrawPool(random, "MAX_POOL_2D"); }),
};

}  // namespace lutra::conformance
