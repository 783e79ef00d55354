// SPDX-License-Identifier: Apache-2.0
// Finds the constants that nntool adds into biases, and counts bytes as it does.

#include "compressor/gap9/nntool/table.h"

#include <algorithm>
#include <optional>

#include "lutra/model.h"
#include "lutra/node_info.h"

namespace lutra::compressor {
namespace {

constexpr int64_t kBiasValueBytes = 4;

// Returns the bias of `node`, if that is a layer with a constant bias.
std::optional<TensorInfo> BiasOf(const Model& model, int subgraph, const NodeInfo& node) {
  constexpr int32_t kBiasInput = 2;
  const bool is_layer = node.code == BuiltinOperator::kConv2D ||
                        node.code == BuiltinOperator::kDepthwiseConv2D ||
                        node.code == BuiltinOperator::kFullyConnected;
  if (!is_layer || node.inputs.size() <= kBiasInput || node.inputs[kBiasInput] < 0) return std::nullopt;
  const TensorInfo bias = model.tensor(subgraph, node.inputs[kBiasInput]);
  return bias.is_constant() ? std::optional<TensorInfo>(bias) : std::nullopt;
}

// Returns whether an ADD adds the constant to the output of a layer whose bias is as many zeros.
bool IsAddedIntoBias(const Model& model, int subgraph, int tensor, int step) {
  const NodeInfo add = model.node(subgraph, step);
  if (add.code != BuiltinOperator::kAdd || add.inputs.size() != 2) return false;
  const int32_t other = add.inputs[add.inputs[0] == tensor ? 1 : 0];
  for (int n = 0; n < step; ++n) {
    const NodeInfo node = model.node(subgraph, n);
    if (node.outputs.size() != 1 || node.outputs[0] != other) continue;
    const std::optional<TensorInfo> bias = BiasOf(model, subgraph, node);
    const int64_t values = model.tensor(subgraph, tensor).shape.Count();
    return bias && bias->shape.Count() == values &&
           std::all_of(bias->data.begin(), bias->data.end(), [](uint8_t byte) { return byte == 0; });
  }
  return false;
}

}  // namespace

NntoolCount CountAsNntool(const Model& model, int subgraph, int tensor, int step,
                          const BinnedTensor& binned) {
  const LutSize& size = binned.size;
  const Shape shape = model.tensor(subgraph, tensor).shape;
  NntoolCount count = {.original_bytes = size.original_bytes, .compressed_bytes = size.total_bytes};
  if (IsAddedIntoBias(model, subgraph, tensor, step)) {
    const LutSize as_bias = SizeOfLut(shape.Count(), 0, binned.bits, int64_t{1} << binned.bits,
                                      kBiasValueBytes, SparseUse::kNo, Rounding::kDown);
    count = {.original_bytes = as_bias.original_bytes,
             .compressed_bytes = as_bias.total_bytes,
             .is_added_into_bias = true};
  }
  const bool is_bias = shape.rank == 1;
  count.original_bytes_in_total = is_bias ? shape.Count() : size.original_bytes;
  return count;
}

}  // namespace lutra::compressor
