// SPDX-License-Identifier: Apache-2.0
// Finds intervals and links of channels, one operator after the other.

#include "compressor/trim/trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace lutra::compressor {
namespace {

// Models for microcontrollers have fewer channels.
constexpr int32_t kMostChannelsOfTensor = 1 << 20;
constexpr int32_t kMostChannels = 1 << 22;

// Returns the position in an operand, which is stretched if it has only one.
int32_t StretchedPosition(int32_t count, int32_t position) { return count == 1 ? 0 : position; }

}  // namespace

std::vector<int32_t> Trace::ListOf(int32_t tensor) const {
  if (!fixed_.Has(tensor)) return {};
  const TensorInfo info = model_.tensor(0, tensor);
  if (info.type != TensorType::kInt32) return {};
  const PackedList<int32_t> list = {info.data.data(), info.shape.Count()};
  std::vector<int32_t> values;
  for (int32_t i = 0; i < list.size(); ++i) values.push_back(list[i]);
  return values;
}

Trace::Trace(const Model& model) : model_(model), fixed_(model) {
  NumberChannels();
  PinInterface();
  for (int n = 0; n < model_.node_count(0); ++n) {
    if (TraceNode(n)) continue;
    const NodeInfo node = model_.node(0, n);
    const std::string why =
        fmt::format("operator {} ({}) needs all of them", n, NameOf(node.code, node.custom_code));
    for (const PackedList<int32_t>* list : {&node.inputs, &node.outputs}) {
      for (int32_t i = 0; i < list->size(); ++i) Pin((*list)[i], why);
    }
  }
  PinUnread();
}

void Trace::NumberChannels() {
  int64_t total = 0;
  for (int t = 0; t < model_.tensor_count(0); ++t) {
    const TensorInfo tensor = model_.tensor(0, t);
    int32_t count = 0;
    if (CodeScaleOf(tensor) && tensor.shape.rank > 0 && tensor.shape.Count() > 0 &&
        tensor.shape.Depth() <= kMostChannelsOfTensor && total + tensor.shape.Depth() <= kMostChannels) {
      count = tensor.shape.Depth();
    }
    counts_.push_back(count);
    firsts_.push_back(static_cast<int32_t>(total));
    total += count;
  }
  ranges_.resize(static_cast<size_t>(total));
  writers_.resize(counts_.size());
  for (int n = 0; n < model_.node_count(0); ++n) {
    const PackedList<int32_t> outputs = model_.node(0, n).outputs;
    for (int32_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] >= 0) ++writers_[static_cast<size_t>(outputs[i])];
    }
  }
  for (int32_t t = 0; t < tensor_count(); ++t) {
    if (count(t) == 0 || !fixed_.Has(t)) continue;
    const Span<const uint8_t> data = model_.tensor(0, t).data;
    for (int32_t p = 0; p < count(t); ++p) {
      const auto code = static_cast<int8_t>(data[static_cast<size_t>(p)]);
      RangeOf(t, p) = {code, code};
    }
    for (size_t i = 0; i < data.size(); ++i) {
      const auto code = static_cast<int8_t>(data[i]);
      RangeOf(t, static_cast<int32_t>(i % static_cast<size_t>(count(t)))).Include({code, code});
    }
  }
}

void Trace::PinInterface() {
  for (const PackedList<int32_t>& list : {model_.inputs(0), model_.outputs(0)}) {
    for (int32_t i = 0; i < list.size(); ++i) Pin(list[i], "an input or output of the model keeps its shape");
  }
  // The values of a tensor that no operator writes, and that is no constant, are unknown.
  for (int32_t t = 0; t < tensor_count(); ++t) {
    if (writers_[static_cast<size_t>(t)] == 0 && !fixed_.Has(t)) Pin(t, "no operator computes it");
  }
}

void Trace::PinUnread() {
  std::vector<bool> is_read(counts_.size());
  for (int n = 0; n < model_.node_count(0); ++n) {
    const PackedList<int32_t> inputs = model_.node(0, n).inputs;
    for (int32_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] >= 0) is_read[static_cast<size_t>(inputs[i])] = true;
    }
  }
  for (int32_t t = 0; t < tensor_count(); ++t) {
    if (!is_read[static_cast<size_t>(t)]) Pin(t, "no operator reads it");
  }
}

void Trace::Pin(int32_t tensor, const std::string& why) {
  if (tensor >= 0 && count(tensor) > 0) pinned_.push_back({tensor, why});
}

bool Trace::HasOperands(const NodeInfo& node, int32_t inputs) const {
  if (node.inputs.size() < inputs || node.outputs.size() != 1) return false;
  for (int32_t i = 0; i < inputs; ++i) {
    if (node.inputs[i] < 0 || count(node.inputs[i]) == 0) return false;
  }
  const int32_t output = node.outputs[0];
  return output >= 0 && count(output) > 0 && writers_[static_cast<size_t>(output)] == 1 &&
         !fixed_.Has(output);
}

