// SPDX-License-Identifier: Apache-2.0
// Reads layers from a model, and sums weights over the taps of windows.

#include "compressor/trim/layer.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace lutra::compressor {
namespace {

constexpr int32_t kLargestImage = 1 << 20;

// Values of taps, which it sums over rectangles.
class TapSums {
 public:
  TapSums(int32_t rows, int32_t columns)
      : columns_(columns), sums_(static_cast<size_t>(rows + 1) * static_cast<size_t>(columns + 1)) {}

  // Taps must come in ascending order of rows, then of columns.
  void Set(int32_t row, int32_t column, int64_t value) {
    At(row + 1, column + 1) = value + At(row, column + 1) + At(row + 1, column) - At(row, column);
  }
  int64_t Sum(const TapSpan& rows, const TapSpan& columns) const {
    if (rows.first > rows.last || columns.first > columns.last) return 0;
    return At(rows.last + 1, columns.last + 1) - At(rows.first, columns.last + 1) -
           At(rows.last + 1, columns.first) + At(rows.first, columns.first);
  }

 private:
  int64_t& At(int32_t row, int32_t column) { return sums_[Index(row, column)]; }
  const int64_t& At(int32_t row, int32_t column) const { return sums_[Index(row, column)]; }
  size_t Index(int32_t row, int32_t column) const {
    return static_cast<size_t>(row) * static_cast<size_t>(columns_ + 1) + static_cast<size_t>(column);
  }

