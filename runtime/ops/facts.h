// SPDX-License-Identifier: Apache-2.0
// The rows of ops.h as values, for tools that ask about operators.
//
//   const lutra::OperatorFacts* facts = lutra::FactsOf(lutra::BuiltinOperator::kConv2D);
//   if (facts != nullptr && lutra::Contains(facts->constant_inputs, 1)) puts("its filter is a constant");

#pragma once

#include <stdint.h>

#include "lutra/model.h"
#include "lutra/node_info.h"
#include "lutra/op.h"
#include "lutra/span.h"
#include "lutra/tensor_info.h"

namespace lutra {

// The shapes of a node's operands. The model was loaded but perhaps not prepared: an operand may be missing;
// its rank is 0 then.
class OperandShapes {
 public:
  OperandShapes(const Model& model, int subgraph, int node)
      : model_(model), subgraph_(subgraph), node_(model.node(subgraph, node)) {}

  const NodeInfo& node() const { return node_; }
  Shape Input(int i) const {
    const bool there = i < node_.inputs.count && node_.inputs[i] >= 0;
    return there ? model_.tensor(subgraph_, node_.inputs[i]).shape : Shape();
  }
  Shape Output() const {
    return node_.outputs.count > 0 ? model_.tensor(subgraph_, node_.outputs[0]).shape : Shape();
  }

 private:
  const Model& model_;
  int subgraph_;
  NodeInfo node_;
};

// Returns the multiply-accumulates of one inference. Taps in the padding are counted.
using MacsFn = int64_t (*)(const OperandShapes& shapes);

struct OperatorFacts {
  BuiltinOperator code;
  InputSet compressible_inputs;  // Inputs that COMPRESSION_METADATA may compress.
  InputSet constant_inputs;      // Inputs that prepare reads.
  MacsFn macs;                   // Null: the operator has no multiply-accumulates.
};

// All builtin operators that the runtime has, sorted by name.
Span<const OperatorFacts> AllOperatorFacts();
// Returns null for an operator that the runtime does not have.
const OperatorFacts* FactsOf(BuiltinOperator code);

}  // namespace lutra
