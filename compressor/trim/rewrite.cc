// SPDX-License-Identifier: Apache-2.0
// Removes from each tensor the channels that go.

#include "compressor/trim/rewrite.h"

#include <algorithm>
#include <utility>

namespace lutra::compressor {
namespace {

using Positions = std::vector<int32_t>;

// Keeps the entries of `kept` channels in a list that has one for each channel; leaves other lists unchanged.
template <typename T>
void Cut(const Positions& kept, size_t channels, std::vector<T>* list) {
  if (list->size() != channels) return;
  for (size_t i = 0; i < kept.size(); ++i) (*list)[i] = (*list)[static_cast<size_t>(kept[i])];
  list->resize(kept.size());
}

void CutQuantization(const Positions& kept, size_t channels, edit::TensorT* tensor) {
  edit::QuantizationParametersT* const quantization = tensor->quantization.get();
  // One scale belongs to the whole tensor, even if that has one channel.
  if (quantization == nullptr || channels == 1) return;
  Cut(kept, channels, &quantization->scale);
  Cut(kept, channels, &quantization->zero_point);
  Cut(kept, channels, &quantization->min);
  Cut(kept, channels, &quantization->max);
}

void SetLast(int32_t value, std::vector<int32_t>* shape) {
  // -1 is an open dimension.
  if (!shape->empty() && shape->back() != -1) shape->back() = value;
}

void AppendNumber(int32_t value, Bytes* bytes) {
  for (int shift = 0; shift < 32; shift += 8) {
    bytes->push_back(static_cast<uint8_t>(static_cast<uint32_t>(value) >> shift));
  }
}

Bytes BytesOfNumbers(const std::vector<int32_t>& values) {
  Bytes bytes;
  for (const int32_t value : values) AppendNumber(value, &bytes);
  return bytes;
}

class Remover {
 public:
  Remover(const Trace& trace, const Selection& selection, ModelEditor* editor)
      : trace_(trace), selection_(selection), editor_(*editor) {}

  void Run() {
    for (const Layer& layer : trace_.layers()) CutLayer(layer);
    for (const int node : trace_.reshapes()) CutReshape(node);
    for (int32_t t = 0; t < trace_.tensor_count(); ++t) CutTensor(t);
  }

 private:
  edit::OperatorT& OperatorOf(int node) { return *editor_.subgraph(0).operators[static_cast<size_t>(node)]; }

  Positions Kept(int32_t tensor) const {
    Positions kept;
    for (int32_t p = 0; p < trace_.count(tensor); ++p) {
      if (!selection_.goes(trace_.first(tensor) + p)) kept.push_back(p);
    }
    return kept;
  }

  bool Loses(int32_t tensor) const { return Kept(tensor).size() < static_cast<size_t>(trace_.count(tensor)); }

  void CutLayer(const Layer& layer) {
    if (!Loses(layer.input) && !Loses(layer.output)) return;
    const Positions outputs = Kept(layer.output);
    edit::OperatorT& op = OperatorOf(layer.node);
    const auto channels = static_cast<size_t>(layer.outputs);
    const Bytes values = CutWeights(layer, outputs, Kept(layer.input));
    edit::TensorT& weights = editor_.tensor(0, editor_.OwnInput(0, &op, 1));
    if (layer.is_depthwise()) {
      weights.shape[3] = static_cast<int32_t>(outputs.size());
    } else {
      weights.shape.front() = static_cast<int32_t>(outputs.size());
      weights.shape.back() = static_cast<int32_t>(values.size() / outputs.size()) / layer.taps();
    }
    weights.shape_signature.clear();
    CutQuantization(outputs, channels, &weights);
    weights.buffer = editor_.AddBuffer(values);
    CutBias(layer, outputs, &op);
  }

