// SPDX-License-Identifier: Apache-2.0
// Cases of MEAN, SUM, REDUCE_MAX, REDUCE_MIN; MEAN and SUM of int16. MEAN and SUM have at most two axes,
// since TensorFlow Lite Micro has room for two.

#include <algorithm>

#include "conformance/generator/draw.h"
#include "conformance/generator/int16.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

struct Reduce {
  const char* op;  // "MEAN.int16" has int16 codes.
  oracle::Shape shape = {1, 3, 3, 4};
  std::vector<int32_t> axes = {1, 2};
  bool keep_dims = true, scalar_axis = false;
  float in_scale = 0.5f, out_scale = 0.5f;
  int64_t in_zero = 0, out_zero = 0;
  Values values = Values::kRandom;
};

std::vector<bool> Reduced(const Reduce& r) {
  const auto rank = static_cast<int32_t>(r.shape.size());
  std::vector<bool> reduced(r.shape.size());
  for (const int32_t axis : r.axes) reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  return reduced;
}

int64_t CountOf(const Reduce& r) {
  const std::vector<bool> reduced = Reduced(r);
  int64_t count = 1;
  for (size_t i = 0; i < r.shape.size(); ++i) count *= reduced[i] ? r.shape[i] : 1;
  return count;
}

bool IsInt16(const Reduce& r) { return std::string_view(r.op).ends_with(".int16"); }

Case Make(Random& random, const Reduce& r) {
  ModelMaker maker;
  const int8_t type = IsInt16(r) ? int8_t{oracle::kInt16} : int8_t{oracle::kInt8};
  const std::string_view op = std::string_view(r.op).substr(0, std::string_view(r.op).find('.'));
  const std::vector<bool> reduced = Reduced(r);
  oracle::Shape out;
  for (size_t i = 0; i < r.shape.size(); ++i) {
    if (!reduced[i]) out.push_back(r.shape[i]);
    if (reduced[i] && r.keep_dims) out.push_back(1);
  }
  oracle::Shape axes_shape;
  if (!r.scalar_axis) axes_shape = {static_cast<int32_t>(r.axes.size())};
  const int x = maker.Input({.shape = r.shape, .type = type, .scale = r.in_scale, .zero_point = r.in_zero});
  const int axes = maker.Int32Constant(r.axes, axes_shape);
  const int y = maker.Output({.shape = out, .type = type, .scale = r.out_scale, .zero_point = r.out_zero});
  maker.Op<edit::ReducerOptionsT>(op, {x, axes}, {y},
                                  [&](auto& options) { options.keep_dims = r.keep_dims; });
  return {.model = maker.Finish(),
          .inputs = {IsInt16(r) ? Int16Codes(random, r.shape)
                                : MakeCodes(random, oracle::ElementCount(r.shape), r.values, r.in_zero)}};
}

bool KeepsQuantization(const Reduce& r) { return std::string_view(r.op).substr(0, 6) == "REDUCE"; }

int64_t ZeroPointFor(Random& random, const Reduce& r) {
  return IsInt16(r) ? Int16ZeroPoint(random) : random.ZeroPoint();
}

// Sets output scale / input scale to a value from 2^low to 2^(high + 1); for SUM times the root of the count.
void SetScales(Random& random, Reduce* r, int low = -1, int high = 0) {
  r->in_scale = random.Scale(-8, 1);
  r->in_zero = ZeroPointFor(random, *r);
  r->out_scale = r->in_scale;
  r->out_zero = r->in_zero;
  if (KeepsQuantization(*r)) return;
  if (std::string_view(r->op).starts_with("SUM")) low += std::ilogb(static_cast<double>(CountOf(*r))) / 2;
  r->out_scale *= random.Scale(low, std::max(low, high));
  r->out_zero = ZeroPointFor(random, *r);
}

