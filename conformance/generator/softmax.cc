// SPDX-License-Identifier: Apache-2.0
// Cases of SOFTMAX, LOG_SOFTMAX and L2_NORMALIZATION, functions of the rows along the last axis.

#include "conformance/generator/draw.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

struct Rows {
  const char* op;
  oracle::Shape shape = {3, 10};
  float scale = 0.1f, beta = 1.0f;
  int64_t zero_point = 0;
  Values values = Values::kRandom;
  int reach = 0;  // If not 0, random values differ from the zero point by at most this.
  int8_t out_type = oracle::kInt8;
};

MadeTensor OutputOf(const Rows& r) {
  const std::string_view op = r.op;
  if (r.out_type == oracle::kInt16) {
    return {.shape = r.shape, .type = oracle::kInt16, .scale = 0x1p-16f, .zero_point = INT16_MIN};
  }
  if (op == "SOFTMAX") return {.shape = r.shape, .scale = 0x1p-8f, .zero_point = -128};
  if (op == "LOG_SOFTMAX") return {.shape = r.shape, .scale = 0x1p-4f, .zero_point = 127};
  return {.shape = r.shape, .scale = 0x1p-7f};
}

Case Make(Random& random, const Rows& r) {
  ModelMaker maker;
  const std::string_view op = r.op;
  const int x = maker.Input({.shape = r.shape, .scale = r.scale, .zero_point = r.zero_point});
  const int y = maker.Output(OutputOf(r));
  if (op == "SOFTMAX") {
    maker.Op<edit::SoftmaxOptionsT>(op, {x}, {y}, [&](auto& options) { options.beta = r.beta; });
  } else if (op == "LOG_SOFTMAX") {
    maker.Op<edit::LogSoftmaxOptionsT>(op, {x}, {y});
  } else {
    maker.Op<edit::L2NormOptionsT>(op, {x}, {y});
  }
  const int64_t count = oracle::ElementCount(r.shape);
  oracle::Bytes input = MakeCodes(random, count, r.values, r.zero_point);
  if (r.reach != 0) {
    for (uint8_t& code : input) {
      const int64_t q = r.zero_point + random.Between(-r.reach, r.reach);
      code = static_cast<uint8_t>(oracle::Clamp(q, -128, 127));
    }
  }
  return {.model = maker.Finish(), .inputs = {std::move(input)}};
}

// Row lengths are at most 511: for 512 equal values, the sum of exponentials exceeds what runtimes hold.
const std::vector<int32_t>& Depths() {
  static const std::vector<int32_t> depths = {1,  2,  3,  4,  5,  7,  8,   10,  12,  15,
                                              16, 17, 31, 32, 33, 64, 100, 255, 256, 511};
  return depths;
}

// Returns a shape of rank 1 to 4 with this last dimension.
oracle::Shape ShapeWith(Random& random, int32_t depth, int rank) {
  oracle::Shape shape;
  for (int i = 1; i < rank; ++i) {
    shape.push_back(random.Int(1, depth > 64 ? 2 : 3));
  }
  shape.push_back(depth);
  return shape;
}

// Adds depths, ranks and values, which all three operators have; scales are from 2^low to 2^(high + 1).
void AddShapes(Series& series, const char* op, int low, int high, int per_depth) {
  Random& random = series.random;
  for (const int32_t depth : Depths()) {
    for (int repeat = 0; repeat < per_depth; ++repeat) {
      Rows r = {.op = op, .shape = ShapeWith(random, depth, repeat % 4 + 1)};
      r.scale = random.Scale(low, high);
      r.zero_point = random.ZeroPoint();
      r.reach = repeat % 2 == 1 ? random.Int(2, 60) : 0;
      series.Add("depth", Make(random, r));
    }
  }
  for (int kind = 0; kind < kValueKinds; ++kind) {
    for (const int32_t depth : {6, 33}) {
      Rows r = {.op = op, .shape = {2, depth}, .values = static_cast<Values>(kind)};
      r.scale = random.Scale(low, high);
      r.zero_point = random.ZeroPoint();
      series.Add("values", Make(random, r), {ToString(r.values)});
    }
  }
}

