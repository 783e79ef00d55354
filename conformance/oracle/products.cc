// SPDX-License-Identifier: Apache-2.0
// MUL, DIV, SQUARED_DIFFERENCE.

#include <algorithm>

#include "conformance/oracle/broadcast.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// As DR-F, but in blocks of 16 elements the zero point is added in 16 bits, which wrap.
constexpr ArithmeticRule kMulOptimized = {"O-MUL", Method::kOptimized, Rounding::kDouble,
                                          ScalePrecision::kFloat};

struct Operands {
  Quantization a, b, out;
};

Operands OperandsOf(const Node& node) {
  for (const edit::TensorT* tensor : {&node.input(0), &node.input(1), &node.output(0)}) {
    if (tensor->type != kInt8) node.Refuse("only int8 is specified");
    if (!(QuantizationOf(*tensor).scale > 0)) node.Refuse("tensor \"" + tensor->name + "\" has no scale");
  }
  return {QuantizationOf(node.input(0)), QuantizationOf(node.input(1)), QuantizationOf(node.output(0))};
}

int64_t WrapToInt16(int64_t x) { return static_cast<int16_t>(static_cast<uint16_t>(x)); }

// code = (q1 - z1) * (q2 - z2) * (s1 * s2 / s_out)
void EvalMul(const Node& node, const ArithmeticRule& rule) {
  const int8_t activation = OptionsOf(node.op().builtin_options.AsMulOptions()).fused_activation_function;
  const Operands operands = OperandsOf(node);
  const Quantization a = operands.a, b = operands.b, out = operands.out;
  if (rule.method == Method::kFloat) {
    const Requantizer requantizer(rule, a.scale, b.scale, out, activation);
    return node.Put(0, ForEachPair(node, [&](int64_t q1, int64_t q2, size_t) {
                      return requantizer.Apply((q1 - a.zero_point) * (q2 - b.zero_point));
                    }));
  }
  const float product = a.scale * b.scale;
  const float ratio = product / out.scale;
  const Multiplier multiplier = QuantizeMultiplier(
      rule.precision == ScalePrecision::kFloat ? double{ratio}
                                               : double{a.scale} * double{b.scale} / double{out.scale},
      rule.rounding);
  const Range range = ActivationRange(activation, out);
  const bool same_shape = node.input(0).shape == node.input(1).shape;
  const auto in_blocks = static_cast<size_t>(ElementCount(node.output(0).shape)) / 16 * 16;
  node.Put(0, ForEachPair(node, [&](int64_t q1, int64_t q2, size_t i) {
             const int64_t x = Scale((q1 - a.zero_point) * (q2 - b.zero_point), multiplier, rule.rounding);
             const int64_t code = Clamp(x + out.zero_point, range.low, range.high);
             if (rule.method != Method::kOptimized || (same_shape && i >= in_blocks)) return code;
             const int64_t wrapped =
                 Clamp(WrapToInt16(Clamp(x, INT16_MIN, INT16_MAX) + out.zero_point), range.low, range.high);
             // Which elements of a broadcast are in blocks was not measured.
             if (!same_shape && wrapped != code) node.Refuse("a product that may wrap in 16 bits");
             return wrapped;
           }));
}

// x * y, with x shifted up as far as 32 bits go, y the reciprocal of the divisor.
void EvalDiv(const Node& node, const ArithmeticRule& rule) {
  const int8_t activation = OptionsOf(node.op().builtin_options.AsDivOptions()).fused_activation_function;
  const Operands operands = OperandsOf(node);
  const Quantization a = operands.a, b = operands.b, out = operands.out;
  const float divisor = b.scale * out.scale;
  const float ratio = a.scale / divisor;
  const Multiplier multiplier = QuantizeMultiplier(double{ratio}, rule.rounding);
  const Range range = ActivationRange(activation, out);
  node.Put(0, ForEachPair(node, [&](int64_t q1, int64_t q2, size_t) {
             int64_t x = q1 - a.zero_point, y = q2 - b.zero_point;
             if (y == 0) node.Refuse("a division by zero");
             if (y < 0) x = -x, y = -y;
             const Reciprocal reciprocal = ReciprocalOf(y, 31);
             // Bits above the sign bit that equal it.
             const int headroom = LeadingZeros(x < 0 ? ~x : x) - 1;
             const int64_t quotient = HighMul(x * (int64_t{1} << headroom), reciprocal.value);
             const int shift = multiplier.shift - reciprocal.shift - headroom;
             if (shift > 0 || shift < -31) node.Refuse("a multiplier out of range");
             return Clamp(Scale(quotient, {multiplier.value, shift}, rule.rounding) + out.zero_point,
                          range.low, range.high);
           }));
}

// As SUB with a left shift of 7, then squared.
void EvalSquaredDifference(const Node& node, const ArithmeticRule& rule) {
  constexpr int64_t kScaledUp = 1 << 7;
  const Operands operands = OperandsOf(node);
  const Quantization a = operands.a, b = operands.b, out = operands.out;
  const double twice = 2.0 * double{std::max(a.scale, b.scale)};
  const Multiplier m1 = QuantizeMultiplier(double{a.scale} / twice, rule.rounding);
  const Multiplier m2 = QuantizeMultiplier(double{b.scale} / twice, rule.rounding);
  const Multiplier m_out = QuantizeMultiplier(
      twice * twice / (static_cast<double>(kScaledUp * kScaledUp) * double{out.scale}), rule.rounding);
  node.Put(0, ForEachPair(node, [&](int64_t q1, int64_t q2, size_t) {
             const int64_t difference = Scale((q1 - a.zero_point) * kScaledUp, m1, rule.rounding) -
                                        Scale((q2 - b.zero_point) * kScaledUp, m2, rule.rounding);
             return Clamp(Scale(difference * difference, m_out, rule.rounding) + out.zero_point, -128, 127);
           }));
}

constexpr Operator kProductRows[] = {
    {BuiltinOperator::MUL,
     {"xx", "x"},
     {kDrDouble, kDrFloat, kSrDouble, kSrFloat, kMulOptimized, kFp32},
     EvalMul},
    {BuiltinOperator::DIV, {"xx", "x"}, {kDr, kSr}, EvalDiv},
    {BuiltinOperator::SQUARED_DIFFERENCE, {"xx", "x"}, {kDr, kSr}, EvalSquaredDifference},
};

}  // namespace

const OperatorFamily kProductOperators = kProductRows;

}  // namespace lutra::conformance::oracle
