// SPDX-License-Identifier: Apache-2.0
// Elementwise operators and SOFTMAX of int16, and the functions of int16.h for the other cases of int16.

#include "conformance/generator/int16.h"

#include "conformance/generator/draw.h"

namespace lutra::conformance {

using oracle::Bytes;
using oracle::Shape;

MadeTensor Int16Tensor(const Shape& shape, float scale, int64_t zero_point) {
  return {.shape = shape, .type = oracle::kInt16, .scale = scale, .zero_point = zero_point};
}

// Returns codes of every size, and some at both ends.
Bytes Int16Codes(Random& random, const Shape& shape) {
  const int bits = random.OneIn(2) ? 15 : random.Int(3, 14);
  std::vector<int16_t> codes;
  for (int64_t i = oracle::ElementCount(shape); i > 0; --i) {
    const auto code = random.Between(-(int64_t{1} << bits), (int64_t{1} << bits) - 1);
    codes.push_back(
        static_cast<int16_t>(random.OneIn(16) ? random.Pick<int64_t>({-32768, -32767, -1, 0, 32767}) : code));
  }
  return ToBytes(codes);
}

int64_t Int16ZeroPoint(Random& random) {
  if (random.OneIn(2)) return 0;
  return random.OneIn(2) ? random.Between(-32768, 32767) : random.Between(-200, 200);
}

Case WithDrawnCodes(Random& random, Case test) {
  for (Bytes& input : test.inputs) {
    const int kind = random.Int(0, 5);
    const auto one = static_cast<int16_t>(random.Pick<int64_t>({0, -1, 32767, -32768}));
    std::vector<int16_t> codes(input.size() / sizeof(int16_t), one);
    if (kind > 2) continue;
    for (int16_t& code : codes) {
      if (kind == 1) code = static_cast<int16_t>(random.OneIn(10) ? random.Between(-32768, 32767) : 0);
      if (kind == 2) code = static_cast<int16_t>(random.Between(-3, 3));
    }
    input = ToBytes(codes);
  }
  return test;
}

CaseFamily Int16Family(const char* op, std::function<void(Series&)> generate,
                       std::function<void(RealSizes&)> real_sizes, std::function<Case(Random&)> draw) {
  CaseFamily family = Family(op, PrefixOf(op), std::move(generate), std::move(real_sizes), Smoke::kNever);
  family.draw = std::move(draw);
  return family;
}

namespace {

template <typename Options>
void Append(const char* op, ModelMaker& maker, const std::vector<int>& inputs, int output,
            int8_t activation) {
  maker.Op<Options>(op, inputs, {output}, [&](auto& o) { o.fused_activation_function = activation; });
}

// Draws a scale between 2^low and 2^high.
float AnyScale(Random& random, int low, int high) { return random.Scale(low, high); }
float PowerOfTwo(Random& random, int low, int high) { return std::ldexp(1.0f, random.Int(low, high)); }

// Draws an output scale with which results reach both ends, and exceed them.
float Int16PairScale(const std::string& op, float scale_a, float scale_b,
                     const std::function<float(int low, int high)>& draw) {
  const float larger = std::max(scale_a, scale_b);
  if (op == "MUL") return scale_a * scale_b * draw(9, 15);
  if (op == "SQUARED_DIFFERENCE") return larger * larger * draw(8, 16);
  return larger * draw(-2, 3);
}

Case MakeInt16Pair(Random& random, const std::string& op, const Shape& a, const Shape& b,
                   float (*draw_scale)(Random&, int low, int high) = AnyScale) {
  ModelMaker maker;
  const float scale_a = draw_scale(random, -14, -6);
  const float scale_b = random.OneIn(4) ? scale_a : draw_scale(random, -14, -6);
  const float scale_out =
      Int16PairScale(op, scale_a, scale_b, [&](int low, int high) { return draw_scale(random, low, high); });
  // Zero points are allowed for sums only.
  std::vector<int64_t> zeros = {0, 0, 0};
  if (op == "ADD") {
    for (int64_t& zero : zeros) zero = Int16ZeroPoint(random);
  }
  const auto activation = static_cast<int8_t>(op == "SQUARED_DIFFERENCE" ? 0 : random.Between(0, 3));
  const int x1 = maker.Input(Int16Tensor(a, scale_a, zeros[0])),
            x2 = maker.Input(Int16Tensor(b, scale_b, zeros[1]));
  const int y = maker.Output(Int16Tensor(BroadcastShape(a, b), scale_out, zeros[2]));
  if (op == "ADD") Append<edit::AddOptionsT>("ADD", maker, {x1, x2}, y, activation);
  if (op == "SUB") Append<edit::SubOptionsT>("SUB", maker, {x1, x2}, y, activation);
  if (op == "MUL") Append<edit::MulOptionsT>("MUL", maker, {x1, x2}, y, activation);
  if (op == "SQUARED_DIFFERENCE") maker.Op<edit::SquaredDifferenceOptionsT>(op, {x1, x2}, {y});
  Bytes first = Int16Codes(random, a);
  Bytes second = Int16Codes(random, b);
  return {.model = maker.Finish(), .inputs = {std::move(first), std::move(second)}};
}

void AddInt16Pairs(Series& series, const std::string& op) {
  Random& random = series.random;
  for (const Shape& shape : ElementwiseShapes()) series.Add("same", MakeInt16Pair(random, op, shape, shape));
  for (int repeat = 0; repeat < 8; ++repeat)
    series.Add("scales", MakeInt16Pair(random, op, {1, 257}, {1, 257}));
  series.Add("broadcast", MakeInt16Pair(random, op, {2, 3, 5}, {5}));
  series.Add("broadcast", MakeInt16Pair(random, op, {1}, {4, 9}));
  series.Add("broadcast", MakeInt16Pair(random, op, {3, 1, 7}, {1, 5, 1}));
  // Many results are halves of codes.
  series.AddSeparators(3, 40, [&](Random& r) {
    Case test = MakeInt16Pair(r, op, {1, 257}, {1, 257}, PowerOfTwo);
    test.smoke = Smoke::kNever;
    return test;
  });
}

// The tensors that an operator of one input may have.
struct Int16Unary {
  std::string op;
  bool has_zero_points = false;
  bool has_unit_output = false;  // The output's scale is 2^-15.
};

Case MakeInt16Unary(Random& random, const Int16Unary& unary, const Shape& shape, float scale) {
  ModelMaker maker;
  const float out_scale = unary.has_unit_output ? 0x1p-15f : scale * random.Scale(-3, 3);
  const int64_t zero = unary.has_zero_points ? Int16ZeroPoint(random) : 0;
  const int64_t out_zero = unary.has_zero_points ? Int16ZeroPoint(random) : 0;
  const int x = maker.Input(Int16Tensor(shape, scale, zero));
  const int y = maker.Output(Int16Tensor(shape, out_scale, out_zero));
  if (unary.op == "LEAKY_RELU") {
    const float alpha = random.OneIn(4) ? -random.Scale(-4, 0) : random.Scale(-8, 0);
    maker.Op<edit::LeakyReluOptionsT>(unary.op, {x}, {y}, [&](auto& o) { o.alpha = alpha; });
  } else if (unary.op == "SOFTMAX") {
    const float beta = random.OneIn(3) ? random.Scale(-3, -1) : 1.0f;
    maker.Op<edit::SoftmaxOptionsT>(unary.op, {x}, {y}, [&](auto& o) { o.beta = beta; });
  } else if (unary.op == "ABS") {
    maker.Op<edit::AbsOptionsT>(unary.op, {x}, {y});
  } else {
    maker.Op(unary.op, {x}, {y});
  }
  return {.model = maker.Finish(), .inputs = {Int16Codes(random, shape)}};
}

void AddInt16Unary(Series& series, const Int16Unary& unary) {
  Random& random = series.random;
  for (const Shape& shape : ElementwiseShapes()) {
    series.Add("shape", MakeInt16Unary(random, unary, shape, random.Scale(-14, -9)));
  }
  for (int exponent = -16; exponent <= 1; ++exponent) {
    series.Add("power_of_two", MakeInt16Unary(random, unary, {1, 257}, std::ldexp(1.0f, exponent)));
    series.Add("scale", MakeInt16Unary(random, unary, {1, 257}, random.Scale(exponent, exponent)));
  }
}

// Without a scale, codes are numbers.
Case MakeInt16Numbers(Random& random, const Shape& shape) {
  ModelMaker maker;
  const int x = maker.Input({.shape = shape, .type = oracle::kInt16});
  maker.Op<edit::AbsOptionsT>("ABS", {x}, {maker.Output({.shape = shape, .type = oracle::kInt16})});
  return {.model = maker.Finish(), .inputs = {Int16Codes(random, shape)}};
}

// The slopes are int8, and mostly a constant.
Case MakeInt16Prelu(Random& random, const Shape& shape, const Shape& alpha_shape) {
  ModelMaker maker;
  const float scale = random.Scale(-14, -8);
  const float alpha_scale = random.Scale(-10, -6), out_scale = scale * random.Scale(-2, 2);
  const int64_t zero = Int16ZeroPoint(random), alpha_zero = random.ZeroPoint();
  const bool is_constant = !random.OneIn(4);
  Bytes slopes = MakeCodes(random, oracle::ElementCount(alpha_shape), Values::kRandom, alpha_zero);
  const int x = maker.Operand(Int16Tensor(shape, scale, zero), Int16Codes(random, shape));
  const int alpha = maker.Operand({.shape = alpha_shape, .scale = alpha_scale, .zero_point = alpha_zero},
                                  std::move(slopes), is_constant);
  const int y =
      maker.Output(Int16Tensor(BroadcastShape(shape, alpha_shape), out_scale, Int16ZeroPoint(random)));
  maker.Op("PRELU", {x, alpha}, {y});
  return maker.Made();
}

CaseFamily Int16PreluFamily() {
  return Int16Family(
      "PRELU.int16",
      [](Series& series) {
        Random& random = series.random;
        for (const Shape& shape : ElementwiseShapes()) {
          series.Add("shape", MakeInt16Prelu(random, shape, {shape.back()}));
        }
        for (int repeat = 0; repeat < 12; ++repeat) {
          series.Add("scales", MakeInt16Prelu(random, {3, 67}, {67}));
        }
        series.Add("broadcast", MakeInt16Prelu(random, {1, 5, 7, 9}, {1, 1, 9}));
        series.Add("broadcast", MakeInt16Prelu(random, {3, 1, 7}, {1, 5, 1}));
        series.Add("broadcast", MakeInt16Prelu(random, {2, 33}, {1}));
      },
      [](RealSizes& sizes) {
        sizes.Add("count", MakeInt16Prelu(sizes.random, {1, 13, 15, 33}, {1, 1, 33}));
      },
      [](Random& random) {
        const BroadcastPair shapes = DrawBroadcastPair(random, DrawBudget(random, kMostElements));
        return BeyondIf(std::max(shapes.a.size(), shapes.b.size()) > 4,
                        MakeInt16Prelu(random, shapes.a, shapes.b));
      });
}

// Adds rows of up to so many elements that each share rounds to 0.
void AddInt16Rows(Series& series, const Int16Unary& unary) {
  for (const int depth : {1, 2, 3, 7, 16, 33, 100, 257, 1025}) {
    series.Add("depth", MakeInt16Unary(series.random, unary, {2, depth}, series.random.Scale(-16, -8)));
  }
}

// ---- At random.

Case DrawInt16Pair(Random& random, const char* op) {
  const BroadcastPair shapes = DrawBroadcastPair(random, DrawBudget(random, kMostElements));
  const auto scale = random.OneIn(3) ? PowerOfTwo : AnyScale;
  // TensorFlow Lite Micro broadcasts up to four dimensions.
  return BeyondIf(std::max(shapes.a.size(), shapes.b.size()) > 4,
                  WithDrawnCodes(random, MakeInt16Pair(random, op, shapes.a, shapes.b, scale)));
}

Case DrawInt16Unary(Random& random, const Int16Unary& unary) {
  const Shape shape = DrawShape(random, 1, 6, DrawBudget(random, kMostElements));
  if (unary.op == "ABS" && random.OneIn(4)) return WithDrawnCodes(random, MakeInt16Numbers(random, shape));
  const float scale = DrawAnyScale(random, -16, 1);
  return WithDrawnCodes(random, MakeInt16Unary(random, unary, shape, scale));
}

CaseFamily PairFamily(const char* name, const char* op) {
  return Int16Family(
      name, [op](Series& series) { AddInt16Pairs(series, op); },
      [op](RealSizes& sizes) {
        sizes.Add("count", MakeInt16Pair(sizes.random, op, {1, 13, 15, 33}, {1, 13, 15, 33}));
      },
      [op](Random& random) { return DrawInt16Pair(random, op); });
}

CaseFamily UnaryFamily(const char* name, const Int16Unary& unary) {
  return Int16Family(
      name,
      [unary](Series& series) {
        AddInt16Unary(series, unary);
        if (unary.op == "ABS") series.Add("numbers", MakeInt16Numbers(series.random, {3, 67}));
        if (unary.op == "SOFTMAX") AddInt16Rows(series, unary);
      },
      [unary](RealSizes& sizes) {
        sizes.Add("count", MakeInt16Unary(sizes.random, unary, {1, 13, 15, 33}, 0x1p-12f));
      },
      [unary](Random& random) { return DrawInt16Unary(random, unary); });
}

}  // namespace

extern const CaseFamilies kInt16Cases = {
    PairFamily("ADD.int16", "ADD"),
    PairFamily("SUB.int16", "SUB"),
    PairFamily("MUL.int16", "MUL"),
    UnaryFamily("LEAKY_RELU.int16", {.op = "LEAKY_RELU", .has_zero_points = true}),
    UnaryFamily("LOGISTIC.int16", {.op = "LOGISTIC", .has_unit_output = true}),
    UnaryFamily("TANH.int16", {.op = "TANH", .has_unit_output = true}),
};

// Lines of golden/ never move: these came later.
extern const CaseFamilies kMoreInt16Cases = {
    PairFamily("SQUARED_DIFFERENCE.int16", "SQUARED_DIFFERENCE"),
    UnaryFamily("ABS.int16", {.op = "ABS"}),
    Int16PreluFamily(),
    UnaryFamily("RELU.int16", {.op = "RELU"}),
    UnaryFamily("RELU6.int16", {.op = "RELU6", .has_zero_points = true}),
    UnaryFamily("SOFTMAX.int16", {.op = "SOFTMAX", .has_unit_output = true}),
};

}  // namespace lutra::conformance