// Returns every choice of at most `most` axes, for ranks 1 to 5.
std::vector<std::pair<size_t, std::vector<int32_t>>> AxisChoices(int most) {
  std::vector<std::pair<size_t, std::vector<int32_t>>> choices;
  for (size_t rank = 1; rank <= 5; ++rank) {
    for (unsigned mask = 1; mask < 1u << rank; ++mask) {
      std::vector<int32_t> axes;
      for (size_t i = 0; i < rank; ++i) {
        if ((mask >> i & 1) != 0) axes.push_back(static_cast<int32_t>(i));
      }
      if (static_cast<int>(axes.size()) <= most) choices.push_back({rank, axes});
    }
  }
  return choices;
}

// Adds choices of at most `most` axes: all, or one in `one_in`.
void AddAxes(Series& series, const char* op, int most, int one_in) {
  Random& random = series.random;
  for (const auto& [rank, axes] : AxisChoices(most)) {
    for (const bool keep_dims : {true, false}) {
      if (one_in > 1 && !random.OneIn(one_in)) continue;
      Reduce r = {.op = op, .shape = oracle::Shape(rank), .axes = axes, .keep_dims = keep_dims};
      for (int32_t& dim : r.shape) dim = random.Int(rank == 5 ? 1 : 2, rank < 4 ? 9 : 5);
      SetScales(random, &r);
      series.Add("axes.rank" + std::to_string(rank), Make(random, r));
    }
  }
  // Axes are counted from the end, repeated, out of order, or a scalar.
  for (const std::vector<int32_t>& axes :
       std::vector<std::vector<int32_t>>{{-1}, {-3, -2}, {2, 1}, {1, 1}, {1, -3}, {-1, 3, 2}}) {
    Reduce r = {.op = op, .shape = {2, 3, 4, 5}, .axes = axes, .keep_dims = random.OneIn(2)};
    SetScales(random, &r);
    series.Add("axes.spelling", Make(random, r));
  }
  for (const int32_t axis : {0, 1, -1}) {
    Reduce r = {.op = op, .shape = {3, 7, 2}, .axes = {axis}, .keep_dims = axis != 1, .scalar_axis = true};
    SetScales(random, &r);
    series.Add("axes.scalar", Make(random, r));
  }
}

void AddImages(Series& series, const char* op, const std::vector<int32_t>& sizes) {
  Random& random = series.random;
  for (const int32_t channels : {1, 3, 4, 8, 15, 16, 17, 31, 33}) {
    for (const int32_t size : sizes) {
      Reduce r = {.op = op, .shape = {1, size, size, channels}};
      if (size == 5) r.shape[2] = 2;
      if (size < 3) r.shape[0] = random.Int(1, 3);
      SetScales(random, &r);
      series.Add("image", Make(random, r));
    }
  }
}

void AddCounts(Series& series, const char* op) {
  Random& random = series.random;
  for (const int32_t count : {1,  2,  3,  4,  5,  6,  7,   8,   9,   10,  13,  15,  16,  17,
                              31, 32, 33, 63, 64, 65, 100, 127, 255, 256, 257, 511, 1000}) {
    Reduce r = {.op = op, .shape = {count > 300 ? 1 : 3, count}, .axes = {1}, .keep_dims = false};
    SetScales(random, &r);
    series.Add("count", Make(random, r));
  }
}

void AddValues(Series& series, const char* op, bool zero_points) {
  Random& random = series.random;
  for (int kind = 0; kind < kValueKinds; ++kind) {
    Reduce r = {.op = op, .shape = {1, 4, 3, 6}, .values = static_cast<Values>(kind)};
    SetScales(random, &r);
    series.Add("values", Make(random, r), {ToString(r.values)});
  }
  if (!zero_points) return;
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    Reduce r = {.op = op, .shape = {1, 3, 5, 9}};
    SetScales(random, &r);
    r.in_zero = zero;
    series.Add("zero_point.input", Make(random, r));
    r.in_zero = random.Between(-50, 50);
    r.out_zero = zero;
    series.Add("zero_point.output", Make(random, r));
  }
}

