// SPDX-License-Identifier: Apache-2.0
// Layers with int16 activations and int8 weights; the second matrix of BATCH_MATMUL is int16.
//
// Sums with an int64 bias, or without one, are multiplied by a multiplier of 15 bits and rounded once (W15);
// those with an int32 bias follow the rules of int8.

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/int16.h"

namespace lutra::conformance::oracle {
namespace {

// Returns whether the image of TRANSPOSE_CONV, input 2 after the output's shape and the filter, is int16.
bool IsInt16Image(const Node& node) { return node.has_input(2) && node.input(2).type == kInt16; }

struct Layer {
  Quantization in, out;
  Codes x, w, bias;  // `x`: less its zero point.
  std::vector<Multiplier> multipliers;
  bool is_wide;
  Range range;
  Rounding rounding;

  // Returns the output's codes for sums, which are those of all channels of a pixel, pixel by pixel.
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

// The places of the operands, and whether zero points are applied; if not, they must be 0.
struct Operands16 {
  int input, bias;
  bool has_zero_points = false, takes_int32_bias = false, takes_int16_bias = false;
  // Weights must have one scale; the rule decides the precision of its product with the input's.
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
    layer.is_wide = type != kInt32;
    const bool is_taken =
        type == kInt64 || (type == kInt32 && at.takes_int32_bias) || (type == kInt16 && at.takes_int16_bias);
    if (!is_taken) node.Refuse("a bias of another type");
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
  const Layer layer = LayerOf(node, {.input = 2, .bias = 3, .takes_int16_bias = true}, rule,
                              options.fused_activation_function, 0, channels);
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

void EvalBatchMatmulInt16(const Node& node, const ArithmeticRule&) {
  const Quantization a = Int16QuantizationOf(node, node.input(0), true),
                     b = Int16QuantizationOf(node, node.input(1), true),
                     out = Int16QuantizationOf(node, node.output(0), true);
  const Multiplier multiplier = QuantizeMultiplier(double{a.scale} * double{b.scale} / double{out.scale});
  Codes y = MatrixSums(node, 0, 0);
  for (int64_t& q : y) q = Clamp(ScaleWide(q, multiplier), kInt16Codes.low, kInt16Codes.high);
  node.Put(0, y);
}

constexpr Operator kInt16LayerRows[] = {
    Int16Row(BuiltinOperator::BATCH_MATMUL, {"xx", "x"}, {kW15}, EvalBatchMatmulInt16),
    Int16Row(BuiltinOperator::CONV_2D, {"xwb", "x"}, {kDr, kSr}, EvalConv2DInt16),
    Int16Row(BuiltinOperator::DEPTHWISE_CONV_2D, {"xwb", "x"}, {kW15}, EvalDepthwiseConv2DInt16),
    Int16Row(BuiltinOperator::FULLY_CONNECTED, {"xwb", "x"}, {kDrFloat, kSrFloat, kDrDouble},
             EvalFullyConnectedInt16),
    {BuiltinOperator::TRANSPOSE_CONV,
     {"pwxb", "x"},
     {kW15},
     EvalTransposeConvInt16,
     kInt16Variant,
     IsInt16Image},
};

}  // namespace

const OperatorFamily kInt16LayerOperators = kInt16LayerRows;

}  // namespace lutra::conformance::oracle