bool Trace::TraceNode(int n) {
  const NodeInfo node = model_.node(0, n);
  if (!HasOperands(node, 1)) return false;
  switch (node.code) {
    case BuiltinOperator::kConv2D:
    case BuiltinOperator::kDepthwiseConv2D:
    case BuiltinOperator::kFullyConnected:
      return TraceLayer(n);
    case BuiltinOperator::kAdd:
    case BuiltinOperator::kMul:
      return TraceSum(node);
    case BuiltinOperator::kAveragePool2D:
    case BuiltinOperator::kMaxPool2D:
      return TracePool(node);
    case BuiltinOperator::kMean:
      return TraceMean(node);
    case BuiltinOperator::kPad:
      return TracePad(node);
    case BuiltinOperator::kConcatenation:
      return TraceConcatenation(node);
    case BuiltinOperator::kReshape:
      return TraceReshape(n);
    default:
      return false;
  }
}

bool Trace::TraceLayer(int n) {
  const std::optional<Layer> layer = ReadLayer(model_, n, fixed_);
  if (!layer) return false;
  // The layer gets cut copies of its weights and bias; the constants themselves keep all channels for other
  // readers.
  const std::string why = fmt::format("operator {} has it as weights", n);
  Pin(layer->weights, why);
  Pin(layer->bias, why);
  const std::vector<CodeRange> input(ranges(layer->input).begin(), ranges(layer->input).end());
  for (int32_t o = 0; o < layer->outputs; ++o) {
    RangeOf(layer->output, o) = layer->CodesOf(o, input);
    if (layer->is_depthwise()) Link(layer->input, o / layer->depth_multiplier, layer->output, o);
  }
  layers_.push_back(*layer);
  return true;
}

bool Trace::TraceSum(const NodeInfo& node) {
  Activation activation;
  if (!HasOperands(node, 2) || node.inputs.size() != 2 || !ReadActivation(node, &activation)) return false;
  const int32_t a = node.inputs[0], b = node.inputs[1], output = node.outputs[0];
  const CodeScale scale_a = *CodeScaleOf(model_.tensor(0, a)), scale_b = *CodeScaleOf(model_.tensor(0, b)),
                  scale = *CodeScaleOf(model_.tensor(0, output));
  ActivationRange clamps;
  if (!QuantizedActivationRange(activation, scale.scale, scale.zero_point, &clamps)) return false;
  for (const int32_t operand : {a, b}) {
    if (count(operand) != count(output) && count(operand) != 1) return false;
  }
  const AddRounding sum(scale_a, scale_b, scale, clamps);
  const SumRounding product({scale_a.scale, scale_b.scale, scale.scale}, scale.zero_point, clamps);
  for (int32_t p = 0; p < count(output); ++p) {
    const CodeRange x = RangeOf(a, StretchedPosition(count(a), p));
    const CodeRange y = RangeOf(b, StretchedPosition(count(b), p));
    if (node.code == BuiltinOperator::kAdd) {
      RangeOf(output, p) = sum.Of(x, y);
    } else {
      const int32_t low_x = x.min - scale_a.zero_point, high_x = x.max - scale_a.zero_point;
      const int32_t low_y = y.min - scale_b.zero_point, high_y = y.max - scale_b.zero_point;
      const auto [least, most] =
          std::minmax({low_x * low_y, low_x * high_y, high_x * low_y, high_x * high_y});
      RangeOf(output, p) = product.Of(least, most);
    }
    for (const int32_t operand : {a, b}) {
      if (count(operand) == count(output)) Link(operand, p, output, p);
    }
  }
  return true;
}

bool Trace::PassOn(int32_t input, int32_t output) {
  if (count(input) != count(output)) return false;
  for (int32_t p = 0; p < count(output); ++p) {
    RangeOf(output, p) = RangeOf(input, p);
    Link(input, p, output, p);
  }
  return true;
}

bool Trace::TracePool(const NodeInfo& node) {
  WindowOptions options;
  const int32_t input = node.inputs[0], output = node.outputs[0];
  const CodeScale scale = *CodeScaleOf(model_.tensor(0, output));
  ActivationRange clamps;
  if (node.inputs.size() != 1 || scale != *CodeScaleOf(model_.tensor(0, input)) ||
      !ReadWindowOptions(node, &options) ||
      !QuantizedActivationRange(options.activation, scale.scale, scale.zero_point, &clamps) ||
      !PassOn(input, output)) {
    return false;
  }
  for (int32_t p = 0; p < count(output); ++p) RangeOf(output, p) = RangeOf(output, p).ClampedTo(clamps);
  return true;
}

