// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D and MAX_POOL_2D: one scale and zero point for input and output.

#include "conformance/generator/series.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {
namespace {

Case Make(Random& random, const char* op, const Convolution& c, oracle::Bytes codes = {}) {
  ModelMaker maker;
  const oracle::Shape in = {c.batches, c.height, c.width, c.in_channels};
  const int x = maker.Input({.shape = in, .scale = c.out_scale, .zero_point = c.out_zero});
  const int y = maker.Output({.shape = {c.batches, OutputHeight(c), OutputWidth(c), c.in_channels},
                              .scale = c.out_scale,
                              .zero_point = c.out_zero});
  maker.Op<edit::Pool2DOptionsT>(op, {x}, {y}, [&](auto& options) { SetWindow(c, &options); });
  if (codes.empty()) codes = MakeCodes(random, oracle::ElementCount(in), c.values, c.out_zero);
  return {.model = maker.Finish(), .inputs = {std::move(codes)}};
}

// A row of windows of `count` elements whose sums run over all remainders, upwards from somewhere, from -1
// and from 0: what a mean rounds to.
oracle::Bytes Remainders(Random& random, int count) {
  oracle::Bytes codes;
  for (const int64_t first : {random.Between(-127, 126), int64_t{-1}, int64_t{0}}) {
    for (int raised = 0; raised <= count; ++raised) {
      for (int k = 0; k < count; ++k) codes.push_back(static_cast<uint8_t>(first + (k < raised ? 1 : 0)));
    }
  }
  return codes;
}

// What both operators share.
class Maker {
 public:
  Maker(const char* op, const CaseSink& sink) : op_(op), series_(op, sink) {}

  Random& random() { return series_.random; }
  // With the scale and zero point that `c` has.
  void Add(const std::string& what, const Convolution& c, std::vector<std::string> tags = {},
           oracle::Bytes codes = {}) {
    series_.Add(what, Make(random(), op_, c, std::move(codes)), std::move(tags));
  }
  void AddWindows(int repeats) {
    for (const Convolution& window : AllWindows()) {
      if (window.dilation > 1) continue;
      for (int repeat = 0; repeat < repeats; ++repeat) {
        Convolution c = window;
        RandomWindow(random(), &c);
        if (!random().OneIn(4)) c.values = Values::kRandom;
        c.activation = random().OneIn(2) ? 0 : c.activation;
        AddScaled(WindowName(c), c);
      }
    }
  }
  void AddChannels() {
    for (const int channels : ChannelCounts()) {
      for (const bool same : {false, true}) {
        Convolution c;
        c.height = 5;
        c.filter_height = c.filter_width = 2;
        c.stride = 2;
        c.in_channels = channels;
        c.same = same;
        AddScaled("channels", c);
      }
    }
  }
  // The whole image at once, as at the end of classifiers.
  void AddGlobal() {
    struct Image {
      int height, width;
    };
    constexpr Image kImages[] = {{1, 1}, {1, 7}, {2, 2}, {3, 3},   {4, 4},  {5, 3},
                                 {6, 6}, {7, 7}, {8, 8}, {16, 16}, {25, 5}, {1, 256}};
    for (const Image& image : kImages) {
      Convolution c;
      c.height = c.filter_height = image.height;
      c.width = c.filter_width = image.width;
      c.same = false;
      AddScaled("global", c);
    }
  }
  // Images smaller than the window.
  void AddPaddings() {
    for (const int filter : {2, 3, 4, 5, 7, 9}) {
      for (const int stride : {1, 2}) {
        Convolution c;
        c.height = static_cast<int>(random().Between(1, 3));
        c.width = static_cast<int>(random().Between(1, 2));
        c.filter_height = c.filter_width = filter;
        c.stride = stride;
        AddScaled("padding", c);
      }
    }
  }
  void AddZeroPoints() {
    for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
      for (int kind = 0; kind < kValueKinds; ++kind) {
        Convolution c;
        c.filter_height = c.filter_width = 2;
        c.values = static_cast<Values>(kind);
        c.out_zero = zero;
        Add("zero_point", c, {ToString(c.values)});
      }
    }
  }
  // Clamps inside the range of the codes and outside of it.
  void AddActivations() {
    for (const int8_t activation : {1, 2, 3}) {
      for (const int exponent : {-10, -8, -6, -5, -4, -2, 0, 2}) {
        Convolution c;
        c.filter_height = c.filter_width = 2;
        c.activation = activation;
        c.out_scale = random().Scale(exponent, exponent);
        c.out_zero = random().Between(-60, 60);
        Add(std::string("activation.") + ActivationName(activation), c);
      }
    }
  }

 private:
  void AddScaled(const std::string& what, Convolution c) {
    c.out_scale = random().Scale(-8, -1);
    c.out_zero = random().ZeroPoint();
    Add(what, c);
  }

