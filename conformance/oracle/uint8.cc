// SPDX-License-Identifier: Apache-2.0
// The scheme before int8: activations and weights are uint8, each with a zero point and one scale. Each
// operator has one rule, that of LiteRT's reference kernels; TensorFlow Lite Micro has dropped these types.

#include <algorithm>
#include <cmath>

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

constexpr int64_t kMost = 255;
// The product of s_in and s_w is rounded to float32.
constexpr ArithmeticRule kUint8Dr = {"DR", Method::kFixedPoint, Rounding::kDouble, ScalePrecision::kFloat};
// F32 computes in float32: codes of another scale, means of codes.
constexpr ArithmeticRule kRescaled = {"F32", Method::kFloat, Rounding::kDouble, ScalePrecision::kFloat};

bool IsUint8(const Node& node) { return node.has_input(0) && node.input(0).type == kUint8; }

Quantization Uint8QuantizationOf(const Node& node, const edit::TensorT& tensor) {
  if (tensor.type != kUint8) node.Refuse("\"" + tensor.name + "\" is not uint8");
  const Quantization q = QuantizationOf(tensor);
  if (!(q.scale > 0) || tensor.quantization->scale.size() != 1) {
    node.Refuse("\"" + tensor.name + "\" has not one scale");
  }
  if (q.zero_point < 0 || q.zero_point > kMost) node.Refuse("a zero point that is no code");
  return q;
}

// Returns the range of int8, plus 128.
Range Uint8Range(int8_t activation, Quantization output) {
  constexpr int64_t kUp = 128;
  const Range range = ActivationRange(activation, {output.scale, output.zero_point - kUp});
  return {range.low + kUp, range.high + kUp};
}

// ---- Layers with weights.

struct Layer {
  Quantization in, weights, out;
  Codes x, w, bias;  // Each is less its zero point.
  Range range;
};

Layer LayerOf(const Node& node, int8_t activation, size_t channels) {
  Layer layer = {.in = Uint8QuantizationOf(node, node.input(0)),
                 .weights = Uint8QuantizationOf(node, node.input(1)),
                 .out = Uint8QuantizationOf(node, node.output(0)),
                 .x = node.Get(0),
                 .w = node.Get(1)};
  for (int64_t& code : layer.x) code -= layer.in.zero_point;
  for (int64_t& code : layer.w) code -= layer.weights.zero_point;
  layer.bias.assign(channels, 0);
  if (node.has_input(2)) {
    const float product = layer.in.scale * layer.weights.scale;
    const double difference = std::abs(double{product} - double{QuantizationOf(node.input(2)).scale});
    if (!(difference / double{layer.out.scale} <= 0.02)) node.Refuse("a bias of another scale");
    if (node.input(2).type != kInt32) node.Refuse("a bias that is not int32");
    layer.bias = node.Get(2);
    if (layer.bias.size() != channels) node.Refuse("a bias of another size");
  }
  layer.range = Uint8Range(activation, layer.out);
  return layer;
}

template <typename Options>
void EvalWindows(const Node& node, const Options& options, bool depthwise) {
  const Windows windows = WindowsOfFilter(node, options);
  const auto channels = static_cast<size_t>(ImageOf(node, node.output(0)).channels);
  const Layer layer = LayerOf(node, options.fused_activation_function, channels);
  const float product = layer.in.scale * layer.weights.scale;
  const Multiplier multiplier = QuantizeMultiplier(double{product} / double{layer.out.scale});
  Codes y = ConvolutionSums(node, windows, depthwise, layer.x, layer.w, layer.bias);
  for (int64_t& q : y) {
    const int64_t scaled = Scale(Wrap32(q), multiplier, Rounding::kDouble);
    q = Clamp(scaled + layer.out.zero_point, layer.range.low, layer.range.high);
  }
  node.Put(0, y);
}

void EvalConv2DUint8(const Node& node, const ArithmeticRule&) {
  EvalWindows(node, OptionsOf(node.op().builtin_options.AsConv2DOptions()), false);
}

void EvalDepthwiseConv2DUint8(const Node& node, const ArithmeticRule&) {
  EvalWindows(node, OptionsOf(node.op().builtin_options.AsDepthwiseConv2DOptions()), true);
}

void EvalFullyConnectedUint8(const Node& node, const ArithmeticRule&) {
  const auto& options = OptionsOf(node.op().builtin_options.AsFullyConnectedOptions());
  const Shape& weights = node.input(1).shape;
  if (weights.size() != 2) node.Refuse("weights that are no matrix");
  const auto channels = static_cast<size_t>(weights[0]), depth = static_cast<size_t>(weights[1]);
  const Layer layer = LayerOf(node, options.fused_activation_function, channels);
  const double factor = double{layer.in.scale} * double{layer.weights.scale} / double{layer.out.scale};
  Codes y(static_cast<size_t>(ElementCount(node.output(0).shape)));
  if (y.size() * depth != layer.x.size() * channels) node.Refuse("an output of another size");
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t row = i / channels, c = i % channels;
    int64_t sum = layer.bias[c];
    for (size_t d = 0; d < depth; ++d) sum += layer.w[c * depth + d] * layer.x[row * depth + d];
    // Without the clamp, a value far beyond every code would exceed 64 bits.
    const double real = std::clamp(static_cast<double>(Wrap32(sum)) * factor, -1e9, 1e9);
    y[i] = Clamp(RoundAway(real) + layer.out.zero_point, layer.range.low, layer.range.high);
  }
  node.Put(0, y);
}

// ---- The other operators compute as in int8, with codes from 0 to 255.

