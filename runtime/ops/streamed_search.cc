// SPDX-License-Identifier: Apache-2.0
// Searches for inputs that stream: one operator reads and decodes them by itself.

#include "lutra/ops/ops.h"
#include "runtime/decoders.h"
#include "runtime/find_op.h"
#include "runtime/ops/streamed.h"
#include "runtime/ops/streamed_layer.h"

namespace lutra {
namespace {

// Returns the inputs of a node that its operator can stream; those of layers only if they are of int8. With
// policy at-init, operators that only move values stream nothing.
InputSet StreamableInputs(const Graph& graph, int subgraph, const NodeInfo& node) {
  const Model& model = *graph.model;
  const StreamingLayer* const layer = FindLayer(node.code);
  if (layer == nullptr) {
    if (graph.options.decompression == DecompressionPolicy::kAtInit) return kNoInputs;
    if (node.code == BuiltinOperator::kConcatenation) {
#if LUTRA_HAVE_UINT8
      // uint8.h has another operator for it.
      const int32_t output = node.outputs.count > 0 ? node.outputs[0] : -1;
      if (output >= 0 && model.tensor(subgraph, output).type == TensorType::kUInt8) return kNoInputs;
#endif
      return kAllInputs;
    }
    return node.code == BuiltinOperator::kAssignVariable ? Inputs(1) : kNoInputs;
  }
  const auto is_int8 = [&](int i) {
    return i < node.inputs.count && node.inputs[i] >= 0 &&
           model.tensor(subgraph, node.inputs[i]).type == TensorType::kInt8;
  };
  if (!is_int8(layer->inputs.input) || !is_int8(layer->inputs.weights)) return kNoInputs;
  return Inputs(layer->inputs.weights, layer->inputs.bias);
}

// Returns whether one operator reads the tensor, behind the node at `index`, and can stream it.
bool IsStreamable(const Graph& graph, Span<const Op> ops, int subgraph, int index, int32_t tensor) {
  const Model& model = *graph.model;
  const PackedList<int32_t> outputs = model.outputs(subgraph);
  for (int i = 0; i < outputs.count; ++i) {
    if (outputs[i] == tensor) return false;
  }
  int readers = 0;
  bool streams = false;
  for (int n = 0; n < model.node_count(subgraph); ++n) {
    const NodeInfo node = model.node(subgraph, n);
    for (int i = 0; i < node.inputs.count; ++i) {
      if (node.inputs[i] != tensor) continue;
      const Op* const op = FindOp(ops, node);
      streams = n > index && op != nullptr && FindStreamingOp(*op) != nullptr &&
                Contains(StreamableInputs(graph, subgraph, node), i);
      ++readers;
    }
  }
  return streams && readers == 1;
}

// Returns whether the subgraph is small enough: for each TFLM_DECODE, all inputs of all nodes are searched
// for readers.
bool IsSearchable(const Model& model, int subgraph) {
  constexpr int kMaxNodes = 512;  // StreamedInput::decoder has room.
  constexpr int32_t kMaxInputs = 4096;
  if (model.node_count(subgraph) > kMaxNodes) return false;
  int32_t inputs = 0;
  for (int n = 0; n < model.node_count(subgraph) && inputs <= kMaxInputs; ++n) {
    const int32_t count = model.node(subgraph, n).inputs.count;
    inputs = count > kMaxInputs ? kMaxInputs + 1 : inputs + count;
  }
  return inputs <= kMaxInputs;
}

}  // namespace

bool ReplacesDecoder(const Graph& graph, Span<const Op> ops, int subgraph, int index) {
  constexpr int kMaxOutputs = 8;
  const Model& model = *graph.model;
  const NodeInfo node = model.node(subgraph, index);
  if (!IsDecoder(node) || node.outputs.count > kMaxOutputs || !IsSearchable(model, subgraph)) return false;
  const Op* const op = FindOp(ops, node);
  if (op == nullptr || op->prepare != PrepareDecode) return false;
  // If its operands are wrong, the operator will say how.
  if (node.outputs.count < 1 || node.inputs.count != 2 * node.outputs.count) return false;
  for (int i = 0; i < node.inputs.count; ++i) {
    if (node.inputs[i] < 0 || !model.tensor(subgraph, node.inputs[i]).is_constant()) return false;
  }
  for (int i = 0; i < node.outputs.count; ++i) {
    const int32_t t = node.outputs[i];
    const TensorInfo info = model.tensor(subgraph, t);
    if (info.is_constant() || info.is_variable || FindDecoder(model, subgraph, t).node != index) return false;
    if (!IsStreamable(graph, ops, subgraph, index, t)) return false;
  }
  return true;
}

bool MakesStreamedTensor(const Graph& graph, Span<const Op> ops, int subgraph, int tensor) {
  const Decoder decoder = FindDecoder(*graph.model, subgraph, tensor);
  return decoder.node >= 0 && ReplacesDecoder(graph, ops, subgraph, decoder.node);
}

const Op* FindStreaming(const Graph& graph, Span<const Op> ops, const Op& op, int subgraph, int index) {
  const Op* const streams = FindStreamingOp(op);
  if (streams == nullptr) return nullptr;
  const Model& model = *graph.model;
  const NodeInfo node = model.node(subgraph, index);
  const InputSet inputs = StreamableInputs(graph, subgraph, node);
  for (int i = 0; i < node.inputs.count; ++i) {
    if (!Contains(inputs, i) || node.inputs[i] < 0) continue;
    const TensorInfo info = model.tensor(subgraph, node.inputs[i]);
    if (info.is_compressed ||
        (!info.is_constant() && MakesStreamedTensor(graph, ops, subgraph, node.inputs[i])))
      return streams;
  }
  return nullptr;
}

}  // namespace lutra
