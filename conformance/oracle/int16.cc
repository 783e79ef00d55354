// SPDX-License-Identifier: Apache-2.0
// Elementwise operators, pools and sums of int16, and the code that int16_layers.cc and int16_tables.cc
// share.

#include "conformance/oracle/int16.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/broadcast.h"

namespace lutra::conformance::oracle {

bool IsInt16(const Node& node) { return node.has_input(0) && node.input(0).type == kInt16; }

Quantization Int16QuantizationOf(const Node& node, const edit::TensorT& tensor, bool is_symmetric) {
  if (tensor.type != kInt16) node.Refuse("\"" + tensor.name + "\" is not int16");
  const Quantization q = QuantizationOf(tensor);
  if (!(q.scale > 0) || tensor.quantization->scale.size() != 1) {
    node.Refuse("\"" + tensor.name + "\" has not one scale");
  }
  if (q.zero_point < kInt16Codes.low || q.zero_point > kInt16Codes.high)
    node.Refuse("a zero point that is no code");
  if (is_symmetric && q.zero_point != 0) node.Refuse("\"" + tensor.name + "\" has a zero point");
  return q;
}

void RequireUnitOutput(const Node& node) {
  const Quantization out = Int16QuantizationOf(node, node.output(0), true);
  if (!(std::abs(std::log2(double{out.scale}) + 15) < 1e-3)) node.Refuse("an output scale that is not 2^-15");
}

int64_t ScaleWide(int64_t sum, Multiplier multiplier) {
  constexpr int64_t kLargest = 0x7FFF;
  const int64_t reduced = std::min((multiplier.value + (1 << 15)) >> 16, kLargest);
  const int shift = 15 - multiplier.shift;
  // The result keeps the lower 32 bits.
  return Wrap32((sum * reduced + (int64_t{1} << (shift - 1))) >> shift);
}

namespace {

template <typename Options>
void EvalSum(const Node& node, const ArithmeticRule& rule, int sign, const Options& options) {
  for (const edit::TensorT* tensor : {&node.input(0), &node.input(1)})
    Int16QuantizationOf(node, *tensor, false);
  const Quantization out = Int16QuantizationOf(node, node.output(0), false);
  constexpr int kLeftShift = 15;
  PutSum(node, rule, sign, ActivationRange(options.fused_activation_function, out, kInt16Codes), kLeftShift);
}

void EvalAddInt16(const Node& node, const ArithmeticRule& rule) {
  EvalSum(node, rule, 1, OptionsOf(node.op().builtin_options.AsAddOptions()));
}
void EvalSubInt16(const Node& node, const ArithmeticRule& rule) {
  EvalSum(node, rule, -1, OptionsOf(node.op().builtin_options.AsSubOptions()));
}

void EvalMulInt16(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsMulOptions());
  const Quantization a = Int16QuantizationOf(node, node.input(0), true),
                     b = Int16QuantizationOf(node, node.input(1), true),
                     out = Int16QuantizationOf(node, node.output(0), true);
  const Range range = ActivationRange(options.fused_activation_function, out, kInt16Codes);
  const Multiplier multiplier =
      QuantizeMultiplier(double{a.scale} * double{b.scale} / double{out.scale}, rule.rounding);
  node.Put(0, ForEachPair(node, [&](int64_t q1, int64_t q2, size_t) {
             return Clamp(Scale(q1 * q2, multiplier, rule.rounding), range.low, range.high);
           }));
}

void EvalLeakyReluInt16(const Node& node, const ArithmeticRule& rule) {
  const Quantization in = Int16QuantizationOf(node, node.input(0), false),
                     out = Int16QuantizationOf(node, node.output(0), false);
  const double alpha = double{OptionsOf(node.op().builtin_options.AsLeakyReluOptions()).alpha};
  const Multiplier identity = QuantizeMultiplier(double{in.scale} / double{out.scale}, rule.rounding);
  const Multiplier slope =
      QuantizeMultiplier(double{in.scale} * std::abs(alpha) / double{out.scale}, rule.rounding);
  Codes y = node.Get(0);
  for (int64_t& q : y) {
    const int64_t x = q - in.zero_point;
    const int64_t scaled = Scale(x, x >= 0 ? identity : slope, rule.rounding);
    q = Clamp((x < 0 && alpha < 0 ? -scaled : scaled) + out.zero_point, kInt16Codes.low, kInt16Codes.high);
  }
  node.Put(0, y);
}

// Subtracts as ADD adds, but without bits of headroom: the operand of the larger scale loses its last bit.
void EvalSquaredDifferenceInt16(const Node& node, const ArithmeticRule& rule) {
  const Quantization a = Int16QuantizationOf(node, node.input(0), true),
                     b = Int16QuantizationOf(node, node.input(1), true),
                     out = Int16QuantizationOf(node, node.output(0), true);
  const double twice = 2.0 * double{std::max(a.scale, b.scale)};
  const Multiplier m1 = QuantizeMultiplier(double{a.scale} / twice, rule.rounding);
  const Multiplier m2 = QuantizeMultiplier(double{b.scale} / twice, rule.rounding);
  const Multiplier m_out = QuantizeMultiplier(twice * twice / double{out.scale}, rule.rounding);
  node.Put(0, ForEachPair(node, [&](int64_t q1, int64_t q2, size_t) {
             const int64_t difference = Scale(q1, m1, rule.rounding) - Scale(q2, m2, rule.rounding);
             return Clamp(Scale(difference * difference, m_out, rule.rounding), kInt16Codes.low,
                          kInt16Codes.high);
           }));
}

void Rectify(const Node& node, const ArithmeticRule& rule, Activation activation, bool is_symmetric) {
  Int16QuantizationOf(node, node.input(0), is_symmetric);
  Int16QuantizationOf(node, node.output(0), is_symmetric);
  PutRectified(node, rule, activation, kInt16Codes);
}

void EvalReluInt16(const Node& node, const ArithmeticRule& rule) {
  Rectify(node, rule, Activation::kRelu, true);
}
void EvalRelu6Int16(const Node& node, const ArithmeticRule& rule) {
  Rectify(node, rule, Activation::kRelu6, false);
}

// The slopes are int8.
void EvalPreluInt16(const Node& node, const ArithmeticRule& rule) {
  const Quantization in = Int16QuantizationOf(node, node.input(0), false),
                     out = Int16QuantizationOf(node, node.output(0), false);
  const Quantization alpha = QuantizationOf(node.input(1));
  if (node.input(1).type != kInt8 || !(alpha.scale > 0)) node.Refuse("slopes that are not quantised int8");
  const Multiplier positive = QuantizeMultiplier(double{in.scale} / double{out.scale}, rule.rounding);
  const Multiplier negative =
      QuantizeMultiplier(double{in.scale} * double{alpha.scale} / double{out.scale}, rule.rounding);
  node.Put(0, ForEachPair(node, [&](int64_t q, int64_t slope, size_t) {
             const int64_t x = q - in.zero_point;
             const int64_t y = x >= 0 ? Scale(x, positive, rule.rounding)
                                      : Scale(x * (slope - alpha.zero_point), negative, rule.rounding);
             return Clamp(Wrap32(y + out.zero_point), kInt16Codes.low, kInt16Codes.high);
           }));
}

void EvalAbsInt16(const Node& node, const ArithmeticRule& rule) {
  const bool is_raw = QuantizationOf(node.input(0)).scale == 0 && QuantizationOf(node.output(0)).scale == 0;
  Multiplier m = QuantizeMultiplier(1, rule.rounding);
  if (!is_raw) {
    const Quantization in = Int16QuantizationOf(node, node.input(0), true),
                       out = Int16QuantizationOf(node, node.output(0), true);
    m = QuantizeMultiplier(double{in.scale} / double{out.scale}, rule.rounding);
  }
  Codes y = node.Get(0);
  for (int64_t& q : y) {
    q = Scale(std::abs(q), m, rule.rounding);
    // Without a scale, 32768 wraps; with one it is clamped.
    q = is_raw ? int64_t{static_cast<int16_t>(q)} : Clamp(q, kInt16Codes.low, kInt16Codes.high);
  }
  node.Put(0, y);
}

// ---- Pools and sums.

void EvalPool(const Node& node, int64_t (*combine)(const Codes&)) {
  const auto& options = OptionsOf(node.op().builtin_options.AsPool2DOptions());
  Int16QuantizationOf(node, node.input(0), false);
  const Quantization out = Int16QuantizationOf(node, node.output(0), false);
  PutPooled(node, combine, ActivationRange(options.fused_activation_function, out, kInt16Codes));
}

void EvalAveragePool2DInt16(const Node& node, const ArithmeticRule&) { EvalPool(node, MeanOf); }
void EvalMaxPool2DInt16(const Node& node, const ArithmeticRule&) { EvalPool(node, MaximumOf); }

void Reduce(const Node& node, const ArithmeticRule& rule, bool is_mean) {
  const Quantization in = Int16QuantizationOf(node, node.input(0), false);
  Int16QuantizationOf(node, node.output(0), false);
  const int64_t outputs = std::max<int64_t>(ElementCount(node.output(0).shape), 1);
  const int64_t most = (32768 + std::abs(in.zero_point)) * (ElementCount(node.input(0).shape) / outputs);
  if (most > INT32_MAX) node.Refuse("sums that 32 bits may not hold");
  PutReduced(node, rule, is_mean, kInt16Codes);
}

void EvalMeanInt16(const Node& node, const ArithmeticRule& rule) { Reduce(node, rule, true); }
void EvalSumInt16(const Node& node, const ArithmeticRule& rule) { Reduce(node, rule, false); }

constexpr Operator kInt16Rows[] = {
    Int16Row(BuiltinOperator::ABS, {"x", "x"}, {kDr, kSr}, EvalAbsInt16),
    Int16Row(BuiltinOperator::ADD, {"xx", "x"}, {kDr, kSr}, EvalAddInt16),
    Int16Row(BuiltinOperator::AVERAGE_POOL_2D, {"x", "x"}, {kExact}, EvalAveragePool2DInt16),
    Int16Row(BuiltinOperator::LEAKY_RELU, {"x", "x"}, {kDr, kSr}, EvalLeakyReluInt16),
    Int16Row(BuiltinOperator::MAX_POOL_2D, {"x", "x"}, {kExact}, EvalMaxPool2DInt16),
    Int16Row(BuiltinOperator::MEAN, {"xp", "x"}, {kDr, kSr}, EvalMeanInt16),
    Int16Row(BuiltinOperator::MUL, {"xx", "x"}, {kDr, kSr}, EvalMulInt16),
    Int16Row(BuiltinOperator::PRELU, {"xx", "x"}, {kDr, kSr}, EvalPreluInt16),
    Int16Row(BuiltinOperator::RELU, {"x", "x"}, {kDr, kSr}, EvalReluInt16),
    Int16Row(BuiltinOperator::RELU6, {"x", "x"}, {kDr, kSr, kClampOnly}, EvalRelu6Int16),
    Int16Row(BuiltinOperator::SQUARED_DIFFERENCE, {"xx", "x"}, {kDr, kSr}, EvalSquaredDifferenceInt16),
    Int16Row(BuiltinOperator::SUB, {"xx", "x"}, {kDr, kSr}, EvalSubInt16),
    Int16Row(BuiltinOperator::SUM, {"xp", "x"}, {kDr, kSr}, EvalSumInt16),
};

}  // namespace

const OperatorFamily kInt16Operators = kInt16Rows;

}  // namespace lutra::conformance::oracle
