// SPDX-License-Identifier: Apache-2.0
// Functions of one code: LOGISTIC, TANH, ELU, RELU, RELU6, LEAKY_RELU, HARD_SWISH, ABS. Most cases hold all
// 256 codes.

#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

struct Unary {
  const char* op;
  oracle::Shape shape = {1, 256};
  float in_scale = 0.5f, out_scale = 0.5f;
  int64_t in_zero = 0, out_zero = 0;
  float alpha = 0.25f;  // Of LEAKY_RELU.
  Values values = Values::kRamp;
};

Case Make(Random& random, const Unary& u) {
  ModelMaker maker;
  const int x = maker.Input({.shape = u.shape, .scale = u.in_scale, .zero_point = u.in_zero});
  const int y = maker.Output({.shape = u.shape, .scale = u.out_scale, .zero_point = u.out_zero});
  if (std::string_view(u.op) == "LEAKY_RELU") {
    maker.Op<edit::LeakyReluOptionsT>(u.op, {x}, {y}, [&](auto& options) { options.alpha = u.alpha; });
  } else {
    maker.Op(u.op, {x}, {y});
  }
  return {.model = maker.Finish(),
          .inputs = {MakeCodes(random, oracle::ElementCount(u.shape), u.values, u.in_zero)}};
}

Values AnyValues(Random& random) { return static_cast<Values>(random.Between(0, kValueKinds - 1)); }

// ---- LOGISTIC and TANH: the output's parameters are fixed.

Unary Sigmoid(const char* op, oracle::Quantization in) {
  const bool tanh = std::string_view(op) == "TANH";
  return {.op = op,
          .in_scale = in.scale,
          .out_scale = tanh ? 0x1p-7f : 0x1p-8f,
          .in_zero = in.zero_point,
          .out_zero = tanh ? 0 : -128};
}

void GenerateSigmoid(const char* op, const CaseSink& sink) {
  Series series(op, sink);
  Random& random = series.random;
  const auto add = [&](const char* what, const Unary& u) { series.Add(what, Make(random, u)); };
  // Near 0 the real results are at ties; from 1 on the fixed-point function saturates early.
  for (int exponent = -12; exponent <= 3; ++exponent) {
    for (const int64_t zero : {int64_t{0}, random.ZeroPoint()}) {
      add("scale.power_of_two", Sigmoid(op, {std::ldexp(1.0f, exponent), zero}));
    }
    const float below = std::nextafter(std::ldexp(1.0f, exponent), 0.0f);
    if (exponent % 3 == 0) add("scale.below_power_of_two", Sigmoid(op, {below, random.Between(-20, 20)}));
  }
  for (int repeat = 0; repeat < 14; ++repeat) {
    add("scale.coarse", Sigmoid(op, {random.Scale(0, 4), random.Between(-60, 60)}));
  }
  for (int repeat = 0; repeat < 26; ++repeat) {
    add("scale.random", Sigmoid(op, {random.Scale(-8, -1), random.ZeroPoint()}));
  }
  for (int exponent = -26; exponent <= -10; exponent += 4) {
    add("scale.tiny", Sigmoid(op, {random.Scale(exponent, exponent), random.ZeroPoint()}));
  }
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    add("zero_point", Sigmoid(op, {random.Scale(-6, -4), zero}));
  }
  for (const oracle::Shape& shape : ElementwiseShapes()) {
    Unary u = Sigmoid(op, {random.Scale(-7, -3), random.ZeroPoint()});
    u.shape = shape;
    u.values = AnyValues(random);
    add("shape", u);
  }
  AddSeparators(sink, op, 12, 400, [&](Random& r) {
    const int exponent = static_cast<int>(r.Between(-10, 4));
    const bool power = exponent < 0 || r.OneIn(3);
    const float scale = power ? std::ldexp(1.0f, exponent) : r.Scale(exponent, exponent);
    return Make(r, Sigmoid(op, {scale, r.ZeroPoint()}));
  });
}

// ---- The others: an input's scale, and the ratio to the output's.

struct Ratios {
  int low, high;  // Exponents of output scale / input scale.
};

Unary Scaled(Random& random, const char* op, Ratios ratios) {
  Unary u = {.op = op};
  u.in_scale = random.Scale(-10, 1);
  u.out_scale = u.in_scale * random.Scale(ratios.low, ratios.high);
  u.in_zero = random.ZeroPoint();
  u.out_zero = random.ZeroPoint();
  return u;
}

