// SPDX-License-Identifier: Apache-2.0
// RELU, RELU6, LEAKY_RELU, PRELU, HARD_SWISH, ABS, with x = q - z_in.
//
// Multipliers are of float32 quotients, but for TensorFlow Lite Micro's PRELU, which has doubles.

#include <cmath>
#include <cstdlib>

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/broadcast.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// Computes x * m / 256 with an integer m.
constexpr ArithmeticRule kLeakyReluXnnpack = {"X-LRELU", Method::kXnnpack};

struct Tensors {
  Quantization in, out;
};

Tensors TensorsOf(const Node& node) {
  if (node.input(0).type != kInt8 || node.output(0).type != kInt8) node.Refuse("only int8 is specified");
  const Tensors tensors = {QuantizationOf(node.input(0)), QuantizationOf(node.output(0))};
  if (!(tensors.in.scale > 0) || !(tensors.out.scale > 0)) node.Refuse("a tensor without a scale");
  return tensors;
}

template <typename F>
void ForEachCode(const Node& node, F&& f) {
  Codes codes = node.Get(0);
  for (int64_t& q : codes) q = f(q);
  node.Put(0, codes);
}

// Returns a / b in the rule's precision.
double RatioOf(float a, float b, const ArithmeticRule& rule) {
  return rule.precision == ScalePrecision::kFloat ? double{a / b} : double{a} / double{b};
}

}  // namespace

void PutRectified(const Node& node, const ArithmeticRule& rule, Activation activation, Range codes) {
  const Quantization in = QuantizationOf(node.input(0)), out = QuantizationOf(node.output(0));
  if (rule.method == Method::kDefect) {
    const Range range = ActivationRange(static_cast<int8_t>(activation), in, codes);
    return ForEachCode(node, [&](int64_t q) { return Clamp(q, range.low, range.high); });
  }
  const Range range = ActivationRange(static_cast<int8_t>(activation), out, codes);
  const Multiplier m = QuantizeMultiplier(RatioOf(in.scale, out.scale, rule), rule.rounding);
  ForEachCode(node, [&, z_in = in.zero_point, z_out = out.zero_point](int64_t q) {
    return Clamp(Scale(q - z_in, m, rule.rounding) + z_out, range.low, range.high);
  });
}

