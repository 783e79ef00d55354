// SPDX-License-Identifier: Apache-2.0
// Cases of RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.

#include "conformance/generator/draw.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

enum class Mode : uint8_t { kPlain, kAlignCorners, kHalfPixel };
constexpr Mode kModes[] = {Mode::kPlain, Mode::kAlignCorners, Mode::kHalfPixel};

const char* ToString(Mode mode) {
  constexpr const char* kNames[] = {"plain", "align_corners", "half_pixel"};
  return kNames[static_cast<int>(mode)];
}

struct Size {
  int32_t in, out;
};

struct Resize {
  const char* op;
  Mode mode = Mode::kPlain;
  Size height = {3, 5}, width = {3, 5};
  int32_t batches = 1, channels = 2;
  Values values = Values::kRandom;
};

// Returns whether RESIZE_BILINEAR's position of the last output, whose step is rounded to 1/1024, is behind
// the image.
bool ReadsBehind(Mode mode, Size size) {
  if (mode != Mode::kPlain) return false;
  const int32_t scale = (1024 * size.in + size.out / 2) / size.out;
  return (size.out - 1) * scale / 1024 > size.in - 1;
}

Case Make(Random& random, const Resize& r) {
  ModelMaker maker;
  const float scale = random.Scale(-8, 0);
  const int64_t zero = random.ZeroPoint();
  const oracle::Shape in = {r.batches, r.height.in, r.width.in, r.channels};
  const oracle::Shape out = {r.batches, r.height.out, r.width.out, r.channels};
  const int x = maker.Input({.shape = in, .scale = scale, .zero_point = zero});
  const int size = maker.Int32Constant({r.height.out, r.width.out}, {2});
  const int y = maker.Output({.shape = out, .scale = scale, .zero_point = zero});
  const auto set = [&](auto& options) {
    options.align_corners = r.mode == Mode::kAlignCorners;
    options.half_pixel_centers = r.mode == Mode::kHalfPixel;
  };
  if (std::string_view(r.op) == "RESIZE_BILINEAR") {
    maker.Op<edit::ResizeBilinearOptionsT>(r.op, {x, size}, {y}, set);
  } else {
    maker.Op<edit::ResizeNearestNeighborOptionsT>(r.op, {x, size}, {y}, set);
  }
  return {.model = maker.Finish(), .inputs = {MakeCodes(random, oracle::ElementCount(in), r.values)}};
}

// Makes the cases that both operators have: for every mode sizes, factors, channels, values.
class Maker {
 public:
  explicit Maker(Series& series) : series_(series), op_(series.op()) {}

  // Adds heights from every `in` to every `out`, or from one in `one_in`; widths are random.
  void AddSizes(const std::vector<int32_t>& ins, const std::vector<int32_t>& outs, int one_in) {
    for (const Mode mode : kModes) {
      for (const int32_t in : ins) {
        for (const int32_t out : outs) {
          if (one_in > 1 && !random().OneIn(one_in)) continue;
          Resize r = {.op = op_, .mode = mode, .height = {in, out}};
          r.width = {random().Pick(ins), random().Pick(outs)};
          r.channels = random().Int(1, 4);
          Add("sizes", r);
        }
      }
    }
  }
  void AddFactors(const std::vector<int32_t>& factors) {
    for (const Mode mode : kModes) {
      for (const int32_t factor : factors) {
        for (const bool up : {true, false}) {
          const auto side = random().Int(2, 5);
          const Size size = up ? Size{side, side * factor} : Size{side * factor, side};
          Add(up ? "up" : "down", {.op = op_, .mode = mode, .height = size, .width = size, .channels = 1});
        }
      }
    }
  }
  void AddChannels(const std::vector<int32_t>& channels) {
    for (const Mode mode : kModes) {
      for (const int32_t count : channels) {
        Resize r = {.op = op_, .mode = mode, .channels = count};
        r.batches = random().Int(1, 3);
        r.width = {4, random().Int(3, 6)};
        Add("channels", r);
      }
    }
  }
  void AddValues(int repeats) {
    for (const Mode mode : kModes) {
      for (int kind = 0; kind < kValueKinds; ++kind) {
        for (int repeat = 0; repeat < repeats; ++repeat) {
          Resize r = {.op = op_, .mode = mode, .height = {4, 7}, .width = {3, 6}};
          r.values = static_cast<Values>(kind);
          if (repeat == 1) r.height = r.width = {5, 3};
          Add("values", r);
        }
      }
    }
  }
  // Adds factors from one or few pixels to many: the largest that stay within the image.
  void AddMagnifications(const std::vector<Size>& sizes) {
    for (const Mode mode : kModes) {
      for (const Size size : sizes) {
        if (ReadsBehind(mode, size)) continue;
        Add("magnify", {.op = op_, .mode = mode, .height = size, .width = {2, 3}, .channels = 1});
        Add("magnify", {.op = op_, .mode = mode, .height = {3, 2}, .width = size, .channels = 3});
      }
    }
  }
  void AddLarge(int repeats) {
    for (const Mode mode : kModes) {
      for (int repeat = 0; repeat < repeats; ++repeat) {
        Resize r = {.op = op_, .mode = mode, .channels = 1};
        for (Size* size : {&r.height, &r.width}) {
          *size = {random().Int(10, 40), random().Int(10, 40)};
        }
        Add("large", r);
      }
    }
  }