void AddExponentials(Series& series, const char* op, int random_scales) {
  Random& random = series.random;
  // The row has all 256 differences from the maximum.
  for (int exponent = -12; exponent <= 4; ++exponent) {
    Rows r = {.op = op, .shape = {256}, .scale = std::ldexp(1.0f, exponent), .values = Values::kRamp};
    series.Add("scale.power_of_two", Make(random, r));
    r.scale = random.Scale(exponent, exponent);
    series.Add("scale.every_difference", Make(random, r));
  }
  for (int repeat = 0; repeat < random_scales; ++repeat) {
    Rows r = {.op = op, .shape = {5, 12}, .scale = random.Scale(-9, 1), .reach = 4 << (repeat % 5)};
    r.zero_point = random.Between(-60, 60);
    series.Add("scale.random", Make(random, r));
  }
  for (const int32_t count : {2, 3, 5, 16, 100, 511}) {
    Rows r = {.op = op, .shape = {count}, .scale = random.Scale(-6, 0)};
    r.values = count % 2 == 0 ? Values::kLow : Values::kHigh;
    series.Add("equal", Make(random, r));
  }
  // At the least scales every difference counts as 0; at the largest, only the maximum itself counts.
  for (const int exponent : {-20, -16, 5, 6}) {
    Rows r = {.op = op, .shape = {2, 20}, .scale = random.Scale(exponent, exponent)};
    series.Add("scale.far", Make(random, r));
  }
}

// Adds cases in which the fixed-point functions and the float table differ by a code.
void AddTableSeparators(Series& series) {
  series.AddSeparators(14, 300, [&](Random& r) {
    Rows rows = {.op = series.op(), .shape = {6, r.Int(2, 40)}, .scale = r.Scale(-7, -1)};
    rows.zero_point = r.ZeroPoint();
    rows.reach = r.Int(2, 60);
    return Make(r, rows);
  });
}

void GenerateSoftmax(Series& series) {
  Random& random = series.random;
  AddShapes(series, "SOFTMAX", -6, 0, 4);
  AddExponentials(series, "SOFTMAX", 40);
  for (const float beta : {0.125f, 0.3f, 0.5f, 0.9f, 1.5f, 2.0f, 7.7f}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      Rows r = {.op = "SOFTMAX", .shape = {2, 17}, .scale = random.Scale(-6, -1), .beta = beta};
      r.reach = 12 << repeat;
      series.Add("beta", Make(random, r));
    }
  }
  for (int repeat = 0; repeat < 21; ++repeat) {
    Rows r = {.op = "SOFTMAX", .shape = {2, random.Pick(Depths())}, .scale = random.Scale(-7, 1)};
    r.reach = repeat % 2 == 0 ? 0 : 20;
    r.out_type = oracle::kInt16;
    series.Add("int16_output", Make(random, r));
  }
  AddTableSeparators(series);
}

void GenerateLogSoftmax(Series& series) {
  AddShapes(series, "LOG_SOFTMAX", -6, 0, 2);
  AddExponentials(series, "LOG_SOFTMAX", 24);
  AddTableSeparators(series);
}

void GenerateL2Normalization(Series& series) {
  Random& random = series.random;
  const auto add = [&](const char* what, const Rows& r) { series.Add(what, Make(random, r)); };
  AddShapes(series, "L2_NORMALIZATION", -8, 2, 4);
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    Rows r = {.op = "L2_NORMALIZATION", .shape = {3, 20}, .scale = random.Scale(-8, 0), .zero_point = zero};
    add("zero_point", r);
    r.reach = 3;
    add("zero_point.near", r);
  }
  // Sums of squares are 0, 1 and little more.
  for (const int32_t depth : {1, 2, 3, 4, 9}) {
    for (const int reach : {1, 2}) {
      Rows r = {.op = "L2_NORMALIZATION", .shape = {12, depth}, .zero_point = random.Between(-100, 100)};
      r.reach = reach;
      add("few", r);
    }
  }
  Rows zeros = {.op = "L2_NORMALIZATION", .shape = {2, 5}, .zero_point = -128, .values = Values::kLow};
  add("zero", zeros);
  zeros.zero_point = 127;
  zeros.values = Values::kHigh;
  add("zero", zeros);
  for (const int32_t depth : {700, 1500}) {
    add("long", {.op = "L2_NORMALIZATION", .shape = {depth}, .zero_point = 127, .values = Values::kExtremes});
  }
  // Only for sums of squares of 2^22 and more there is a shift to the right, and so a second rounding.
  series.AddSeparators(14, 300, [](Random& r) {
    Rows rows = {.op = "L2_NORMALIZATION", .shape = {2, r.Int(180, 420)}};
    rows.zero_point = r.OneIn(2) ? r.Between(-128, -100) : r.Between(100, 127);
    return Make(r, rows);
  });
}

// ---- Real sizes