void EvalAddUint8(const Node& node, const ArithmeticRule& rule) {
  for (const edit::TensorT* tensor : {&node.input(0), &node.input(1)}) Uint8QuantizationOf(node, *tensor);
  const int8_t activation = OptionsOf(node.op().builtin_options.AsAddOptions()).fused_activation_function;
  PutSum(node, rule, 1, Uint8Range(activation, Uint8QuantizationOf(node, node.output(0))));
}

void EvalPoolUint8(const Node& node, int64_t (*combine)(const Codes&)) {
  const auto& options = OptionsOf(node.op().builtin_options.AsPool2DOptions());
  const Quantization in = Uint8QuantizationOf(node, node.input(0)),
                     out = Uint8QuantizationOf(node, node.output(0));
  if (in.zero_point != out.zero_point) node.Refuse("another zero point");
  PutPooled(node, combine, Uint8Range(options.fused_activation_function, out));
}

void EvalAveragePool2DUint8(const Node& node, const ArithmeticRule&) { EvalPoolUint8(node, MeanOf); }
void EvalMaxPool2DUint8(const Node& node, const ArithmeticRule&) { EvalPoolUint8(node, MaximumOf); }

void EvalSoftmaxUint8(const Node& node, const ArithmeticRule&) {
  Uint8QuantizationOf(node, node.input(0));
  const Quantization out = Uint8QuantizationOf(node, node.output(0));
  if (out.scale != 0x1p-8f || out.zero_point != 0) node.Refuse("an output scale that is not 1/256");
  PutSoftmax(node, OptionsOf(node.op().builtin_options.AsSoftmaxOptions()).beta, 8, 0);
}

void EvalPadUint8(const Node& node, const ArithmeticRule&) {
  const Quantization out = Uint8QuantizationOf(node, node.output(0));
  const auto count = static_cast<size_t>(ElementCount(node.output(0).shape));
  PutPadded(node, Bytes(count, static_cast<uint8_t>(out.zero_point)));
}

// Returns a code of the input as a code of the output.
int64_t RescaledCode(int64_t code, Quantization in, Quantization out) {
  if (in.scale == out.scale && in.zero_point == out.zero_point) return code;
  const float inverse = 1.0f / out.scale;
  const float scale = in.scale * inverse;
  const float bias = static_cast<float>(-in.zero_point) * scale;
  const float product = static_cast<float>(code) * scale;
  const float sum = product + bias;
  return Clamp(RoundAway(std::clamp(double{sum}, -1e9, 1e9)) + out.zero_point, 0, kMost);
}

void EvalConcatenationUint8(const Node& node, const ArithmeticRule&) {
  const Quantization out = Uint8QuantizationOf(node, node.output(0));
  Codes y(static_cast<size_t>(ElementCount(node.output(0).shape)));
  ForEachPart(node, [&](int i, const Axes& axes) {
    const Quantization in = Uint8QuantizationOf(node, node.input(i));
    const Codes x = node.Get(i);
    const std::vector<int64_t> places = Indices(axes, static_cast<int64_t>(x.size()));
    for (size_t k = 0; k < x.size(); ++k) y[static_cast<size_t>(places[k])] = RescaledCode(x[k], in, out);
  });
  node.Put(0, y);
}

void EvalLogisticUint8(const Node& node, const ArithmeticRule&) {
  Uint8QuantizationOf(node, node.input(0));
  const Quantization out = Uint8QuantizationOf(node, node.output(0));
  if (out.scale != 0x1p-8f || out.zero_point != 0) node.Refuse("an output scale that is not 1/256");
  PutLogistic(node, kUint8, {0, kMost});
}

void EvalResizeBilinearUint8(const Node& node, const ArithmeticRule&) { PutResizedInFloat(node); }

constexpr Operator Row(BuiltinOperator code, oracle::Operands operands, const ArithmeticRule& rule,
                       void (*evaluate)(const Node&, const ArithmeticRule&)) {
  return {code, operands, {rule}, evaluate, kUint8Variant, IsUint8};
}

constexpr Operator kUint8Rows[] = {
    Row(BuiltinOperator::ADD, {"xx", "x"}, kDr, EvalAddUint8),
    Row(BuiltinOperator::AVERAGE_POOL_2D, {"x", "x"}, kExact, EvalAveragePool2DUint8),
    Row(BuiltinOperator::CONCATENATION, {"x+", "x"}, kRescaled, EvalConcatenationUint8),
    Row(BuiltinOperator::CONV_2D, {"xwb", "x"}, kUint8Dr, EvalConv2DUint8),
    Row(BuiltinOperator::DEPTHWISE_CONV_2D, {"xwb", "x"}, kUint8Dr, EvalDepthwiseConv2DUint8),
    Row(BuiltinOperator::FULLY_CONNECTED, {"xwb", "x"}, kDbl, EvalFullyConnectedUint8),
    Row(BuiltinOperator::LOGISTIC, {"x", "x"}, kTable, EvalLogisticUint8),
    Row(BuiltinOperator::MAX_POOL_2D, {"x", "x"}, kExact, EvalMaxPool2DUint8),
    Row(BuiltinOperator::PAD, {"xp", "x"}, kExact, EvalPadUint8),
    Row(BuiltinOperator::RESIZE_BILINEAR, {"xp", "x"}, kRescaled, EvalResizeBilinearUint8),
    Row(BuiltinOperator::SOFTMAX, {"x", "x"}, kDr, EvalSoftmaxUint8),
};

}  // namespace

const OperatorFamily kUint8Operators = kUint8Rows;

}  // namespace lutra::conformance::oracle