namespace {

constexpr Range kInt8Codes = {INT8_MIN, INT8_MAX};

void Rectify(const Node& node, const ArithmeticRule& rule, Activation activation) {
  TensorsOf(node);
  PutRectified(node, rule, activation, kInt8Codes);
}

void EvalRelu(const Node& node, const ArithmeticRule& rule) { Rectify(node, rule, Activation::kRelu); }
void EvalRelu6(const Node& node, const ArithmeticRule& rule) { Rectify(node, rule, Activation::kRelu6); }

// Returns whether the delegate takes these ratios.
bool XnnpackTakes(float positive, float negative) {
  constexpr float kLeast = 1.0f / 256.0f, kMost = 128.0f;
  return positive >= kLeast && positive <= kMost && std::fabs(negative) >= kLeast &&
         negative >= -(kMost - kLeast) && negative <= kMost;
}

void EvalLeakyRelu(const Node& node, const ArithmeticRule& rule) {
  const auto [in, out] = TensorsOf(node);
  const int64_t z_in = in.zero_point, z_out = out.zero_point;
  const float alpha = OptionsOf(node.op().builtin_options.AsLeakyReluOptions()).alpha;
  const float ratio = in.scale / out.scale;
  if (rule.method == Method::kXnnpack && XnnpackTakes(ratio, ratio * alpha)) {
    const int64_t positive = RoundEven(256.0f * ratio), negative = RoundEven(256.0f * (ratio * alpha));
    return ForEachCode(node, [=](int64_t q) {
      const int64_t x = q - z_in;
      return Clamp(((x * (x > 0 ? positive : negative) + 128) >> 8) + z_out, -128, 127);
    });
  }
  // Nodes that the delegate does not take run on a kernel that combines scales in float32.
  const bool is_double = rule.method == Method::kFixedPoint && rule.precision == ScalePrecision::kDouble;
  const Multiplier positive =
      QuantizeMultiplier(is_double ? double{in.scale} / double{out.scale} : double{ratio}, rule.rounding);
  // With a negative slope, double rounding negates the rounded product, while single rounding rounds the
  // negated one: ties differ.
  const float slope = in.scale * alpha / out.scale;
  const double exact_slope = double{in.scale} * double{alpha} / double{out.scale};
  const Multiplier negative =
      QuantizeMultiplier(std::fabs(is_double ? exact_slope : double{slope}), rule.rounding);
  ForEachCode(node, [&](int64_t q) {
    const int64_t x = q - z_in;
    if (x >= 0) return Clamp(Scale(x, positive, rule.rounding) + z_out, -128, 127);
    const int64_t sign = slope < 0 ? -1 : 1;
    const bool is_inside = rule.rounding == Rounding::kSingle;
    const int64_t y =
        is_inside ? Scale(sign * x, negative, rule.rounding) : sign * Scale(x, negative, rule.rounding);
    return Clamp(y + z_out, -128, 127);
  });
}

void EvalPrelu(const Node& node, const ArithmeticRule& rule) {
  const auto [in, out] = TensorsOf(node);
  const int64_t z_in = in.zero_point, z_out = out.zero_point;
  const Quantization alpha = QuantizationOf(node.input(1));
  if (node.input(1).type != kInt8 || !(alpha.scale > 0)) node.Refuse("alpha is not a quantised int8 tensor");
  double positive_ratio, negative_ratio;
  if (rule.precision == ScalePrecision::kFloat) {
    positive_ratio = double{in.scale / out.scale};
    negative_ratio = double{in.scale * alpha.scale / out.scale};
  } else {
    positive_ratio = double{in.scale} / double{out.scale};
    negative_ratio = double{in.scale} * double{alpha.scale} / double{out.scale};
  }
  const Multiplier positive = QuantizeMultiplier(positive_ratio, rule.rounding);
  const Multiplier negative = QuantizeMultiplier(negative_ratio, rule.rounding);
  node.Put(0, ForEachPair(node, [&](int64_t q, int64_t a, size_t) {
             const int64_t x = q - z_in;
             const int64_t y = x >= 0 ? Scale(x, positive, rule.rounding)
                                      : Scale(x * (a - alpha.zero_point), negative, rule.rounding);
             return Clamp(y + z_out, -128, 127);
           }));
}

// ---- HARD_SWISH: x * relu6(x + 3) / 6 in int16.

int64_t Saturate16(int64_t x) { return Clamp(x, INT16_MIN, INT16_MAX); }

// Returns HighMul of int16.
int64_t HighMul16(int64_t a, int64_t b) { return Saturate16((a * b + (1 << 14)) >> 15); }

// Returns the multiplier's value rounded to 15 bits.
int64_t To16Bits(Multiplier m) {
  constexpr int64_t kHalf = 1 << 15;
  return m.value >= INT32_MAX - kHalf ? INT16_MAX : (m.value + kHalf) >> 16;
}

// Builds with single rounding compute the same: these products are int16 in each build.
void EvalHardSwish(const Node& node, const ArithmeticRule&) {
  const auto [in, out] = TensorsOf(node);
  const float fine_scale = in.scale * (1.0f / 128.0f);
  const Multiplier of_output = QuantizeMultiplier(double{fine_scale / out.scale});
  const Multiplier of_gate = QuantizeMultiplier(double{fine_scale / (3.0f / 32768.0f)});
  if (of_output.shift > 0) node.Refuse("an output scale below 1/128 of the input's");
  const int64_t output16 = To16Bits(of_output), gate16 = To16Bits(of_gate);
  const int gate_shift = of_gate.shift;
  if (gate_shift > 31) node.Refuse("an input scale of 2^25 or more");
  ForEachCode(node, [&, z_in = in.zero_point, z_out = out.zero_point](int64_t q) {
    const int64_t fine = (q - z_in) * 128;
    const int64_t scaled = HighMul16(fine, output16);
    // The gate is min(max(x + 3, 0), 6) / 6; it is shifted left in two steps, to keep a bit.
    int64_t gate = fine;
    if (gate_shift > 0) gate = Saturate16(gate * (int64_t{1} << (gate_shift - 1)));
    gate = HighMul16(gate, gate16);
    if (gate_shift > 0) gate = Saturate16(gate * 2);
    if (gate_shift < 0) gate = DivideByPowerOfTwo(gate, -gate_shift);
    gate = (gate + (1 << 15)) >> 1;
    const int64_t product = gate * scaled / (1 << 15);  // Towards zero.
    return Clamp(DivideByPowerOfTwo(product, -of_output.shift) + z_out, -128, 127);
  });
}

void EvalAbs(const Node& node, const ArithmeticRule& rule) {
  const auto [in, out] = TensorsOf(node);
  // For equal scales the multiplier is 2^30 with shift 1: the identity.
  const Multiplier m = QuantizeMultiplier(RatioOf(in.scale, out.scale, rule), rule.rounding);
  ForEachCode(node, [&, z_in = in.zero_point, z_out = out.zero_point](int64_t q) {
    return Clamp(Scale(std::abs(q - z_in), m, rule.rounding) + z_out, -128, 127);
  });
}

constexpr Operator kActivationRows[] = {
    {BuiltinOperator::RELU, {"x", "x"}, {kDrOfFloats, kDrDouble, kSrOfFloats}, EvalRelu},
    {BuiltinOperator::RELU6, {"x", "x"}, {kDrOfFloats, kSrOfFloats, kClampOnly}, EvalRelu6},
    {BuiltinOperator::LEAKY_RELU,
     {"x", "x"},
     {kDrOfFloats, kDrDouble, kSrOfFloats, kLeakyReluXnnpack},
     EvalLeakyRelu},
    {BuiltinOperator::PRELU, {"xx", "x"}, {kDrDouble, kDrFloat, kSrDouble, kSrFloat}, EvalPrelu},
    {BuiltinOperator::HARD_SWISH, {"x", "x"}, {kDr}, EvalHardSwish},
    {BuiltinOperator::ABS, {"x", "x"}, {kDrOfFloats, kSrOfFloats}, EvalAbs},
};

}  // namespace

const OperatorFamily kActivationOperators = kActivationRows;

}  // namespace lutra::conformance::oracle