 private:
  Random& random() { return series_.random; }
  void Add(const char* what, const Resize& r) {
    series_.Add(std::string(ToString(r.mode)) + "." + what, Make(random(), r));
  }

  Series& series_;
  const char* op_;
};

void GenerateBilinear(Series& series) {
  Maker maker(series);
  maker.AddSizes({1, 2, 3, 4, 5, 7}, {1, 2, 3, 5, 6, 8, 11}, 1);
  maker.AddFactors({2, 3, 4, 8});
  maker.AddChannels({1, 3, 4, 8, 15, 16, 17, 31, 33});
  maker.AddValues(2);
  maker.AddMagnifications({{1, 32}, {1, 54}, {2, 64}, {3, 61}});
  maker.AddLarge(10);
  series.AddSeparators(14, 300, [](Random& r) {
    Resize resize = {.op = "RESIZE_BILINEAR", .mode = kModes[r.Between(0, 2)], .channels = 3};
    for (Size* size : {&resize.height, &resize.width}) {
      size->in = r.Int(2, 6);
      // Doubling has weights of 1/2.
      size->out = r.OneIn(2) ? size->in * 2 : r.Int(2, 12);
    }
    return Make(r, resize);
  });
}

void GenerateNearest(Series& series) {
  Maker maker(series);
  maker.AddSizes({1, 2, 3, 5, 7}, {1, 2, 4, 5, 9}, 3);
  maker.AddFactors({2, 3});
  maker.AddChannels({1, 16, 33});
  maker.AddMagnifications({{1, 50}});
  maker.AddLarge(3);
  // Rules differ only for reductions of some sizes: 26 to 22, 62 to 14.
  series.AddSeparators(8, 300, [](Random& r) {
    const auto size = [&r] {
      const auto in = r.Int(20, 160);
      return Size{in, r.Int(1, in)};
    };
    return Make(r, {.op = "RESIZE_NEAREST_NEIGHBOR", .height = size(), .width = size()});
  });
}

// ---- Real sizes

// Returns whether some output lies so close to the edge of a pixel that float32, with a quotient or with the
// reciprocal, cuts its position to another pixel than exact arithmetic.
bool IsFragile(Mode mode, Size size) {
  const bool corners = mode == Mode::kAlignCorners && size.out > 1;
  const int64_t from = corners ? size.in - 1 : size.in, to = corners ? size.out - 1 : size.out;
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  const float inverse = static_cast<float>(from) * (1.0f / static_cast<float>(to));
  const float offset = mode == Mode::kHalfPixel ? 0.5f : 0.0f;
  for (int64_t i = 0; i < size.out; ++i) {
    const float at = static_cast<float>(i) + offset;
    const int64_t twice = 2 * i + (mode == Mode::kHalfPixel ? 1 : 0);
    // With aligned corners, positions are rounded, here as halves of a pixel.
    const int64_t exact = corners ? (twice * from + to) / (2 * to) : twice * from / (2 * to);
    const auto cut = [&](float position) {
      return static_cast<int64_t>(corners ? position + 0.5f : position);
    };
    if (cut(at * scale) != exact || cut(at * inverse) != exact) return true;
  }
  return false;
}

