// SPDX-License-Identifier: Apache-2.0
// Finds the TFLM_DECODE that makes a tensor, and says what it reads.

#pragma once

#include "lutra/compression/encoding.h"
#include "lutra/graph.h"
#include "lutra/model.h"
#include "lutra/node_info.h"
#include "runtime/text.h"

namespace lutra {

inline bool IsDecoder(const NodeInfo& node) {
  return node.code == BuiltinOperator::kCustom && SameText(node.custom_code, kDecodeCustomCode);
}

struct Decoder {
  int node;  // In the subgraph; -1: there is none.
  int32_t tensor;
};

inline Decoder FindDecoder(const Model& model, int subgraph, int32_t tensor) {
  for (int n = 0; n < model.node_count(subgraph); ++n) {
    const NodeInfo node = model.node(subgraph, n);
    if (!IsDecoder(node)) continue;
    for (int i = 0; i < node.outputs.count; ++i) {
      if (node.outputs[i] == tensor) return {n, tensor};
    }
  }
  return {-1, tensor};
}

// Returns a constant's bytes, without those that its buffer has beyond the tensor's size.
inline Span<const uint8_t> BytesIn(const TensorInfo& info) {
  const auto bytes = static_cast<size_t>(info.bytes);
  return {info.data.data(), bytes < info.data.size() ? bytes : info.data.size()};
}

// Reads the decoder's pair of inputs, which must be constants.
inline Fault ReadDecoder(const Model& model, int subgraph, const Decoder& decoder, Encoding* encoding) {
  const NodeInfo node = model.node(subgraph, decoder.node);
  int pair = 0;
  while (node.outputs[pair] != decoder.tensor) ++pair;
  return ReadDecodePair(BytesIn(model.tensor(subgraph, node.inputs[2 * pair])),
                        BytesIn(model.tensor(subgraph, node.inputs[2 * pair + 1])),
                        model.tensor(subgraph, decoder.tensor), encoding);
}

// Returns how a streamed input is stored.
Encoding StreamedEncodingOf(const Graph& graph, int subgraph, int32_t tensor, const StreamedInput& record);

// Returns whether a node that streams finds this input compressed.
bool IsStreamedTensor(const Graph& graph, int subgraph, int tensor);

}  // namespace lutra