// Ratios a little below 1, or powers of two: there the second rounding shows.
Unary NearTies(Random& random, const char* op) {
  Unary u = {.op = op};
  const int exponent = static_cast<int>(random.Between(0, 5));
  u.out_scale = random.OneIn(3) ? std::ldexp(1.0f, exponent) : random.Scale(exponent, exponent);
  u.in_scale = random.OneIn(2) ? 1.0f : random.Scale(0, 0);
  u.in_zero = random.Between(-128, 60);
  u.out_zero = random.Between(-100, 60);
  u.alpha = std::ldexp(static_cast<float>(random.Between(1, 31)), -4);
  if (random.OneIn(4)) u.alpha = -u.alpha;
  return u;
}

struct Counts {
  int random, power_of_two, far, separators;
};

void GenerateScaled(const char* op, const CaseSink& sink, Ratios ratios, Counts counts, size_t shapes) {
  Series series(op, sink);
  Random& random = series.random;
  const auto add = [&](const char* what, Unary u) {
    static const std::vector<float> slopes = {0.01f, 0.1f, 0.125f, 0.25f, 0.5f, 1.0f, 1.5f, 0.0f, -0.5f};
    u.alpha = random.OneIn(2) ? random.Pick(slopes) : random.Scale(-7, 0);
    series.Add(what, Make(random, u));
  };
  for (int repeat = 0; repeat < 4; ++repeat) {
    Unary u = Scaled(random, op, ratios);
    u.out_scale = u.in_scale;
    if (repeat % 2 == 0) u.out_zero = u.in_zero;
    add(repeat % 2 == 0 ? "same" : "same_scale", u);
  }
  for (int repeat = 0; repeat < counts.random; ++repeat) add("scale.random", Scaled(random, op, ratios));
  for (int repeat = 0; repeat < counts.power_of_two; ++repeat) {
    Unary u = Scaled(random, op, ratios);
    u.in_scale = std::ldexp(1.0f, std::ilogb(u.in_scale));
    u.out_scale = std::ldexp(1.0f, std::ilogb(u.out_scale));
    if (repeat % 3 == 2) u.out_scale = std::nextafter(u.out_scale, 1e9f);
    add("scale.power_of_two", u);
  }
  // The ends of the ratios: everything saturates, or all becomes the zero point.
  for (int repeat = 0; repeat < counts.far; ++repeat) {
    const int exponent = repeat % 2 == 0 ? ratios.low : ratios.high + 2;
    add("scale.far", Scaled(random, op, {exponent, exponent}));
  }
  for (const int64_t zero : {-128, -1, 0, 127}) {
    Unary u = Scaled(random, op, {-1, 1});
    u.in_zero = zero;
    add("zero_point.input", u);
    u.in_zero = random.Between(-40, 40);
    u.out_zero = zero;
    add("zero_point.output", u);
  }
  for (size_t i = 0; i < shapes; ++i) {
    Unary u = Scaled(random, op, {-1, 1});
    u.shape = ElementwiseShapes()[i];
    u.values = AnyValues(random);
    add("shape", u);
  }
  if (counts.separators == 0) return;
  AddSeparators(sink, op, counts.separators, 300, [&](Random& r) { return Make(r, NearTies(r, op)); });
}

}  // namespace

extern const CaseFamily kLogisticCases = {"int8.logistic.",
                                          [](const CaseSink& sink) { GenerateSigmoid("LOGISTIC", sink); }};
extern const CaseFamily kTanhCases = {"int8.tanh.",
                                      [](const CaseSink& sink) { GenerateSigmoid("TANH", sink); }};
extern const CaseFamily kEluCases = {"int8.elu.", [](const CaseSink& sink) {
                                       GenerateScaled("ELU", sink, {-3, 2}, {12, 4, 2, 10}, 10);
                                     }};
extern const CaseFamily kReluCases = {"int8.relu.", [](const CaseSink& sink) {
                                        GenerateScaled("RELU", sink, {-8, 8}, {10, 4, 4, 12}, 10);
                                      }};
extern const CaseFamily kRelu6Cases = {"int8.relu6.", [](const CaseSink& sink) {
                                         GenerateScaled("RELU6", sink, {-3, 3}, {8, 2, 2, 8}, 8);
                                       }};
extern const CaseFamily kLeakyReluCases = {"int8.leaky_relu.", [](const CaseSink& sink) {
                                             GenerateScaled("LEAKY_RELU", sink, {-4, 4}, {10, 4, 2, 12}, 10);
                                           }};
// Above 2^-6, so that the output's multiplier stays below 1.
extern const CaseFamily kHardSwishCases = {"int8.hard_swish.", [](const CaseSink& sink) {
                                             GenerateScaled("HARD_SWISH", sink, {-5, 4}, {12, 4, 2, 0}, 10);
                                           }};
extern const CaseFamily kAbsCases = {"int8.abs.", [](const CaseSink& sink) {
                                       GenerateScaled("ABS", sink, {-4, 4}, {4, 2, 2, 8}, 4);
                                     }};

}  // namespace lutra::conformance
