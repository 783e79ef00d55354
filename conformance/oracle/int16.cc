// SPDX-License-Identifier: Apache-2.0
// Activations of int16 beside weights of int8, as TensorFlow Lite Micro computes them: those of LiteRT are
// others.
//
// Sums with a bias of int64, or without one, are multiplied by a multiplier of 15 bits and rounded once
// (W15); those with a bias of int32 follow the rules of int8.

#include <cmath>

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/broadcast.h"
#include "conformance/oracle/operators.h"
#include "conformance/oracle/sigmoid16.h"

namespace lutra::conformance::oracle {
namespace {

constexpr Range kInt16Codes = {INT16_MIN, INT16_MAX};
// The multiplier has 15 bits; one rounding, ties up.
constexpr ArithmeticRule kW15 = {"W15"};

bool IsInt16(const Node& node) { return node.has_input(0) && node.input(0).type == kInt16; }
// TRANSPOSE_CONV has its image behind the output's shape and the filter.
bool IsInt16Image(const Node& node) { return node.has_input(2) && node.input(2).type == kInt16; }

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

int64_t ScaleWide(int64_t sum, Multiplier multiplier) {
  constexpr int64_t kLargest = 0x7FFF;
  const int64_t reduced = std::min((multiplier.value + (1 << 15)) >> 16, kLargest);
  const int shift = 15 - multiplier.shift;
  // Beyond 32 bits the lower ones are left.
  return Wrap32((sum * reduced + (int64_t{1} << (shift - 1))) >> shift);
}

// ---- Layers with weights.

struct Layer {
  Quantization in, out;
  Codes x, w, bias;  // `x`: less the zero point.
  std::vector<Multiplier> multipliers;
  bool is_wide;
  Range range;
  Rounding rounding;

  // The output's codes of sums, those of all channels of a pixel behind each other.
  Codes CodesOf(Codes sums) const {
    for (size_t i = 0; i < sums.size(); ++i) {
      const Multiplier& multiplier = multipliers[i % multipliers.size()];
      const int64_t scaled =
          is_wide ? ScaleWide(sums[i], multiplier) : Scale(Wrap32(sums[i]), multiplier, rounding);
      sums[i] = Clamp(Wrap32(scaled + out.zero_point), range.low, range.high);
    }
    return sums;
  }
};

// Where the operands stand, and whether zero points are applied; they must be 0 where not.
struct Operands16 {
  int input, bias;
  bool has_zero_points = false, takes_int32_bias = false;
  // One scale of the weights: the precision of its product with the input's is the rule's.
  bool has_rule_of_product = false;
};

Layer LayerOf(const Node& node, const Operands16& at, const ArithmeticRule& rule, int8_t activation,
              int8_t quantized_bias_type, size_t channels) {
  const bool is_symmetric = !at.has_zero_points;
  Layer layer = {.in = Int16QuantizationOf(node, node.input(at.input), is_symmetric),
                 .out = Int16QuantizationOf(node, node.output(0), is_symmetric),
                 .x = node.Get(at.input),
                 .w = node.Get(1),
                 .bias = Codes(channels, 0),
                 .multipliers = {},
                 .is_wide = true,
                 .range = {},
                 .rounding = rule.rounding};
  if (node.input(1).type != kInt8) node.Refuse("weights that are not int8");
  for (int64_t& code : layer.x) code -= layer.in.zero_point;
  if (node.has_input(at.bias)) {
    const int8_t type = node.input(at.bias).type;
    layer.is_wide = type == kInt64;
    if (type != kInt64 && !(type == kInt32 && at.takes_int32_bias)) node.Refuse("a bias of another type");
    layer.bias = node.Get(at.bias);
    if (layer.bias.size() != channels) node.Refuse("a bias of another size");
  } else if (at.takes_int32_bias) {
    layer.is_wide = quantized_bias_type != kInt32;
  }
  const std::vector<float>& given =
      node.input(1).quantization ? node.input(1).quantization->scale : std::vector<float>();
  for (const float scale : ScalesOf(node.input(1), static_cast<int>(channels))) {
    const float product = layer.in.scale * scale;
    const bool is_float =
        at.has_rule_of_product && rule.precision == ScalePrecision::kFloat && given.size() == 1;
    const double factor = is_float ? double{product} : double{layer.in.scale} * double{scale};
    layer.multipliers.push_back(QuantizeMultiplier(factor / double{layer.out.scale}, rule.rounding));
  }
  layer.range = ActivationRange(activation, layer.out, kInt16Codes);
  return layer;
}

template <typename Options>
void EvalWindows(const Node& node, const Operands16& at, const ArithmeticRule& rule, const Options& options,
                 int8_t quantized_bias_type, bool depthwise) {
  const auto channels = static_cast<size_t>(ImageOf(node, node.output(0)).channels);
  const Layer layer =
      LayerOf(node, at, rule, options.fused_activation_function, quantized_bias_type, channels);
  node.Put(0, layer.CodesOf(ConvolutionSums(node, WindowsOfFilter(node, options), depthwise, layer.x, layer.w,
                                            layer.bias)));
}

void EvalConv2DInt16(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsConv2DOptions());
  const auto bias_type = static_cast<int8_t>(options.quantized_bias_type);
  EvalWindows(node, {.input = 0, .bias = 2, .takes_int32_bias = true}, rule, options, bias_type, false);
}

void EvalDepthwiseConv2DInt16(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsDepthwiseConv2DOptions());
  EvalWindows(node, {.input = 0, .bias = 2}, rule, options, 0, true);
}

