// SPDX-License-Identifier: Apache-2.0

#include "bench/macs.h"

namespace lutra::bench {

int64_t CountMacs(const Model& model, int subgraph, int index) {
  const NodeInfo node = model.node(subgraph, index);
  // A model that was loaded but not prepared may have any operand list.
  const auto input = [&](int i) {
    const bool there = i < node.inputs.count && node.inputs[i] >= 0;
    return there ? model.tensor(subgraph, node.inputs[i]).shape : Shape();
  };
  const Shape output = node.outputs.count > 0 ? model.tensor(subgraph, node.outputs[0]).shape : Shape();
  const auto outputs = static_cast<int64_t>(output.Count());
  const Shape weights = input(1);
  switch (node.code) {
    case BuiltinOperator::kConv2D:
      return weights.rank == 4 ? outputs * weights.Count(1, 4) : 0;
    case BuiltinOperator::kDepthwiseConv2D:
      return weights.rank == 4 ? outputs * weights.Count(1, 3) : 0;
    case BuiltinOperator::kTransposeConv:
      // Every input value meets every tap of every output channel.
      return weights.rank == 4 ? static_cast<int64_t>(input(2).Count()) * weights[0] * weights[1] * weights[2]
                               : 0;
    case BuiltinOperator::kFullyConnected:
      return outputs * weights.Depth();
    case BuiltinOperator::kBatchMatmul: {
      BatchMatMulOptions options;
      const Shape lhs = input(0);
      if (lhs.rank < 2 || !ReadBatchMatMulOptions(node, &options)) return 0;
      return outputs * lhs[options.adjoint_lhs ? lhs.rank - 2 : lhs.rank - 1];
    }
    case BuiltinOperator::kSvdf: {
      const int64_t batches = input(0).OuterCount();
      return batches * (static_cast<int64_t>(weights.Count()) + input(2).Count());
    }
    default:
      return 0;
  }
}

}  // namespace lutra::bench
