// SPDX-License-Identifier: Apache-2.0
// ADD and SUB.
//
//   y1 = (q1 - z1) * 2^20 * s1 / t, y2 likewise, t = 2 * max(s1, s2); code = (y1 +- y2) * t / (2^20 * s_out)
//
// each product by a multiplier of 31 bits.

#include <algorithm>
#include <cmath>

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/broadcast.h"
#include "conformance/oracle/legacy16.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// With O-ADD, in blocks of 16 elements of equal shapes, operands are shifted before they are rounded.
constexpr ArithmeticRule kAddOptimized = {"O-ADD", Method::kOptimized};
constexpr ArithmeticRule kAddXnnpack = {"X-ADD", Method::kXnnpack};

struct Sum {
  int64_t z1, z2;
  Multiplier m1, m2, m_out;
  Range range;
  int64_t z_out;
};

Sum Prepare(const Node& node, const ArithmeticRule& rule, Range range, int left_shift) {
  const Quantization a = QuantizationOf(node.input(0)), b = QuantizationOf(node.input(1)),
                     out = QuantizationOf(node.output(0));
  double r1, r2, r_out;
  if (rule.precision == ScalePrecision::kFloat) {
    const float twice = 2.0f * std::max(a.scale, b.scale);
    r1 = double{a.scale / twice};
    r2 = double{b.scale / twice};
    r_out = double{twice / (static_cast<float>(1 << left_shift) * out.scale)};
  } else {
    const double twice = 2.0 * double{std::max(a.scale, b.scale)};
    r1 = double{a.scale} / twice;
    r2 = double{b.scale} / twice;
    r_out = twice / (static_cast<double>(1 << left_shift) * double{out.scale});
  }
  if (r_out >= 1) node.Refuse("an output multiplier of 1 or more");
  return {a.zero_point,
          b.zero_point,
          QuantizeMultiplier(r1, rule.rounding),
          QuantizeMultiplier(r2, rule.rounding),
          QuantizeMultiplier(r_out, rule.rounding),
          range,
          out.zero_point};
}

// Computes floor((x1 * A + x2 * B + half) / 2^k), where the larger of the ratios A and B has 21 bits.
Codes XnnpackSum(const Node& node, int sign, int8_t activation) {
  const Quantization a = QuantizationOf(node.input(0)), b = QuantizationOf(node.input(1)),
                     out = QuantizationOf(node.output(0));
  const float ratio_a = a.scale / out.scale;
  const float ratio_b = b.scale / out.scale;
  const int shift = 20 - std::ilogb(std::max(ratio_a, ratio_b));
  const int64_t weight_a = RoundEven(std::ldexp(ratio_a, shift));
  const int64_t weight_b = sign * RoundEven(std::ldexp(ratio_b, shift));
  const Range range = XnnpackActivationRange(activation, out);
  return ForEachPair(node, [&](int64_t q1, int64_t q2, size_t) {
    const int64_t sum = (q1 - a.zero_point) * weight_a + (q2 - b.zero_point) * weight_b;
    return Clamp(((sum + (int64_t{1} << (shift - 1))) >> shift) + out.zero_point, range.low, range.high);
  });
}

}  // namespace

void PutSum(const Node& node, const ArithmeticRule& rule, int sign, Range range, int left_shift) {
  const Sum sum = Prepare(node, rule, range, left_shift);
  const auto operand = [&](int64_t x, Multiplier m) {
    return Scale(x * (1 << left_shift), m, rule.rounding);
  };
  // In a block, operands are shifted to the left before the product instead of to the right after it.
  const auto operand_in_block = [&](int64_t x, Multiplier m) {
    const int shift = left_shift + m.shift;
    return HighMul(shift >= 0 ? x * (int64_t{1} << shift) : DivideByPowerOfTwo(x, -shift), m.value);
  };
  const bool same_shape = node.input(0).shape == node.input(1).shape;
  const size_t in_blocks = rule.method == Method::kOptimized && same_shape
                               ? static_cast<size_t>(ElementCount(node.output(0).shape)) / 16 * 16
                               : 0;
  node.Put(0, ForEachPair(node, [&](int64_t q1, int64_t q2, size_t i) {
             const int64_t x1 = q1 - sum.z1, x2 = q2 - sum.z2;
             const bool block = i < in_blocks;
             const int64_t y1 = block ? operand_in_block(x1, sum.m1) : operand(x1, sum.m1);
             const int64_t y2 = block ? operand_in_block(x2, sum.m2) : operand(x2, sum.m2);
             return Clamp(Scale(y1 + sign * y2, sum.m_out, rule.rounding) + sum.z_out, sum.range.low,
                          sum.range.high);
           }));
}

namespace {

void Evaluate(const Node& node, const ArithmeticRule& rule, int sign, int8_t activation) {
  for (const edit::TensorT* tensor : {&node.input(0), &node.input(1), &node.output(0)}) {
    if (tensor->type != kInt8) node.Refuse("only int8 is specified");
  }
  if (rule.method == Method::kXnnpack) return node.Put(0, XnnpackSum(node, sign, activation));
  if (rule.method == Method::kLegacy16) return node.Put(0, Legacy16Sum(node, activation));
  PutSum(node, rule, sign, ActivationRange(activation, QuantizationOf(node.output(0))));
}

void EvalAdd(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsAddOptions());
  const int8_t activation = options.fused_activation_function;
  if (PutInt32(node, activation, [](int64_t a, int64_t b) { return a + b; })) return;
  Evaluate(node, rule, 1, activation);
}

void EvalSub(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsSubOptions());
  const int8_t activation = options.fused_activation_function;
  if (PutInt32(node, activation, [](int64_t a, int64_t b) { return a - b; })) return;
  Evaluate(node, rule, -1, activation);
}

constexpr Operator kSumRows[] = {
    {BuiltinOperator::ADD, {"xx", "x"}, {kDr, kSr, kAddOptimized, kAddXnnpack, kV16}, EvalAdd},
    {BuiltinOperator::SUB, {"xx", "x"}, {kDrFloat, kDrDouble, kSrFloat, kSrDouble, kAddXnnpack}, EvalSub},
};

}  // namespace

const OperatorFamily kSumOperators = kSumRows;

}  // namespace lutra::conformance::oracle