// Makes few different sums near the output's middle; scales are powers of two half of the time.
Case MakeNearTies(Random& random, const char* op) {
  Reduce r = {.op = op};
  r.shape = {1, random.Int(1, 3), random.Int(1, 3), random.Int(15, 40)};
  const int exponent = random.Int(0, 4);
  const bool power = random.OneIn(2);
  r.in_scale = power ? 1.0f : random.Scale(0, 0);
  r.out_scale = power ? std::ldexp(1.0f, exponent) : random.Scale(exponent, exponent);
  r.in_zero = random.Between(-60, 60);
  r.out_zero = random.Between(-60, 60);
  return Make(random, r);
}

// Adds output scales from 2^-3 to 2^9 times the input's, and `ties` cases near ties.
void AddScales(Series& series, const char* op, int ties) {
  Random& random = series.random;
  for (int exponent = -3; exponent <= 9; ++exponent) {
    for (const bool power : {true, false}) {
      Reduce r = {.op = op, .shape = {1, 3, 4, 5}};
      SetScales(random, &r);
      if (power) r.in_scale = std::ldexp(1.0f, std::ilogb(r.in_scale));
      r.out_scale = r.in_scale * (power ? std::ldexp(1.0f, exponent) : random.Scale(exponent, exponent));
      series.Add(power ? "scale.power_of_two" : "scale.random", Make(random, r));
    }
  }
  for (int repeat = 0; repeat < ties; ++repeat) series.Add("ties", MakeNearTies(random, op));
}

void GenerateMean(Series& series) {
  AddAxes(series, "MEAN", 2, 1);
  AddImages(series, "MEAN", {1, 2, 3, 4, 5, 7});
  AddCounts(series, "MEAN");
  AddValues(series, "MEAN", true);
  AddScales(series, "MEAN", 30);
  series.AddSeparators(14, 300, [](Random& r) { return MakeNearTies(r, "MEAN"); });
}

void GenerateSum(Series& series) {
  AddAxes(series, "SUM", 2, 2);
  AddImages(series, "SUM", {2, 5});
  AddCounts(series, "SUM");
  AddValues(series, "SUM", true);
  AddScales(series, "SUM", 8);
  series.AddSeparators(14, 300, [](Random& r) { return MakeNearTies(r, "SUM"); });
}

void GenerateExtreme(Series& series) {
  const char* const op = series.op();
  AddAxes(series, op, 5, 6);
  AddImages(series, op, {3});
  AddValues(series, op, false);
}

// ---- Real sizes

void GenerateRealReduction(RealSizes& series) {
  const char* const op = series.op();
  const int64_t peak = std::string_view(op) == "REDUCE_MIN" ? -90 : 90;
  Random& random = series.random;
  const auto make = [&](const oracle::Shape& shape, const std::vector<int32_t>& axes) {
    Reduce r = {.op = op, .shape = shape, .axes = axes, .keep_dims = random.OneIn(2)};
    SetScales(random, &r);
    return Make(random, r);
  };
  for (const int32_t size : AroundPowers(64, 1024)) {
    series.Add("channels", make({2, 2, 3, size}, {1, 2}));
    series.Add("count", make({2, size}, {1}));
    series.Add("outer", make({size, 5}, {0}));
    series.Add("last", WithPeaks(random, make({2, size}, {-1}), 2, size, peak));
    series.Add("middle", make({2, size, 3}, {1}));
  }
  for (const int32_t count : {2047, 2049, 4097}) series.Add("count", make({2, count}, {1}));
  series.Add("network", make({1, 7, 7, 1280}, {1, 2}));
  series.Add("network", make({1, 33, 32, 5}, {1, 2}));
  series.Add("network", make({1, 17, 64, 5}, {2, 1}));
  // Kept and reduced dimensions alternate, two axes at a time as TensorFlow Lite Micro has room for.
  for (int rank = 5; rank <= 8; ++rank) {
    oracle::Shape shape;
    for (int d = 0; d < rank; ++d) shape.push_back(d % 2 == 0 ? 2 : 3);
    for (int first = 0; first + 2 < rank; ++first) {
      const auto second = random.Int(first + 2, rank - 1);
      series.Add("rank" + std::to_string(rank), make(shape, {first - (first % 2 == 0 ? rank : 0), second}));
    }
  }
  series.AddSmoke("smoke", make({2, 3, 2, 141}, {1, 2}));
  series.AddSmoke("smoke", make({3, 1035}, {1}));
  series.AddSmoke("smoke", make({2, 3, 5, 2, 3, 7}, {1, -3}));
  series.AddSmoke("smoke", WithPeaks(random, make({1, 1057}, {1}), 1, 1057, peak));
  series.AddSmoke("smoke", make({5, 70, 3}, {1}));
  for (const Values values : {Values::kLow, Values::kHigh}) {
    Reduce r = {.op = op, .shape = {2, 383}, .axes = {1}, .values = values};
    SetScales(random, &r);
    r.in_zero = r.out_zero = KeepsQuantization(r) ? 0 : 3;
    series.AddSmoke("ends", Make(random, r));
  }
  if (!std::string_view(op).starts_with("REDUCE")) return;
  series.AddSmoke("smoke", make({2, 3, 2, 3, 2, 3, 2, 3}, {1, 3, 5, 7}));
  series.Add("rank8", make({2, 3, 2, 3, 2, 3, 2, 3}, {0, 2, 4, 6}));
}