  // Weights lie by outputs in the file, but those of DEPTHWISE_CONV_2D by taps.
  static Bytes CutWeights(const Layer& layer, const Positions& outputs, const Positions& inputs) {
    std::vector<bool> stays(static_cast<size_t>(layer.positions));
    for (const int32_t p : inputs) stays[static_cast<size_t>(p)] = true;
    Bytes values;
    const auto append = [&](int32_t output, int32_t tap, int32_t i) {
      values.push_back(
          static_cast<uint8_t>(layer.values[static_cast<size_t>(layer.IndexOf(output, tap, i))]));
    };
    if (layer.is_depthwise()) {
      for (int32_t tap = 0; tap < layer.taps(); ++tap) {
        for (const int32_t output : outputs) append(output, tap, 0);
      }
      return values;
    }
    for (const int32_t output : outputs) {
      for (int32_t tap = 0; tap < layer.taps(); ++tap) {
        for (int32_t i = 0; i < layer.depth; ++i) {
          if (stays[static_cast<size_t>(layer.PositionOf(output, i))]) append(output, tap, i);
        }
      }
    }
    return values;
  }

  void CutBias(const Layer& layer, const Positions& outputs, edit::OperatorT* op) {
    std::vector<int32_t> values;
    for (const int32_t output : outputs) values.push_back(selection_.BiasOf(layer, output));
    if (layer.bias < 0) {
      if (std::any_of(values.begin(), values.end(), [](int32_t value) { return value != 0; })) {
        AddBias(layer, outputs, values, op);
      }
      return;
    }
    edit::TensorT& bias = editor_.tensor(0, editor_.OwnInput(0, op, 2));
    bias.buffer = editor_.AddBuffer(BytesOfNumbers(values));
    bias.shape = {static_cast<int32_t>(values.size())};
    bias.shape_signature.clear();
    CutQuantization(outputs, static_cast<size_t>(layer.outputs), &bias);
  }

  void AddBias(const Layer& layer, const Positions& outputs, const std::vector<int32_t>& values,
               edit::OperatorT* op) {
    edit::TensorT bias;
    bias.type = static_cast<int8_t>(TensorType::kInt32);
    bias.shape = {static_cast<int32_t>(values.size())};
    bias.buffer = editor_.AddBuffer(BytesOfNumbers(values));
    bias.name = "bias";
    bias.quantization = std::make_unique<edit::QuantizationParametersT>();
    const bool is_per_channel = editor_.tensor(0, op->inputs[1]).quantization->scale.size() > 1;
    for (const int32_t output : outputs) {
      if (!is_per_channel && !bias.quantization->scale.empty()) break;
      bias.quantization->scale.push_back(layer.in.scale * layer.scales[static_cast<size_t>(output)]);
      bias.quantization->zero_point.push_back(0);
    }
    op->inputs.resize(3);
    op->inputs[2] = editor_.AddTensor(0, std::move(bias));
  }

  void CutReshape(int node) {
    edit::OperatorT& op = OperatorOf(node);
    const int32_t output = op.outputs[0];
    if (!Loses(output)) return;
    const auto depth = static_cast<int32_t>(Kept(output).size());
    if (op.builtin_options.type == edit::BuiltinOptions::ReshapeOptions) {
      SetLast(depth, &op.builtin_options.AsReshapeOptions()->new_shape);
    }
    if (op.inputs.size() < 2) return;
    std::vector<int32_t> dims = trace_.ListOf(op.inputs[1]);
    SetLast(depth, &dims);
    edit::TensorT& shape = editor_.tensor(0, editor_.OwnInput(0, &op, 1));
    shape.buffer = editor_.AddBuffer(BytesOfNumbers(dims));
  }

  void CutTensor(int32_t t) {
    if (!Loses(t)) return;
    const Positions kept = Kept(t);
    edit::TensorT& tensor = editor_.tensor(0, t);
    SetLast(static_cast<int32_t>(kept.size()), &tensor.shape);
    SetLast(static_cast<int32_t>(kept.size()), &tensor.shape_signature);
    if (!trace_.fixed().Has(t)) return;
    const Bytes data = editor_.data(0, t);
    Bytes values;
    for (size_t begin = 0; begin < data.size(); begin += static_cast<size_t>(trace_.count(t))) {
      for (const int32_t p : kept) values.push_back(data[begin + static_cast<size_t>(p)]);
    }
    tensor.buffer = editor_.AddBuffer(std::move(values));
  }

  const Trace& trace_;
  const Selection& selection_;
  ModelEditor& editor_;
};

}  // namespace

void RemoveChannels(const Trace& trace, const Selection& selection, ModelEditor* editor) {
  Remover(trace, selection, editor).Run();
}

}  // namespace lutra::compressor
