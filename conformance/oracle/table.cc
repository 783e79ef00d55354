// SPDX-License-Identifier: Apache-2.0
// LOGISTIC, TANH, ELU, GELU and RSQRT are functions of one code.

#include <cmath>

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// FIXED computes in Q4.27, and takes 1/256 and 1/128 as scales, whatever the output's scale.
constexpr ArithmeticRule kFixed = {"FIXED"};

// With X-TABLE, XNNPACK's tables round ties to even; those of LiteRT with XNNPACK add the zero point before
// rounding.
constexpr ArithmeticRule kTableEven = {"X-TABLE", Method::kXnnpack};
constexpr ArithmeticRule kTableWithZeroPoint = {"X-ELU", Method::kOptimized};

// Results of the C library are rounded once from double, so that all libraries give the same.
float FloatLogistic(float x) { return 1.0f / (1.0f + static_cast<float>(std::exp(-double{x}))); }
float FloatTanh(float x) { return static_cast<float>(std::tanh(double{x})); }
// Uses erfc instead of 1 + erf, which loses all digits for large negative x.
float FloatGelu(float x) {
  const float argument = x * static_cast<float>(-M_SQRT1_2);
  return 0.5f * x * static_cast<float>(std::erfc(double{argument}));
}
float FloatGeluByTanh(float x) {
  const float argument = static_cast<float>(M_2_SQRTPI * M_SQRT1_2) * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + FloatTanh(argument));
}
float FloatElu(float x) { return x < 0 ? static_cast<float>(std::expm1(double{x})) : x; }

template <typename F>
void ForEachCode(const Node& node, int8_t type, F&& f) {
  if (node.input(0).type != type || node.output(0).type != type) {
    node.Refuse(type == kInt8 ? "only int8 is specified" : "only uint8 is specified");
  }
  if (!(QuantizationOf(node.input(0)).scale > 0 && QuantizationOf(node.output(0)).scale > 0)) {
    node.Refuse("a tensor without a scale");
  }
  Codes codes = node.Get(0);
  for (int64_t& q : codes) q = f(q);
  node.Put(0, codes);
}

void PutTable(const Node& node, float (*function)(float), bool to_even, int8_t type, Range range) {
  const Quantization in = QuantizationOf(node.input(0)), out = QuantizationOf(node.output(0));
  const float inverse = 1.0f / out.scale;
  ForEachCode(node, type, [&](int64_t q) {
    const float real = function(in.scale * static_cast<float>(q - in.zero_point));
    const float scaled = real * inverse;
    return Clamp((to_even ? RoundEven(scaled) : RoundAway(double{scaled})) + out.zero_point, range.low,
                 range.high);
  });
}

void EvalTable(const Node& node, float (*function)(float), bool to_even = false) {
  PutTable(node, function, to_even, kInt8, {-128, 127});
}

// Turns Q0.31 into a code by dropping bits.
void EvalFixed(const Node& node, const ArithmeticRule& rule, int64_t (*function)(int64_t), int dropped_bits,
               int64_t zero_point) {
  const Quantization in = QuantizationOf(node.input(0));
  const Multiplier multiplier = QuantizeMultiplier(std::ldexp(double{in.scale}, 27));
  const int64_t radius = InputRadius(4, multiplier.shift);
  ForEachCode(node, kInt8, [&](int64_t q) -> int64_t {
    const int64_t x = q - in.zero_point;
    if (x <= -radius) return -128;
    if (x >= radius) return 127;
    const int64_t y = function(Scale(x, multiplier, rule.rounding));
    return Clamp(DivideByPowerOfTwo(y, dropped_bits) + zero_point, -128, 127);
  });
}

void EvalLogistic(const Node& node, const ArithmeticRule& rule) {
  if (rule.method == Method::kTable) return EvalTable(node, FloatLogistic);
  EvalFixed(node, rule, Logistic, 23, -128);
}

void EvalTanh(const Node& node, const ArithmeticRule& rule) {
  if (rule.method == Method::kTable) return EvalTable(node, FloatTanh);
  EvalFixed(node, rule, Tanh, 24, 0);
}

void EvalElu(const Node& node, const ArithmeticRule& rule) {
  if (rule.method == Method::kOptimized) {
    const Quantization in = QuantizationOf(node.input(0)), out = QuantizationOf(node.output(0));
    const float inverse = 1.0f / out.scale;
    return ForEachCode(node, kInt8, [&](int64_t q) {
      const float scaled = FloatElu(in.scale * static_cast<float>(q - in.zero_point)) * inverse;
      return Clamp(RoundEven(scaled + static_cast<float>(out.zero_point)), -128, 127);
    });
  }
  EvalTable(node, FloatElu, rule.method == Method::kXnnpack);
}

// TensorFlow Lite Micro has no GELU: the rule is that of LiteRT, whose kernel sets agree.
void EvalGelu(const Node& node, const ArithmeticRule&) {
  const bool by_tanh = OptionsOf(node.op().builtin_options.AsGeluOptions()).approximate;
  EvalTable(node, by_tanh ? FloatGeluByTanh : FloatGelu);
}

// Scales an inverse root of 20 fraction bits. The inverse root of 0 is the largest code.
void EvalRsqrt(const Node& node, const ArithmeticRule& rule) {
  const Quantization in = QuantizationOf(node.input(0)), out = QuantizationOf(node.output(0));
  const Multiplier m = QuantizeMultiplier(1.0 / double{std::sqrt(in.scale) * out.scale}, rule.rounding);
  ForEachCode(node, kInt8, [&](int64_t q) -> int64_t {
    const int64_t x = q - in.zero_point;
    if (x < 0) node.Refuse("the root of a negative number");
    if (x == 0) return 127;
    Multiplier inverse = InverseSqrt(x);
    inverse.shift += 20;
    const int64_t root = Scale(1, inverse, rule.rounding);
    return Clamp(Scale(root, {m.value, m.shift - 20}, rule.rounding) + out.zero_point, -128, 127);
  });
}

constexpr Operator kTableRows[] = {
    {BuiltinOperator::LOGISTIC, {"x", "x"}, {kFixed, kSr, kTable}, EvalLogistic},
    {BuiltinOperator::TANH, {"x", "x"}, {kFixed, kSr, kTable}, EvalTanh},
    {BuiltinOperator::ELU, {"x", "x"}, {kTable, kTableEven, kTableWithZeroPoint}, EvalElu},
    {BuiltinOperator::GELU, {"x", "x"}, {kTable}, EvalGelu},
    {BuiltinOperator::RSQRT, {"x", "x"}, {kDr, kSr}, EvalRsqrt},
};

}  // namespace

void PutLogistic(const Node& node, int8_t type, Range range) {
  PutTable(node, FloatLogistic, false, type, range);
}

const OperatorFamily kTableOperators = kTableRows;

}  // namespace lutra::conformance::oracle