Case DrawReduction(Random& random, const char* op) {
  Reduce r = {.op = op};
  r.shape = DrawShape(random, 1, 5, DrawBudget(random, kMostElements));
  const auto rank = static_cast<int32_t>(r.shape.size());
  r.axes = DrawSome(random, rank);
  for (int32_t& axis : r.axes) axis = WrittenAxis(random, axis, rank);
  r.keep_dims = random.OneIn(2);
  r.scalar_axis = r.axes.size() == 1 && random.OneIn(3);
  const bool is_far = random.OneIn(4);
  SetScales(random, &r, is_far ? -8 : -1, is_far ? 8 : 0);
  if (!KeepsQuantization(r) && random.OneIn(4)) {
    r.out_scale = r.in_scale;
    if (random.OneIn(2)) r.out_zero = r.in_zero;
  }
  r.values = DrawValues(random);
  return BeyondIf(rank > 4, Make(random, r));
}

CaseFamily SumFamily(const char* name) {
  return Int16Family(
      name,
      [](Series& series) {
        const char* const op = series.op();
        AddAxes(series, op, 2, 4);
        AddImages(series, op, {3});
        AddCounts(series, op);
        AddScales(series, op, 8);
        series.AddSeparators(6, 300, [op](Random& random) {
          Case test = MakeNearTies(random, op);
          test.smoke = Smoke::kNever;
          return test;
        });
      },
      [](RealSizes& sizes) {
        Reduce r = {.op = sizes.op(), .shape = {2, 7, 7, 129}};
        SetScales(sizes.random, &r);
        sizes.Add("network", Make(sizes.random, r));
      },
      [name](Random& random) { return WithDrawnCodes(random, DrawReduction(random, name)); });
}

Case DrawMean(Random& random) { return DrawReduction(random, "MEAN"); }
Case DrawSum(Random& random) { return DrawReduction(random, "SUM"); }
Case DrawReduceMax(Random& random) { return DrawReduction(random, "REDUCE_MAX"); }
Case DrawReduceMin(Random& random) { return DrawReduction(random, "REDUCE_MIN"); }

}  // namespace

extern const CaseFamilies kReduceInt16Cases = {SumFamily("MEAN.int16"), SumFamily("SUM.int16")};

extern const CaseFamilies kReduceCases = {
    Family("MEAN", GenerateMean, GenerateRealReduction, DrawMean),
    Family("SUM", GenerateSum, GenerateRealReduction, DrawSum),
    Family("REDUCE_MAX", GenerateExtreme, GenerateRealReduction, DrawReduceMax),
    Family("REDUCE_MIN", GenerateExtreme, GenerateRealReduction, DrawReduceMin),
};

}  // namespace lutra::conformance
