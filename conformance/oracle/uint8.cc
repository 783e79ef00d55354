// SPDX-License-Identifier: Apache-2.0
// The scheme before int8: activations and weights of uint8, each with a zero point and one scale. One rule
// for each operator, that of LiteRT's reference kernels; TensorFlow Lite Micro has these types no longer.

#include <algorithm>
#include <cmath>

#include "conformance/oracle/axes.h"
#include "conformance/oracle/broadcast.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

constexpr int64_t kMost = 255;
// The product of s_in and s_w is rounded to float32.
constexpr ArithmeticRule kUint8Dr = {"DR", Method::kFixedPoint, Rounding::kDouble, ScalePrecision::kFloat};
// Codes of another scale: everything in float32.
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

// As that of int8, 128 further up.
Range Uint8Range(int8_t activation, Quantization output) {
  constexpr int64_t kUp = 128;
  const Range range = ActivationRange(activation, {output.scale, output.zero_point - kUp});
  return {range.low + kUp, range.high + kUp};
}

// ---- Layers with weights.

struct Layer {
  Quantization in, weights, out;
  Codes x, w, bias;  // Less their zero points.
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

int64_t Wrapped(int64_t sum) { return static_cast<int32_t>(static_cast<uint32_t>(sum)); }

// One spatial dimension of a convolution.
struct Line {
  int in, out, filter, stride, dilation, before;
};

Line LineOf(int in, int out, int filter, int stride, int dilation, int8_t padding) {
  const int total = (out - 1) * stride + (filter - 1) * dilation + 1 - in;
  const bool same = padding == 0;
  return {in, out, filter, stride, dilation, same && total > 0 ? total / 2 : 0};
}

// visit(value, ky, kx, c) for the elements under the window of an output pixel, `depth` channels from
// `first`.
template <typename Visit>
void ForEachTap(const Line& down, const Line& across, const Codes& x, size_t image, int channels, int oy,
                int ox, int first, int depth, const Visit& visit) {
  for (int ky = 0; ky < down.filter; ++ky) {
    const int iy = oy * down.stride - down.before + ky * down.dilation;
    for (int kx = 0; kx < across.filter; ++kx) {
      const int ix = ox * across.stride - across.before + kx * across.dilation;
      if (iy < 0 || iy >= down.in || ix < 0 || ix >= across.in) continue;
      const size_t pixel =
          (image * static_cast<size_t>(down.in) + static_cast<size_t>(iy)) * static_cast<size_t>(across.in) +
          static_cast<size_t>(ix);
      for (int c = 0; c < depth; ++c) {
        visit(x[pixel * static_cast<size_t>(channels) + static_cast<size_t>(first + c)], ky, kx, c);
      }
    }
  }
}

template <typename Options>
void EvalWindows(const Node& node, const Options& options, bool depthwise) {
  const Shape &in = node.input(0).shape, &filter = node.input(1).shape, &out = node.output(0).shape;
  if (in.size() != 4 || filter.size() != 4 || out.size() != 4) node.Refuse("not four dimensions");
  const Layer layer = LayerOf(node, options.fused_activation_function, static_cast<size_t>(out[3]));
  const Line down = LineOf(in[1], out[1], filter[1], options.stride_h, options.dilation_h_factor,
                           static_cast<int8_t>(options.padding));
  const Line across = LineOf(in[2], out[2], filter[2], options.stride_w, options.dilation_w_factor,
                             static_cast<int8_t>(options.padding));
  const float product = layer.in.scale * layer.weights.scale;
  const Multiplier multiplier = QuantizeMultiplier(double{product} / double{layer.out.scale});
  const int depth = depthwise ? 1 : filter[3];
  const int per_group = out[3] / (in[3] / depth);
  Codes y;
  for (int i = 0; i < out[0] * out[1] * out[2] * out[3]; ++i) {
    const int o = i % out[3], ox = i / out[3] % out[2], oy = i / out[3] / out[2] % out[1];
    const auto image = static_cast<size_t>(i / out[3] / out[2] / out[1]);
    int64_t sum = layer.bias[static_cast<size_t>(o)];
    ForEachTap(down, across, layer.x, image, in[3], oy, ox, o / per_group * depth, depth,
               [&](int64_t x, int ky, int kx, int c) {
                 const int tap = ky * filter[2] + kx;
                 const int at = depthwise ? tap * out[3] + o : (o * filter[1] * filter[2] + tap) * depth + c;
                 sum += x * layer.w[static_cast<size_t>(at)];
               });
    const int64_t scaled = Scale(Wrapped(sum), multiplier, Rounding::kDouble);
    y.push_back(Clamp(scaled + layer.out.zero_point, layer.range.low, layer.range.high));
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
    // What is far beyond every code would leave 64 bits.
    const double real = std::clamp(static_cast<double>(Wrapped(sum)) * factor, -1e9, 1e9);
    y[i] = Clamp(RoundAway(real) + layer.out.zero_point, layer.range.low, layer.range.high);
  }
  node.Put(0, y);
}

// ---- ADD: each operand in units of 2^-20 of twice the larger scale.

void EvalAddUint8(const Node& node, const ArithmeticRule&) {
  const Quantization a = Uint8QuantizationOf(node, node.input(0)),
                     b = Uint8QuantizationOf(node, node.input(1)),
                     out = Uint8QuantizationOf(node, node.output(0));
  const double twice = 2.0 * double{std::max(a.scale, b.scale)};
  const double ratio = twice / (double{1 << 20} * double{out.scale});
  if (ratio >= 1) node.Refuse("an output multiplier of 1 or more");
  const Multiplier m_a = QuantizeMultiplier(double{a.scale} / twice),
                   m_b = QuantizeMultiplier(double{b.scale} / twice), m_out = QuantizeMultiplier(ratio);
  const Range range =
      Uint8Range(OptionsOf(node.op().builtin_options.AsAddOptions()).fused_activation_function, out);
  node.Put(0, ForEachPair(node, [&](int64_t u, int64_t v, size_t) {
             const int64_t y = Scale((u - a.zero_point) * (1 << 20), m_a, Rounding::kDouble) +
                               Scale((v - b.zero_point) * (1 << 20), m_b, Rounding::kDouble);
             return Clamp(Scale(y, m_out, Rounding::kDouble) + out.zero_point, range.low, range.high);
           }));
}

// ---- Pools: codes of the window inside the image.

void EvalPoolUint8(const Node& node, bool mean) {
  const auto& options = OptionsOf(node.op().builtin_options.AsPool2DOptions());
  const Quantization in_codes = Uint8QuantizationOf(node, node.input(0)),
                     out_codes = Uint8QuantizationOf(node, node.output(0));
  if (in_codes.zero_point != out_codes.zero_point) node.Refuse("another zero point");
  const Shape &in = node.input(0).shape, &out = node.output(0).shape;
  if (in.size() != 4 || out.size() != 4) node.Refuse("an image has four dimensions");
  const auto padding = static_cast<int8_t>(options.padding);
  const Line down = LineOf(in[1], out[1], options.filter_height, options.stride_h, 1, padding);
  const Line across = LineOf(in[2], out[2], options.filter_width, options.stride_w, 1, padding);
  const Range range = Uint8Range(options.fused_activation_function, out_codes);
  const Codes x = node.Get(0);
  Codes y;
  for (int i = 0; i < out[0] * out[1] * out[2] * out[3]; ++i) {
    const int c = i % out[3], ox = i / out[3] % out[2], oy = i / out[3] / out[2] % out[1];
    const auto image = static_cast<size_t>(i / out[3] / out[2] / out[1]);
    Codes window;
    ForEachTap(down, across, x, image, in[3], oy, ox, c, 1,
               [&](int64_t u, int, int, int) { window.push_back(u); });
    if (window.empty()) node.Refuse("a window outside the image");
    const auto count = static_cast<int64_t>(window.size());
    int64_t sum = 0;
    for (const int64_t u : window) sum += u;
    const int64_t result = mean ? (sum + count / 2) / count : *std::max_element(window.begin(), window.end());
    y.push_back(Clamp(result, range.low, range.high));
  }
  node.Put(0, y);
}

void EvalAveragePool2DUint8(const Node& node, const ArithmeticRule&) { EvalPoolUint8(node, true); }
void EvalMaxPool2DUint8(const Node& node, const ArithmeticRule&) { EvalPoolUint8(node, false); }

// ---- SOFTMAX: d = (u - the row's maximum) * beta * s_in in Q5.26, sum of exp(d) in Q12.19.

void EvalSoftmaxUint8(const Node& node, const ArithmeticRule&) {
  constexpr int kIntegerBits = 5, kSumIntegerBits = 12;
  const Quantization in = Uint8QuantizationOf(node, node.input(0));
  const Quantization out = Uint8QuantizationOf(node, node.output(0));
  if (out.scale != 0x1p-8f || out.zero_point != 0) node.Refuse("an output scale that is not 1/256");
  const float beta = OptionsOf(node.op().builtin_options.AsSoftmaxOptions()).beta;
  const double scale = double{beta} * double{in.scale} * (1 << 26);
  if (!(scale > 1)) node.Refuse("beta * scale of 2^-26 or less");
  const Multiplier m = QuantizeMultiplier(std::min(scale, 2147483647.0));
  const int64_t least = -InputRadius(kIntegerBits, m.shift);
  const Shape& shape = node.input(0).shape;
  if (shape.empty()) node.Refuse("a scalar");
  const auto depth = static_cast<size_t>(shape.back());
  const Codes x = node.Get(0);
  Codes y;
  for (size_t first = 0; first < x.size(); first += depth) {
    const auto row = x.begin() + static_cast<std::ptrdiff_t>(first);
    const int64_t most = *std::max_element(row, row + static_cast<std::ptrdiff_t>(depth));
    const auto exponential = [&](int64_t u) {
      const int64_t d = u - most;
      return d < least ? 0 : ExpOnNegative(HighMul(d * (int64_t{1} << m.shift), m.value), kIntegerBits);
    };
    int64_t sum = 0;
    for (size_t i = 0; i < depth; ++i) {
      sum += DivideByPowerOfTwo(exponential(x[first + i]), kSumIntegerBits);
    }
    const Reciprocal reciprocal = ReciprocalOf(std::min(sum, int64_t{INT32_MAX}), kSumIntegerBits);
    for (size_t i = 0; i < depth; ++i) {
      const int64_t share = HighMul(reciprocal.value, exponential(x[first + i]));
      y.push_back(Clamp(DivideByPowerOfTwo(share, reciprocal.shift + 31 - 8), 0, kMost));
    }
  }
  node.Put(0, y);
}

// ---- PAD, CONCATENATION.

void EvalPadUint8(const Node& node, const ArithmeticRule&) {
  const Quantization out = Uint8QuantizationOf(node, node.output(0));
  const Shape &shape = node.input(0).shape, &padded = node.output(0).shape;
  const Codes paddings = node.Get(1);
  if (padded.size() != shape.size() || paddings.size() != 2 * shape.size()) node.Refuse("another rank");
  Axes axes = Whole(padded);
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t before = paddings[2 * d], after = paddings[2 * d + 1];
    if (before < 0 || after < 0 || before + shape[d] + after != padded[d]) node.Refuse("another shape");
    axes[d] = Part(axes[d], before, shape[d]);
  }
  Codes y(static_cast<size_t>(ElementCount(padded)), out.zero_point);
  const Codes x = node.Get(0);
  const std::vector<int64_t> places = Indices(axes, static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) y[static_cast<size_t>(places[i])] = x[i];
  node.Put(0, y);
}