// If input and output have one scale, every rule gives the mean of equal codes as that code.
bool Trace::TraceMean(const NodeInfo& node) {
  if (node.inputs.size() != 2) return false;
  const int32_t input = node.inputs[0], output = node.outputs[0];
  const int32_t rank = model_.tensor(0, input).shape.rank;
  const std::vector<int32_t> axes = ListOf(node.inputs[1]);
  if (axes.empty()) return false;
  for (const int32_t axis : axes) {
    if (axis < -rank || axis >= rank || axis == -1 || axis == rank - 1) return false;
  }
  const bool keeps_scale = *CodeScaleOf(model_.tensor(0, input)) == *CodeScaleOf(model_.tensor(0, output));
  if (!PassOn(input, output)) return false;
  for (int32_t p = 0; p < count(output) && !keeps_scale; ++p) RangeOf(output, p) = CodeRange();
  return true;
}

bool Trace::TracePad(const NodeInfo& node) {
  if (node.inputs.size() != 2) return false;
  const int32_t input = node.inputs[0], output = node.outputs[0];
  const CodeScale scale = *CodeScaleOf(model_.tensor(0, output));
  const std::vector<int32_t> edges = ListOf(node.inputs[1]);
  const auto rank = static_cast<size_t>(model_.tensor(0, input).shape.rank);
  if (edges.size() != 2 * rank || scale != *CodeScaleOf(model_.tensor(0, input))) return false;
  if (edges[2 * rank - 2] != 0 || edges[2 * rank - 1] != 0 || !PassOn(input, output)) return false;
  const bool pads = std::any_of(edges.begin(), edges.end(), [](int32_t edge) { return edge != 0; });
  for (int32_t p = 0; p < count(output) && pads; ++p) {
    RangeOf(output, p).Include({scale.zero_point, scale.zero_point});
  }
  return true;
}

bool Trace::TraceConcatenation(const NodeInfo& node) {
  AxisOptions options;
  if (!HasOperands(node, node.inputs.size()) || !ReadAxisOptions(node, &options)) return false;
  if (options.activation != Activation::kNone) return false;
  const int32_t output = node.outputs[0];
  const TensorInfo out = model_.tensor(0, output);
  const bool is_last = options.axis == -1 || options.axis == out.shape.rank - 1;
  int32_t sum = 0;
  for (int32_t i = 0; i < node.inputs.size(); ++i) {
    const TensorInfo in = model_.tensor(0, node.inputs[i]);
    if (in.shape.rank != out.shape.rank || *CodeScaleOf(in) != *CodeScaleOf(out)) return false;
    if (!is_last && count(node.inputs[i]) != count(output)) return false;
    sum += is_last ? count(node.inputs[i]) : 0;
  }
  if (is_last && sum != count(output)) return false;
  int32_t begin = 0;
  for (int32_t i = 0; i < node.inputs.size(); ++i) {
    const int32_t input = node.inputs[i];
    for (int32_t p = 0; p < count(input); ++p) {
      if (is_last || i == 0) {
        RangeOf(output, begin + p) = RangeOf(input, p);
      } else {
        RangeOf(output, begin + p).Include(RangeOf(input, p));
      }
      Link(input, p, output, begin + p);
    }
    if (is_last) begin += count(input);
  }
  return true;
}

// A channel continues in the positions of the output in which its elements lie. They are whole positions if
// one depth divides the other.
bool Trace::TraceReshape(int n) {
  const NodeInfo node = model_.node(0, n);
  if (node.inputs.size() > 2) return false;
  const int32_t input = node.inputs[0], output = node.outputs[0];
  const TensorInfo in = model_.tensor(0, input), out = model_.tensor(0, output);
  const int32_t less = std::min(count(input), count(output)), more = std::max(count(input), count(output));
  if (more % less != 0 || in.shape.Count() != out.shape.Count()) return false;
  std::vector<int32_t> shape;
  if (node.inputs.size() == 2) {
    shape = ListOf(node.inputs[1]);
  } else if (PackedList<int32_t> dims; ReadDimensionList(node, &dims)) {
    for (int32_t i = 0; i < dims.size(); ++i) shape.push_back(dims[i]);
  }
  if (shape.size() != static_cast<size_t>(out.shape.rank)) return false;
  for (int32_t i = 0; i < out.shape.rank; ++i) {
    const int32_t dim = shape[static_cast<size_t>(i)];
    if (dim != -1 && dim != out.shape[i]) return false;
  }
  for (int32_t p = 0; p < more; ++p) {
    const int32_t from = count(input) == more ? p : p % less, to = count(output) == more ? p : p % less;
    if (p == to) {
      RangeOf(output, to) = RangeOf(input, from);
    } else {
      RangeOf(output, to).Include(RangeOf(input, from));
    }
    Link(input, from, output, to);
  }
  reshapes_.push_back(n);
  return true;
}

}  // namespace lutra::compressor