  int32_t columns_;
  std::vector<int64_t> sums_;
};

int32_t FloorDivide(int32_t a, int32_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

bool HasZeroPoints(const TensorInfo& tensor) {
  for (int32_t i = 0; i < tensor.zero_points.size(); ++i) {
    if (tensor.zero_points[i] != 0) return true;
  }
  return false;
}

bool ReadWeights(const Model& model, const FixedTensors& fixed, int32_t quantized_dimension, Layer* layer) {
  const TensorInfo weights = model.tensor(0, layer->weights);
  if (!fixed.Has(layer->weights) || weights.type != TensorType::kInt8 || HasZeroPoints(weights)) return false;
  layer->values = {reinterpret_cast<const int8_t*>(weights.data.data()), weights.data.size()};
  if (layer->values.size() != static_cast<size_t>(layer->outputs) * static_cast<size_t>(layer->taps()) *
                                  static_cast<size_t>(layer->depth)) {
    return false;
  }
  const int32_t count = weights.scales.size();
  if (count != 1 && (count != layer->outputs || weights.quantized_dimension != quantized_dimension)) {
    return false;
  }
  for (int32_t o = 0; o < layer->outputs; ++o) {
    const float scale = weights.scales[count == 1 ? 0 : o];
    if (!(scale >= 0) || !std::isfinite(scale)) return false;
    layer->scales.push_back(scale);
  }
  layer->biases.assign(static_cast<size_t>(layer->outputs), 0);
  if (layer->bias < 0) return true;
  const TensorInfo bias = model.tensor(0, layer->bias);
  if (!fixed.Has(layer->bias) || bias.type != TensorType::kInt32 || bias.shape.Count() != layer->outputs) {
    return false;
  }
  const PackedList<int32_t> list = {bias.data.data(), layer->outputs};
  for (int32_t o = 0; o < layer->outputs; ++o) layer->biases[static_cast<size_t>(o)] = list[o];
  return true;
}

bool ReadWindow(const NodeInfo& node, const Shape& in, const Shape& out, const Shape& filter, Layer* layer,
                Activation* activation) {
  WindowOptions options;
  if (!ReadWindowOptions(node, &options)) return false;
  if (in.rank != 4 || out.rank != 4 || filter.rank != 4) return false;
  *activation = options.activation;
  layer->rows = filter[1];
  layer->columns = filter[2];
  for (int axis = 1; axis <= 2; ++axis) {
    const WindowDimension window = {.in = in[axis],
                                    .out = out[axis],
                                    .taps = filter[axis],
                                    .stride = axis == 1 ? options.stride_h : options.stride_w,
                                    .dilation = axis == 1 ? options.dilation_h : options.dilation_w,
                                    .padding = options.padding};
    for (const int32_t size : {window.in, window.out, window.taps, window.stride, window.dilation}) {
      if (size < 1 || size > kLargestImage) return false;
    }
    // Products of these numbers stay within int32.
    if (int64_t{window.out} * window.stride > INT32_MAX / 2 ||
        int64_t{window.taps} * window.dilation > INT32_MAX / 2) {
      return false;
    }
    (axis == 1 ? layer->row_spans : layer->column_spans) = SpansOf(window);
  }
  return true;
}

bool ReadConvolution(const NodeInfo& node, const Shape& in, const Shape& out, const Shape& filter,
                     Layer* layer, Activation* activation) {
  if (!ReadWindow(node, in, out, filter, layer, activation)) return false;
  layer->outputs = out[3];
  layer->positions = in[3];
  layer->depth = layer->is_depthwise() ? 1 : filter[3];
  if (layer->is_depthwise()) {
    layer->depth_multiplier = layer->outputs / layer->positions;
    return filter[0] == 1 && filter[3] == layer->outputs && layer->outputs % layer->positions == 0;
  }
  // A filter of a grouped convolution has fewer inputs.
  return filter[0] == layer->outputs && layer->depth == layer->positions;
}

bool ReadFullyConnected(const NodeInfo& node, const Shape& in, const Shape& out, const Shape& weights,
                        Layer* layer, Activation* activation) {
  FullyConnectedOptions options;
  if (!ReadFullyConnectedOptions(node, &options) || options.shuffled_weights) return false;
  if (weights.rank != 2 || out.rank < 1) return false;
  *activation = options.activation;
  layer->outputs = weights[0];
  layer->depth = weights[1];
  layer->positions = in.Depth();
  layer->row_spans = layer->column_spans = {{0, 0}};
  return out.Depth() == layer->outputs && layer->depth % layer->positions == 0 &&
         int64_t{out.OuterCount()} * layer->depth == in.Count();
}

}  // namespace

std::vector<TapSpan> SpansOf(const WindowDimension& window) {
  const int32_t reach = (window.taps - 1) * window.dilation + 1;
  const int32_t missing = std::max((window.out - 1) * window.stride + reach - window.in, 0);
  const int32_t before = window.padding == Padding::kSame ? missing / 2 : 0;
  std::set<TapSpan> spans;
  for (int32_t y = 0; y < window.out; ++y) {
    const int32_t start = y * window.stride - before;
    const int32_t first = std::max(0, -FloorDivide(start, window.dilation));
    const int32_t last = std::min(window.taps - 1, FloorDivide(window.in - 1 - start, window.dilation));
    spans.insert(first > last ? TapSpan{1, 0} : TapSpan{first, last});
  }
  return {spans.begin(), spans.end()};
}

CodeRange Layer::CodesOf(int32_t output, std::span<const CodeRange> input) const {
  TapSums least(rows, columns), most(rows, columns);
  for (int32_t tap = 0; tap < taps(); ++tap) {
    int64_t low = 0, high = 0;
    for (int32_t i = 0; i < depth; ++i) {
      const int32_t weight = values[static_cast<size_t>(IndexOf(output, tap, i))];
      const CodeRange& codes = input[static_cast<size_t>(PositionOf(output, i))];
      const int32_t at_min = weight * (codes.min - in.zero_point);
      const int32_t at_max = weight * (codes.max - in.zero_point);
      low += std::min(at_min, at_max);
      high += std::max(at_min, at_max);
    }
    least.Set(tap / columns, tap % columns, low);
    most.Set(tap / columns, tap % columns, high);
  }
  const SumRounding rounding(
      {.first = in.scale, .second = scales[static_cast<size_t>(output)], .output = out.scale}, out.zero_point,
      clamps);
  const int64_t start = biases[static_cast<size_t>(output)];
  std::optional<CodeRange> codes;
  for (const TapSpan& row : row_spans) {
    for (const TapSpan& column : column_spans) {
      const CodeRange here = rounding.Of(start + least.Sum(row, column), start + most.Sum(row, column));
      if (codes) {
        codes->Include(here);
      } else {
        codes = here;
      }
    }
  }
  return codes.value_or(CodeRange());
}

bool Layer::Reads(int32_t output, int32_t position) const {
  for (int32_t tap = 0; tap < taps(); ++tap) {
    for (int32_t i = position; i < depth; i += positions) {
      if (values[static_cast<size_t>(IndexOf(output, tap, i))] != 0) return true;
    }
  }
  return false;
}

std::optional<int64_t> Layer::ContributionOf(int32_t output, int32_t position, int32_t code) const {
  if (code == in.zero_point) return 0;
  TapSums sums(rows, columns);
  for (int32_t tap = 0; tap < taps(); ++tap) {
    int64_t sum = 0;
    for (int32_t i = position; i < depth; i += positions) {
      sum += values[static_cast<size_t>(IndexOf(output, tap, i))] * (code - in.zero_point);
    }
    sums.Set(tap / columns, tap % columns, sum);
  }
  std::optional<int64_t> contribution;
  for (const TapSpan& row : row_spans) {
    for (const TapSpan& column : column_spans) {
      const int64_t here = sums.Sum(row, column);
      if (contribution && *contribution != here) return {};
      contribution = here;
    }
  }
  return contribution;
}

FixedTensors::FixedTensors(const Model& model) {
  for (int t = 0; t < model.tensor_count(0); ++t) {
    const TensorInfo tensor = model.tensor(0, t);
    is_fixed_.push_back(tensor.is_constant() && !tensor.is_variable && !tensor.is_compressed);
  }
  const auto clear = [&](const PackedList<int32_t>& list) {
    for (int32_t i = 0; i < list.size(); ++i) {
      if (list[i] >= 0) is_fixed_[static_cast<size_t>(list[i])] = false;
    }
  };
  clear(model.inputs(0));
  for (int n = 0; n < model.node_count(0); ++n) clear(model.node(0, n).outputs);
}

std::optional<CodeScale> CodeScaleOf(const TensorInfo& tensor) {
  const bool is_plain = tensor.type == TensorType::kInt8 && !tensor.is_variable && !tensor.is_compressed;
  if (!is_plain || tensor.scales.size() != 1 || tensor.zero_points.size() > 1) return {};
  if (!(tensor.scale > 0) || !std::isfinite(tensor.scale)) return {};
  const int64_t zero_point = tensor.zero_points.size() == 1 ? tensor.zero_points[0] : 0;
  if (zero_point < INT8_MIN || zero_point > INT8_MAX) return {};
  return CodeScale{tensor.scale, static_cast<int32_t>(zero_point)};
}

std::optional<Layer> ReadLayer(const Model& model, int number, const FixedTensors& fixed) {
  const NodeInfo node = model.node(0, number);
  const bool is_matrix = node.code == BuiltinOperator::kFullyConnected;
  if (!is_matrix && node.code != BuiltinOperator::kConv2D && node.code != BuiltinOperator::kDepthwiseConv2D) {
    return {};
  }
  if (node.inputs.size() < 2 || node.inputs.size() > 3 || node.outputs.size() != 1) return {};
  Layer layer;
  layer.node = number;
  layer.code = node.code;
  layer.input = node.inputs[0];
  layer.weights = node.inputs[1];
  if (node.inputs.size() == 3) layer.bias = node.inputs[2];
  layer.output = node.outputs[0];
  if (layer.input < 0 || layer.weights < 0 || layer.output < 0) return {};
  const TensorInfo in = model.tensor(0, layer.input), out = model.tensor(0, layer.output);
  const Shape weights = model.tensor(0, layer.weights).shape;
  const auto in_scale = CodeScaleOf(in), out_scale = CodeScaleOf(out);
  if (!in_scale || !out_scale || in.shape.Count() == 0 || out.shape.Count() == 0) return {};
  layer.in = *in_scale;
  layer.out = *out_scale;
  Activation activation = Activation::kNone;
  const bool is_read = is_matrix ? ReadFullyConnected(node, in.shape, out.shape, weights, &layer, &activation)
                                 : ReadConvolution(node, in.shape, out.shape, weights, &layer, &activation);
  if (!is_read || !ReadWeights(model, fixed, layer.is_depthwise() ? 3 : 0, &layer)) return {};
  if (!QuantizedActivationRange(activation, layer.out.scale, layer.out.zero_point, &layer.clamps)) return {};
  return layer;
}

}  // namespace lutra::compressor