// Scales are from 2^low to 2^(high + 1): no sum of exponentials exceeds what runtimes hold.
void GenerateRealRows(int low, int high, RealSizes& series) {
  const char* const op = series.op();
  Random& random = series.random;
  const auto make = [&](const oracle::Shape& shape, int8_t type = oracle::kInt8) {
    Rows r = {.op = op, .shape = shape, .scale = random.Scale(low, high), .out_type = type};
    r.zero_point = random.ZeroPoint();
    return Make(random, r);
  };
  for (const int32_t depth : AroundPowers(64, 1024)) {
    series.Add("depth", make({2, depth}));
    series.Add("last", WithPeaks(random, make({2, depth}), 2, depth, 90));
  }
  for (const int32_t rows : AroundPowers(32, 256)) {
    series.Add("rows", make({rows, random.Int(2, 19)}));
  }
  const bool has_rank_4 = std::string_view(op) == "L2_NORMALIZATION";
  for (int rank = 5; rank <= 6; ++rank) {
    oracle::Shape shape(static_cast<size_t>(rank), 2);
    shape.back() = 13;
    series.Add("rank" + std::to_string(rank), BeyondIf(has_rank_4, make(shape)));
  }
  if (std::string_view(op) == "L2_NORMALIZATION") {
    // The sum of squares has 29 bits, and nearly 31, which is the limit.
    for (const int32_t depth : {9000, 33000}) {
      series.Add("long",
                 Make(random, {.op = op, .shape = {depth}, .zero_point = 127, .values = Values::kLow}));
    }
  }
  // Many values are nearly equal, so that each share is about half a code.
  Series far = series.Part("far.");
  for (const int32_t depth : {257, 300, 383, 509}) {
    for (const int8_t type : {oracle::kInt8, oracle::kInt16}) {
      if (type == oracle::kInt16 && std::string_view(op) != "SOFTMAX") continue;
      Rows r = {
          .op = op, .shape = {3, depth}, .scale = far.random.Scale(-7, -5), .reach = 20, .out_type = type};
      far.Add("flat", Make(far.random, r));
    }
  }
  series.Add("network", make({1, 1000}));
  series.Add("network", make({4, 49, 49}));
  series.AddSmoke("smoke", make({137, 11}));
  series.AddSmoke("smoke", make({3, 1031}));
  Case last = make({1, 1033}), first = make({1, 70});
  last.inputs = {MakePeaks(random, 1, 1033, 90)};
  series.AddSmoke("smoke", std::move(last));
  first.inputs = {MakePeaks(random, 1, 70, 90)};
  std::swap(first.inputs[0].front(), first.inputs[0].back());
  series.AddSmoke("smoke", std::move(first));
  for (const float scale : {1.0f, 16.0f}) {
    series.AddSmoke("limit",
                    Make(random, {.op = op, .shape = {256}, .scale = scale, .values = Values::kRamp}));
  }
  series.AddSmoke("smoke", BeyondIf(has_rank_4, make({2, 2, 1, 3, 67})));
  if (std::string_view(op) == "SOFTMAX") series.AddSmoke("smoke", make({3, 261}, oracle::kInt16));
}

Case DrawRows(Random& random, const char* op, int low, int high, int32_t longest) {
  Rows r = {.op = op};
  r.shape = DrawShape(random, random.Int(1, 4) - 1, 64);
  r.shape.push_back(DrawSize(random, longest));
  r.scale = DrawAnyScale(random, low, high);
  r.beta = random.OneIn(3) ? random.Scale(-4, 2) : 1.0f;
  r.zero_point = random.ZeroPoint();
  r.values = DrawValues(random);
  r.reach = random.OneIn(3) ? random.Int(1, 60) : 0;
  if (std::string_view(op) == "SOFTMAX" && random.OneIn(5)) r.out_type = oracle::kInt16;
  return Make(random, r);
}

}  // namespace

extern const CaseFamilies kSoftmaxCases = {
    Family(
        "SOFTMAX", GenerateSoftmax, [](RealSizes& series) { GenerateRealRows(-5, -1, series); },
        [](Random& random) { return DrawRows(random, "SOFTMAX", -6, 0, 511); }),
    Family(
        "LOG_SOFTMAX", GenerateLogSoftmax, [](RealSizes& series) { GenerateRealRows(-5, -1, series); },
        [](Random& random) { return DrawRows(random, "LOG_SOFTMAX", -6, 0, 511); }),
    Family(
        "L2_NORMALIZATION", GenerateL2Normalization,
        [](RealSizes& series) { GenerateRealRows(-8, 2, series); },
        [](Random& random) { return DrawRows(random, "L2_NORMALIZATION", -8, 2, 1100); }),
};

}  // namespace lutra::conformance