// Returns fragile sizes among those near powers of two and those of networks.
std::vector<Size> FragileSizes(Mode mode) {
  SizeList sides = AroundPowers(8, 256);
  for (const int32_t side : {14, 18, 22, 26, 28, 56, 62, 96, 112, 150, 160, 224, 240}) sides.push_back(side);
  std::vector<Size> fragile;
  for (const int32_t in : sides) {
    for (const int32_t out : sides) {
      if (IsFragile(mode, {in, out})) fragile.push_back({in, out});
    }
  }
  return fragile;
}

void GenerateRealImages(RealSizes& series) {
  const char* const op = series.op();
  Random& random = series.random;
  const auto add = [&](Mode mode, const std::string& what, Resize r, bool smoke) {
    r.op = op;
    r.mode = mode;
    if (ReadsBehind(mode, r.height) || ReadsBehind(mode, r.width)) return;
    const std::string name = std::string(ToString(mode)) + "." + what;
    smoke ? series.AddSmoke(name, Make(random, r)) : series.Add(name, Make(random, r));
  };
  for (const Mode mode : kModes) {
    const std::vector<Size> fragile = FragileSizes(mode);
    // Each of them is the width once, with another one as the height if the image is not too large.
    const size_t step = fragile.size() / 24 + 1;
    for (size_t i = 0; i < fragile.size(); i += step) {
      const Size other = fragile[fragile.size() - 1 - i];
      const bool both = other.in * fragile[i].in < 8000 && other.out * fragile[i].out < 8000;
      add(mode, "fragile", {.height = both ? other : Size{2, 3}, .width = fragile[i], .channels = 1},
          i / step % 10 == 1);
    }
    const auto fits = [](const SizeList& s) { return Product(s) <= 60'000; };
    for (const SizeList& s : PairedSizes({{4, 64}, {4, 64}, {4, 1024}}, fits)) {
      add(mode, "dims",
          {.height = {s[0], s[1]}, .width = {4, 3}, .batches = s[0] < 8 ? 5 : 1, .channels = s[2]}, false);
    }
    add(mode, "smoke", {.height = {3, 5}, .width = {67, 37}, .batches = 2, .channels = 3}, true);
    add(mode, "smoke", {.height = {2, 3}, .width = {3, 2}, .batches = 3, .channels = 133}, true);
  }
  for (const Mode mode : kModes) {
    for (int32_t channels = 1; channels <= 3; ++channels) {
      add(mode, "narrow", {.height = {9, 13}, .width = {21, 33}, .channels = channels}, false);
      add(mode, "narrow", {.height = {13, 9}, .width = {33, 20}, .channels = channels}, false);
    }
  }
}

Case DrawResize(Random& random, const char* op) {
  Resize r = {.op = op, .mode = static_cast<Mode>(random.Int(0, 2))};
  r.batches = random.OneIn(5) ? random.Int(1, 4) : 1;
  r.channels = DrawSize(random, 130);
  const int64_t most = std::max<int64_t>(DrawBudget(random, kMostElements) / (r.batches * r.channels), 1);
  const auto side = [&] { return DrawSize(random, static_cast<int32_t>(std::min<int64_t>(most, 300))); };
  r.height.in = side();
  r.height.out = side();
  const int64_t taller = std::max(r.height.in, r.height.out);
  const auto widest = static_cast<int32_t>(std::max<int64_t>(most / taller, 1));
  r.width.in = DrawSize(random, widest);
  r.width.out = DrawSize(random, widest);
  r.values = DrawValues(random);
  return Make(random, r);
}

Case DrawBilinear(Random& random) { return DrawResize(random, "RESIZE_BILINEAR"); }
Case DrawNearest(Random& random) { return DrawResize(random, "RESIZE_NEAREST_NEIGHBOR"); }

}  // namespace

extern const CaseFamilies kResizeCases = {
    Family("RESIZE_BILINEAR", GenerateBilinear, GenerateRealImages, DrawBilinear),
    Family("RESIZE_NEAREST_NEIGHBOR", GenerateNearest, GenerateRealImages, DrawNearest),
};

}  // namespace lutra::conformance