// Of an input in codes of the output.
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
  const auto& options = OptionsOf(node.op().builtin_options.AsConcatenationOptions());
  if (options.fused_activation_function != 0) node.Refuse("a fused activation");
  const Quantization out = Uint8QuantizationOf(node, node.output(0));
  const Shape& shape = node.output(0).shape;
  const auto rank = static_cast<int>(shape.size());
  const int axis = options.axis < 0 ? options.axis + rank : options.axis;
  if (axis < 0 || axis >= rank) node.Refuse("an axis that is none");
  const auto d = static_cast<size_t>(axis);
  Codes y(static_cast<size_t>(ElementCount(shape)));
  int64_t begin = 0;
  for (int i = 0; i < node.input_count(); ++i) {
    const Quantization in = Uint8QuantizationOf(node, node.input(i));
    Shape part = shape;
    if (node.input(i).shape.size() != shape.size()) node.Refuse("an input of another rank");
    part[d] = node.input(i).shape[d];
    if (node.input(i).shape != part) node.Refuse("an input of another shape");
    Axes axes = Whole(shape);
    axes[d] = Part(axes[d], begin, part[d]);
    const Codes x = node.Get(i);
    const std::vector<int64_t> places = Indices(axes, static_cast<int64_t>(x.size()));
    for (size_t k = 0; k < x.size(); ++k) y[static_cast<size_t>(places[k])] = RescaledCode(x[k], in, out);
    begin += part[d];
  }
  if (begin != shape[d]) node.Refuse("inputs that do not fill the output");
  node.Put(0, y);
}

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
    Row(BuiltinOperator::MAX_POOL_2D, {"x", "x"}, kExact, EvalMaxPool2DUint8),
    Row(BuiltinOperator::PAD, {"xp", "x"}, kExact, EvalPadUint8),
    Row(BuiltinOperator::SOFTMAX, {"x", "x"}, kDr, EvalSoftmaxUint8),
};

}  // namespace

const OperatorFamily kUint8Operators = kUint8Rows;

}  // namespace lutra::conformance::oracle