void EvalTransposeConvInt16(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsTransposeConvOptions());
  const auto channels = static_cast<size_t>(ImageOf(node, node.output(0)).channels);
  const Layer layer =
      LayerOf(node, {.input = 2, .bias = 3}, rule, options.fused_activation_function, 0, channels);
  node.Put(0, layer.CodesOf(TransposedSums(node, layer.x, layer.w, layer.bias)));
}

void EvalFullyConnectedInt16(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsFullyConnectedOptions());
  const Shape& weights = node.input(1).shape;
  if (weights.size() != 2) node.Refuse("weights that are no matrix");
  const auto channels = static_cast<size_t>(weights[0]), depth = static_cast<size_t>(weights[1]);
  const Operands16 at = {
      .input = 0, .bias = 2, .has_zero_points = true, .takes_int32_bias = true, .has_rule_of_product = true};
  const Layer layer = LayerOf(node, at, rule, options.fused_activation_function,
                              static_cast<int8_t>(options.quantized_bias_type), channels);
  Codes sums(static_cast<size_t>(ElementCount(node.output(0).shape)));
  if (sums.size() * depth != layer.x.size() * channels) node.Refuse("an output of another size");
  for (size_t i = 0; i < sums.size(); ++i) {
    const size_t row = i / channels, c = i % channels;
    sums[i] = layer.bias[c];
    for (size_t d = 0; d < depth; ++d) sums[i] += layer.w[c * depth + d] * layer.x[row * depth + d];
  }
  node.Put(0, layer.CodesOf(std::move(sums)));
}

// ---- Elementwise.

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

// x * 12288 as an integer. A power of two, to a thousandth of its logarithm, that shifts by up to
// `most_shift` needs no multiplier.
Codes SigmoidInputs(const Node& node, int most_shift) {
  const double scale = double{Int16QuantizationOf(node, node.input(0), true).scale};
  const Quantization out = Int16QuantizationOf(node, node.output(0), true);
  if (!(std::abs(std::log2(double{out.scale}) + 15) < 1e-3)) node.Refuse("an output scale that is not 2^-15");
  Codes y = node.Get(0);
  const double exponent = std::log2(scale), nearest = std::round(exponent);
  const int direct = 12 + static_cast<int>(nearest);
  if (std::abs(exponent - nearest) < 1e-3 && direct >= 0 && direct <= most_shift) {
    for (int64_t& q : y) q *= int64_t{3} << direct;
    return y;
  }
  double multiplier = scale * 12288;
  int shift = 0;
  for (; multiplier <= 16383.5 && shift <= 30; ++shift) multiplier *= 2;
  if (!(multiplier < 65536)) node.Refuse("a scale of more than 5");
  const auto factor = static_cast<int64_t>(multiplier);
  for (int64_t& q : y) q = shift == 0 ? q * factor : (q * factor + (int64_t{1} << (shift - 1))) >> shift;
  return y;
}

void EvalLogisticInt16(const Node& node, const ArithmeticRule&) {
  Codes y = SigmoidInputs(node, 0);
  for (int64_t& q : y) q = Logistic16(q);
  node.Put(0, y);
}
void EvalTanhInt16(const Node& node, const ArithmeticRule&) {
  Codes y = SigmoidInputs(node, 1);
  for (int64_t& q : y) q = Tanh16(q);
  node.Put(0, y);
}

constexpr Operator Row(BuiltinOperator code, oracle::Operands operands, RuleList rules,
                       void (*evaluate)(const Node&, const ArithmeticRule&)) {
  return {code, operands, rules, evaluate, kInt16Variant, IsInt16};
}

constexpr Operator kInt16Rows[] = {
    Row(BuiltinOperator::ADD, {"xx", "x"}, {kDr, kSr}, EvalAddInt16),
    Row(BuiltinOperator::CONV_2D, {"xwb", "x"}, {kDr, kSr}, EvalConv2DInt16),
    Row(BuiltinOperator::DEPTHWISE_CONV_2D, {"xwb", "x"}, {kW15}, EvalDepthwiseConv2DInt16),
    Row(BuiltinOperator::FULLY_CONNECTED, {"xwb", "x"}, {kDrFloat, kSrFloat, kDrDouble},
        EvalFullyConnectedInt16),
    Row(BuiltinOperator::LEAKY_RELU, {"x", "x"}, {kDr, kSr}, EvalLeakyReluInt16),
    Row(BuiltinOperator::LOGISTIC, {"x", "x"}, {kExact}, EvalLogisticInt16),
    Row(BuiltinOperator::MUL, {"xx", "x"}, {kDr, kSr}, EvalMulInt16),
    Row(BuiltinOperator::SUB, {"xx", "x"}, {kDr, kSr}, EvalSubInt16),
    Row(BuiltinOperator::TANH, {"x", "x"}, {kExact}, EvalTanhInt16),
    {BuiltinOperator::TRANSPOSE_CONV,
     {"pwxb", "x"},
     {kW15},
     EvalTransposeConvInt16,
     kInt16Variant,
     IsInt16Image},
};

}  // namespace

const OperatorFamily kInt16Operators = kInt16Rows;

}  // namespace lutra::conformance::oracle
