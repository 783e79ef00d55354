// SPDX-License-Identifier: Apache-2.0
// Cases of functions of one code: LOGISTIC, TANH, ELU, RELU, RELU6, LEAKY_RELU, HARD_SWISH, ABS, GELU, RSQRT.
// Most cases have all 256 codes.

#include <bit>

#include "conformance/generator/draw.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

struct Unary {
  const char* op;
  oracle::Shape shape = {1, 256};
  float in_scale = 0.5f, out_scale = 0.5f;
  int64_t in_zero = 0, out_zero = 0;
  float alpha = 0.25f;       // For LEAKY_RELU.
  bool approximate = false;  // For GELU.
  Values values = Values::kRamp;
};

Case Make(Random& random, const Unary& u) {
  ModelMaker maker;
  const int x = maker.Input({.shape = u.shape, .scale = u.in_scale, .zero_point = u.in_zero});
  const int y = maker.Output({.shape = u.shape, .scale = u.out_scale, .zero_point = u.out_zero});
  if (std::string_view(u.op) == "LEAKY_RELU") {
    maker.Op<edit::LeakyReluOptionsT>(u.op, {x}, {y}, [&](auto& options) { options.alpha = u.alpha; });
  } else if (std::string_view(u.op) == "GELU") {
    maker.Op<edit::GeluOptionsT>(u.op, {x}, {y}, [&](auto& options) { options.approximate = u.approximate; });
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

void GenerateSigmoid(Series& series) {
  const char* const op = series.op();
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
  series.AddSeparators(12, 400, [&](Random& r) {
    const int exponent = r.Int(-10, 4);
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

// Draws ratios a little below 1, or powers of two: for these the second rounding matters.
Unary NearTies(Random& random, const char* op) {
  Unary u = {.op = op};
  const int exponent = random.Int(0, 5);
  u.out_scale = random.OneIn(3) ? std::ldexp(1.0f, exponent) : random.Scale(exponent, exponent);
  u.in_scale = random.OneIn(2) ? 1.0f : random.Scale(0, 0);
  u.in_zero = random.Between(-128, 60);
  u.out_zero = random.Between(-100, 60);
  u.alpha = std::ldexp(static_cast<float>(random.Between(1, 31)), -4);
  if (random.OneIn(4)) u.alpha = -u.alpha;
  return u;
}

// The numbers of cases of each kind for an operator.
struct ScaledPlan {
  const char* op;
  Ratios ratios;
  int random, power_of_two, far, separators;
  size_t shapes;
  size_t rules_before = 0;  // If not 0, the rules that the first cases separate (Separation).
};

void GenerateScaledCases(const ScaledPlan& plan, Series& series) {
  const char* const op = plan.op;
  const Ratios ratios = plan.ratios;
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
  for (int repeat = 0; repeat < plan.random; ++repeat) add("scale.random", Scaled(random, op, ratios));
  for (int repeat = 0; repeat < plan.power_of_two; ++repeat) {
    Unary u = Scaled(random, op, ratios);
    u.in_scale = std::ldexp(1.0f, std::ilogb(u.in_scale));
    u.out_scale = std::ldexp(1.0f, std::ilogb(u.out_scale));
    if (repeat % 3 == 2) u.out_scale = std::nextafter(u.out_scale, 1e9f);
    add("scale.power_of_two", u);
  }
  // At extreme ratios everything saturates, or becomes the zero point.
  for (int repeat = 0; repeat < plan.far; ++repeat) {
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
  for (size_t i = 0; i < plan.shapes; ++i) {
    Unary u = Scaled(random, op, {-1, 1});
    u.shape = ElementwiseShapes()[i];
    u.values = AnyValues(random);
    add("shape", u);
  }
  if (plan.separators == 0) return;
  const auto near_ties = [&](Random& r) { return Make(r, NearTies(r, op)); };
  series.AddSeparators(plan.separators, 300, near_ties, {.rules = plan.rules_before});
  if (plan.rules_before == 0) return;
  series.AddSeparators(plan.separators, 300, near_ties, {.what = "separate_all"});
}

template <const ScaledPlan& plan>
void GenerateScaled(Series& series) {
  GenerateScaledCases(plan, series);
}

constexpr ScaledPlan kEluPlan = {.op = "ELU",
                                 .ratios = {.low = -3, .high = 2},
                                 .random = 12,
                                 .power_of_two = 4,
                                 .far = 2,
                                 .separators = 10,
                                 .shapes = 10,
                                 .rules_before = 2};
constexpr ScaledPlan kReluPlan = {.op = "RELU",
                                  .ratios = {.low = -8, .high = 8},
                                  .random = 10,
                                  .power_of_two = 4,
                                  .far = 4,
                                  .separators = 12,
                                  .shapes = 10};
constexpr ScaledPlan kRelu6Plan = {.op = "RELU6",
                                   .ratios = {.low = -3, .high = 3},
                                   .random = 8,
                                   .power_of_two = 2,
                                   .far = 2,
                                   .separators = 8,
                                   .shapes = 8};
constexpr ScaledPlan kLeakyReluPlan = {.op = "LEAKY_RELU",
                                       .ratios = {.low = -4, .high = 4},
                                       .random = 10,
                                       .power_of_two = 4,
                                       .far = 2,
                                       .separators = 12,
                                       .shapes = 10};
// Ratios exceed 2^-6, so that the output's multiplier stays below 1.
constexpr ScaledPlan kHardSwishPlan = {.op = "HARD_SWISH",
                                       .ratios = {.low = -5, .high = 4},
                                       .random = 12,
                                       .power_of_two = 4,
                                       .far = 2,
                                       .separators = 0,
                                       .shapes = 10};
constexpr ScaledPlan kAbsPlan = {.op = "ABS",
                                 .ratios = {.low = -4, .high = 4},
                                 .random = 4,
                                 .power_of_two = 2,
                                 .far = 2,
                                 .separators = 8,
                                 .shapes = 4};

// ---- GELU: exact and by tanh.

class GeluMaker {
 public:
  GeluMaker(const Series& series, bool approximate) : series_(series), approximate_(approximate) {}

  void AddScales() {
    for (int repeat = 0; repeat < 4; ++repeat) {
      Unary u = Any(-2, 1);
      u.out_scale = u.in_scale;
      if (repeat % 2 == 0) u.out_zero = u.in_zero;
      Add("same", u);
    }
    for (int repeat = 0; repeat < 12; ++repeat) Add("scale.random", Any(-3, 2));
    // Beyond 4 the function is x or 0, so that results are at ties.
    for (int exponent = -6; exponent <= 2; ++exponent) {
      Unary u = Any(0, 0);
      u.in_scale = std::ldexp(1.0f, exponent);
      u.out_scale = std::ldexp(1.0f, exponent + random().Int(-1, 2));
      Add("scale.power_of_two", u);
    }
    // Everything saturates, or becomes the zero point.
    for (const int exponent : {-12, -6, 6, 12}) Add("scale.far", Any(exponent, exponent));
    for (const int exponent : {-24, -16, 8, 20}) {
      Unary u = Any(0, 0);
      u.in_scale = u.out_scale = random().Scale(exponent, exponent);
      Add("scale.extreme", u);
    }
  }
  // Adds large negative inputs, whose results go from -0.17, the least value, at -0.75 to -1.1e-7 at -5.4.
  void AddTails() {
    for (int exponent = -26; exponent <= -10; exponent += 2) {
      Unary u = Any(0, 0);
      u.in_scale = random().Scale(-6, -6);
      u.in_zero = 127;
      u.out_scale = random().Scale(exponent, exponent);
      u.out_zero = random().Between(60, 127);
      Add("tail", u);
    }
  }
  void AddZeroPoints() {
    for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
      Unary u = Any(-1, 1);
      u.in_zero = zero;
      Add("zero_point.input", u);
      u.in_zero = random().Between(-40, 40);
      u.out_zero = zero;
      Add("zero_point.output", u);
    }
  }
  void AddShapes() {
    for (const oracle::Shape& shape : ElementwiseShapes()) {
      Unary u = Any(-2, 0);
      u.shape = shape;
      u.values = AnyValues(random());
      Add("shape", u);
    }
  }
  // Adds cases like those of converters, as for hidden layers of transformers: inputs are a few units,
  // outputs range from -0.17 to the largest input.
  void AddNetworks() {
    for (const oracle::Shape& shape : {oracle::Shape{1, 49, 384}, {1, 7, 7, 768}, {1, 16, 3072}, {2, 128}}) {
      Unary u = Any(0, 0);
      u.shape = shape;
      u.in_scale = random().Scale(-6, -5);
      u.in_zero = random().Between(-20, 40);
      u.out_scale = (u.in_scale * static_cast<float>(127 - u.in_zero) + 0.17f) / 255.0f;
      u.out_zero = -128 + static_cast<int64_t>(0.17f / u.out_scale + 0.5f);
      u.values = Values::kRandom;
      Add("network", u);
    }
  }
  // Adds two neighbouring output scales that give different codes: with these, a real result is within its
  // last bit of the middle between two codes.
  void AddEdges() {
    for (int repeat = 0; repeat < 8; ++repeat) {
      Unary low = Any(-2, 1), high = low;
      high.out_scale = low.out_scale * 1.5f;
      if (Outputs(low) == Outputs(high)) continue;
      while (std::nextafter(low.out_scale, high.out_scale) < high.out_scale) {
        Unary middle = low;
        middle.out_scale = Between(low.out_scale, high.out_scale);
        (Outputs(middle) == Outputs(low) ? low : high) = middle;
      }
      Add("edge", low);
      Add("edge", high);
    }
  }

 private:
  Random& random() { return series_.random; }
  Unary Any(int low, int high) {
    Unary u = Scaled(random(), "GELU", {.low = low, .high = high});
    u.in_scale = std::ldexp(u.in_scale, -2);  // At most 1.
    u.out_scale = std::ldexp(u.out_scale, -2);
    u.approximate = approximate_;
    return u;
  }
  void Add(const std::string& what, const Unary& u) {
    series_.Add((approximate_ ? "approximate." : "exact.") + what, Make(random(), u));
  }
  oracle::Bytes Outputs(const Unary& u) {
    const oracle::Operator& op = *oracle::FindOperator("GELU");
    return OutputsUnder(Make(random(), u), op, op.rules[0]);
  }
  // Returns the number half way between the bit patterns of `low` and `high`.
  static float Between(float low, float high) {
    const auto a = std::bit_cast<uint32_t>(low), b = std::bit_cast<uint32_t>(high);
    return std::bit_cast<float>(a + (b - a) / 2);
  }

  Series series_;
  bool approximate_;
};

void GenerateGelu(Series& series) {
  for (const bool approximate : {false, true}) {
    // Both makers begin with the same random numbers.
    GeluMaker maker(series, approximate);
    maker.AddScales();
    maker.AddTails();
    maker.AddZeroPoints();
    maker.AddShapes();
    maker.AddNetworks();
    maker.AddEdges();
  }
}

// ---- RSQRT: no code is below the zero point.

Case MakeRsqrt(Random& random, const Unary& u) {
  Case test = Make(random, u);
  for (uint8_t& code : test.inputs[0]) {
    code = static_cast<uint8_t>(std::max<int64_t>(static_cast<int8_t>(code), u.in_zero));
  }
  return test;
}

// Returns outputs of which the largest are 2^`exponent` times the range.
Unary Root(Random& random, int exponent) {
  Unary u = {.op = "RSQRT"};
  const int of_input = random.Int(-12, 4);
  u.in_scale = random.Scale(of_input, of_input);
  u.out_scale = random.Scale(-of_input / 2 - 8 - exponent, -of_input / 2 - 8 - exponent);
  u.in_zero = random.OneIn(2) ? -128 : random.Between(-128, 60);
  u.out_zero = random.ZeroPoint();
  return u;
}

void GenerateRsqrt(Series& series) {
  Random& random = series.random;
  const auto add = [&](const char* what, const Unary& u) { series.Add(what, MakeRsqrt(random, u)); };
  for (int exponent = -6; exponent <= 8; ++exponent) {
    add("scale", Root(random, exponent));
    add("scale", Root(random, exponent));
  }
  for (int exponent = -8; exponent <= 0; ++exponent) {
    Unary u = Root(random, 0);
    u.in_scale = std::ldexp(1.0f, exponent);
    u.out_scale = std::ldexp(1.0f, -exponent / 2 - 7);
    add("scale.power_of_two", u);
  }
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    Unary u = Root(random, 0);
    u.in_zero = zero;
    add("zero_point.input", u);
    u = Root(random, 0);
    u.out_zero = zero;
    add("zero_point.output", u);
  }
  for (const oracle::Shape& shape : ElementwiseShapes()) {
    Unary u = Root(random, random.Int(-1, 2));
    u.shape = shape;
    u.values = AnyValues(random);
    add("shape", u);
  }
  series.AddSeparators(8, 300, [](Random& r) {
    Unary u = Root(r, r.Int(-3, 3));
    u.in_zero = -128;
    return MakeRsqrt(r, u);
  });
}

void GenerateRealRsqrt(RealSizes& series) {
  Random& random = series.random;
  const auto make = [&](const oracle::Shape& shape) {
    Unary u = Root(random, 0);
    u.shape = shape;
    return MakeRsqrt(random, u);
  };
  for (const int32_t count : AroundPowers(64, 1024)) series.Add("count", make({count}));
  series.AddSmoke("smoke", make({3, 7, 1, 5, 2, 3}));
}

Case DrawRsqrt(Random& random) {
  Unary u = Root(random, random.Int(-6, 8));
  u.shape = DrawShape(random, 1, 6, DrawBudget(random, 1024));
  u.values = DrawValues(random);
  return BeyondIf(u.shape.size() > 4, MakeRsqrt(random, u));
}

// ---- Real sizes

// Adds counts and ranks; all codes occur.
void GenerateRealUnary(RealSizes& series) {
  const char* const op = series.op();
  Random& random = series.random;
  const auto make = [&](const oracle::Shape& shape, Values values) {
    const bool is_fixed = std::string_view(op) == "LOGISTIC" || std::string_view(op) == "TANH";
    Unary u =
        is_fixed ? Sigmoid(op, {random.Scale(-6, -3), random.ZeroPoint()}) : Scaled(random, op, {-2, 1});
    if (std::string_view(op) == "GELU") u.in_scale = std::ldexp(u.in_scale, -2);
    u.shape = shape;
    u.values = values;
    return Make(random, u);
  };
  for (const int32_t count : AroundPowers(64, 4096)) series.Add("count", make({count}, Values::kRamp));
  for (int rank = 5; rank <= 6; ++rank) {
    oracle::Shape shape(static_cast<size_t>(rank), 2);
    shape.back() = 33;
    series.Add("rank" + std::to_string(rank), make(shape, Values::kRandom));
  }
  series.AddSmoke("smoke", make({3, 7, 1, 5, 2, 11}, Values::kRamp));
  Series far = series.Part("far.");
  Unary u = std::string_view(op) == "LOGISTIC" || std::string_view(op) == "TANH"
                ? Sigmoid(op, {0.03f, -7})
                : Scaled(far.random, op, {-1, 1});
  u.shape = {66067};
  far.Add("elements", Make(far.random, u));
  if (std::string_view(op) != "LOGISTIC" && std::string_view(op) != "TANH") return;
  // If the fixed-point functions saturate, codes lie at their limit.
  series.AddSmoke("limit", Make(random, Sigmoid(op, {4.0f, 0})));
}

Case DrawUnary(Random& random, const char* op, Ratios ratios) {
  Unary u = {.op = op};
  const std::string_view name = op;
  if (name == "LOGISTIC" || name == "TANH") {
    u = Sigmoid(op, {DrawAnyScale(random, -12, 4), random.ZeroPoint()});
  } else {
    u = random.OneIn(3) ? NearTies(random, op) : Scaled(random, op, ratios);
    if (random.OneIn(4)) u.out_scale = std::ldexp(1.0f, std::ilogb(u.out_scale));
    if (name == "GELU" && u.in_scale > 1) u.in_scale = std::ldexp(u.in_scale, -6);
  }
  u.approximate = random.OneIn(2);
  u.shape = DrawShape(random, 1, 6, DrawBudget(random, 1024));
  u.values = DrawValues(random);
  return BeyondIf(u.shape.size() > 4, Make(random, u));
}

template <const ScaledPlan& plan>
Case DrawScaled(Random& random) {
  return DrawUnary(random, plan.op, plan.ratios);
}

}  // namespace

extern const CaseFamilies kUnaryCases = {
    Family("LOGISTIC", GenerateSigmoid, GenerateRealUnary,
           [](Random& random) { return DrawUnary(random, "LOGISTIC", {}); }),
    Family("TANH", GenerateSigmoid, GenerateRealUnary,
           [](Random& random) { return DrawUnary(random, "TANH", {}); }),
    Family("ELU", GenerateScaled<kEluPlan>, GenerateRealUnary, DrawScaled<kEluPlan>),
    Family("RELU", GenerateScaled<kReluPlan>, GenerateRealUnary, DrawScaled<kReluPlan>),
    Family("RELU6", GenerateScaled<kRelu6Plan>, GenerateRealUnary, DrawScaled<kRelu6Plan>),
    Family("LEAKY_RELU", GenerateScaled<kLeakyReluPlan>, GenerateRealUnary, DrawScaled<kLeakyReluPlan>),
    Family("HARD_SWISH", GenerateScaled<kHardSwishPlan>, GenerateRealUnary, DrawScaled<kHardSwishPlan>),
    Family("ABS", GenerateScaled<kAbsPlan>, GenerateRealUnary, DrawScaled<kAbsPlan>),
    Family("GELU", GenerateGelu, GenerateRealUnary,
           [](Random& random) { return DrawUnary(random, "GELU", {.low = -3, .high = 2}); }),
    Family("RSQRT", GenerateRsqrt, GenerateRealRsqrt, DrawRsqrt),
};

}  // namespace lutra::conformance
