// SPDX-License-Identifier: Apache-2.0
// MUL, DIV, SQUARED_DIFFERENCE.

#include <algorithm>

#include "conformance/oracle/broadcast.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// O-MUL is DR-F, but in blocks of 16 elements the zero point is added in 16 bits, which wrap.
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

// Returns how many elements the optimised kernel takes in a row: all if shapes are equal; else those of the
// last dimensions that both operands have or, if there are none, of the last that one of them lacks. Returns
// 1 if the dimensions are not at most five runs: of both, of one operand, of both, of the other, of both.
size_t RunLength(const Node& node) {
  Shape a = node.input(0).shape, b = node.input(1).shape;
  const size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  const auto mismatch = std::mismatch(a.rbegin(), a.rend(), b.rbegin());
  if (mismatch.first != a.rend() && *mismatch.first != 1) std::swap(a, b);
  size_t i = rank, lengths[5];
  const auto take = [&](size_t* length, const auto& belongs) {
    for (*length = 1; i > 0 && belongs(a[i - 1], b[i - 1]); --i) {
      *length *= static_cast<size_t>(std::max(a[i - 1], b[i - 1]));
    }
  };
  const auto both = [](int32_t of_a, int32_t of_b) { return of_a == of_b; };
  take(&lengths[4], both);
  take(&lengths[3], [](int32_t of_a, int32_t) { return of_a == 1; });
  take(&lengths[2], both);
  take(&lengths[1], [](int32_t, int32_t of_b) { return of_b == 1; });
  take(&lengths[0], both);
  if (i > 0) return 1;
  return lengths[4] > 1 ? lengths[4] : lengths[3];
}

// code = (q1 - z1) * (q2 - z2) * (s1 * s2 / s_out)
void EvalMul(const Node& node, const ArithmeticRule& rule) {
  const int8_t activation = OptionsOf(node.op().builtin_options.AsMulOptions()).fused_activation_function;
  if (PutInt32(node, activation, [](int64_t a, int64_t b) { return a * b; })) return;
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
  const size_t run = RunLength(node);
  node.Put(0, ForEachPair(node, [&](int64_t q1, int64_t q2, size_t i) {
             const int64_t x = Scale((q1 - a.zero_point) * (q2 - b.zero_point), multiplier, rule.rounding);
             const int64_t code = Clamp(x + out.zero_point, range.low, range.high);
             if (rule.method != Method::kOptimized || i % run >= run / 16 * 16) return code;
             return Clamp(WrapToInt16(Clamp(x, INT16_MIN, INT16_MAX) + out.zero_point), range.low,
                          range.high);
           }));
}

// Computes x * y, where x is shifted left as far as 32 bits allow, and y is the reciprocal of the divisor.
void EvalDiv(const Node& node, const ArithmeticRule& rule) {
  const int8_t activation = OptionsOf(node.op().builtin_options.AsDivOptions()).fused_activation_function;
  const Operands operands = OperandsOf(node);
  const Quantization a = operands.a, b = operands.b, out = operands.out;
  const float divisor = b.scale * out.scale;
  const double ratio = rule.precision == ScalePrecision::kFloat
                           ? double{a.scale / divisor}
                           : double{a.scale} / (double{b.scale} * double{out.scale});
  const Multiplier multiplier = QuantizeMultiplier(ratio, rule.rounding);
  const Range range = ActivationRange(activation, out);
  node.Put(0, ForEachPair(node, [&](int64_t q1, int64_t q2, size_t) {
             int64_t x = q1 - a.zero_point, y = q2 - b.zero_point;
             if (y == 0) node.Refuse("a division by zero");
             if (y < 0) x = -x, y = -y;
             const Reciprocal reciprocal = ReciprocalOf(y, 31);
             // The number of bits after the sign bit that equal it.
             const int headroom = LeadingZeros(x < 0 ? ~x : x) - 1;
             const int64_t quotient = HighMul(x * (int64_t{1} << headroom), reciprocal.value);
             const int shift = multiplier.shift - reciprocal.shift - headroom;
             if (shift > 0 || shift < -31) node.Refuse("a multiplier out of range");
             return Clamp(Scale(quotient, {multiplier.value, shift}, rule.rounding) + out.zero_point,
                          range.low, range.high);
           }));
}

// Subtracts as SUB does, with a left shift of 7, and squares.
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
    {BuiltinOperator::DIV, {"xx", "x"}, {kDrOfFloats, kDrDouble, kSrOfFloats}, EvalDiv},
    {BuiltinOperator::SQUARED_DIFFERENCE, {"xx", "x"}, {kDr, kSr}, EvalSquaredDifference},
};

}  // namespace

const OperatorFamily kProductOperators = kProductRows;

}  // namespace lutra::conformance::oracle