  const char* op_;
  Series series_;
};

// Each window size `repeats` times.
void GeneratePool(int repeats, Maker& maker) {
  maker.AddWindows(repeats);
  maker.AddChannels();
  maker.AddGlobal();
  maker.AddPaddings();
  maker.AddZeroPoints();
  maker.AddActivations();
}

void GenerateAverage(const CaseSink& sink) {
  Maker maker("AVERAGE_POOL_2D", sink);
  GeneratePool(4, maker);
  for (const int count : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 25}) {
    for (const int64_t zero : {-128, 3}) {
      Convolution c;
      oracle::Bytes codes = Remainders(maker.random(), count);
      c.height = c.filter_height = c.in_channels = 1;
      c.width = static_cast<int>(codes.size());
      c.filter_width = c.stride = count;
      c.out_zero = zero;
      c.same = false;
      maker.Add("tie", c, {"tie"}, std::move(codes));
    }
  }
}

void GenerateMax(const CaseSink& sink) {
  Maker maker("MAX_POOL_2D", sink);
  GeneratePool(2, maker);
}

// ---- Real sizes

// Tall windows, and padding of more than a byte counts.
void AddPoolFar(const char* op, RealSizes far) {
  constexpr SmokeLayer kRows[] = {{.layer = {37, 5, 5, 5, 13, 2, 1}, .batches = 2},
                                  {.layer = {1, 1030, 3, 3, 1, 1030, 1}, .stride_across = 128},
                                  {.layer = {1030, 1, 3, 3, 1030, 1, 128}, .batches = 2, .stride_across = 1}};
  for (const SmokeLayer& row : kRows) {
    Convolution window;
    SetSmokeLayer(far.random, row, &window);
    window.out_scale = far.random.Scale(-8, -1);
    window.out_zero = far.random.ZeroPoint();
    const Case test = Make(far.random, op, window);
    row.layer.filter_height == 13 ? far.AddSmoke("window", test) : far.Add("window", test);
  }
}

void GenerateRealPool(const char* op, const CaseSink& sink) {
  RealSizes series(op, sink);
  Random& random = series.random;
  const auto make = [&](Convolution c) {
    c.dilation = c.dilation_across = 1;
    c.out_scale = random.Scale(-8, -1);
    c.out_zero = random.ZeroPoint();
    return Make(random, op, c);
  };
  const auto fits = [](const SizeList& s) { return Product(s) <= kUsualProducts; };
  for (const SizeList& s : PairedSizes({{4, 1024}, {1, 64}, {1, 256}}, fits)) {
    Convolution c;
    c.in_channels = s[0];
    c.height = s[1];
    c.width = s[2];
    DrawRealWindow(random, c.in_channels, &c);
    series.Add("dims", make(c));
  }
  const auto global = [&](int height, int width, int channels, Values values = Values::kRandom) {
    Convolution c;
    c.values = values;
    c.height = c.filter_height = height;
    c.width = c.filter_width = width;
    c.in_channels = channels;
    c.same = false;
    c.batches = 2;
    return make(c);
  };
  for (const int32_t side : AroundPowers(8, 64)) {
    series.Add("global", global(side, side + 1, 3));
    // The largest sums, one way and the other.
    series.Add("global.ends", global(side, side, 2, side % 2 == 0 ? Values::kHigh : Values::kLow));
  }
  series.Add("global", global(7, 7, 1280));
  series.Add("global", global(25, 5, 64));
  series.Add("global", global(1, 2049, 2));
  series.AddSmoke("smoke", global(33, 34, 1, Values::kHigh));
  series.AddSmoke("smoke", global(2, 2, 261));
  series.AddSmoke("smoke", global(17, 18, 1, Values::kHigh));
  series.AddSmoke("smoke", global(18, 17, 1, Values::kLow));
  Convolution c;
  c.height = 6;
  c.width = 9;
  c.filter_width = 2;
  c.in_channels = 71;
  c.batches = 3;
  c.stride = 2;
  c.activation = 3;
  series.AddSmoke("smoke", make(c));
  c.activation = 0;
  c.width = 67;
  c.filter_width = 11;
  c.in_channels = 3;
  c.stride = 1;
  series.AddSmoke("smoke", make(c));
  AddPoolFar(op, RealSizes(op, sink, "far."));
}

constexpr CaseFamily kPoolFamilies[] = {
    {"int8.average_pool_2d.", GenerateAverage,
     [](const CaseSink& sink) { GenerateRealPool("AVERAGE_POOL_2D", sink); }},
    {"int8.max_pool_2d.", GenerateMax, [](const CaseSink& sink) { GenerateRealPool("MAX_POOL_2D", sink); }},
};

}  // namespace

extern const CaseFamilies kPoolCases = kPoolFamilies;

}  // namespace lutra::conformance
