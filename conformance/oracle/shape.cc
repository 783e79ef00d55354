// SPDX-License-Identifier: Apache-2.0
// The same bytes under another shape, and the shape itself.

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// The new shape is the output's, which the file has; operands and options that also say it are not read.
void EvalSameBytes(const Node& node, const Rule&) {
  if (node.input(0).type != node.output(0).type) node.Refuse("an output of another type");
  node.PutBytes(0, node.GetBytes(0));
}

void EvalShape(const Node& node, const Rule&) {
  const Shape& shape = node.input(0).shape;
  node.Put(0, Codes(shape.begin(), shape.end()));
}

}  // namespace

const Operator kReshape = {"RESHAPE", 22, {kExact}, EvalSameBytes};
const Operator kSqueeze = {"SQUEEZE", 43, {kExact}, EvalSameBytes};
const Operator kExpandDims = {"EXPAND_DIMS", 70, {kExact}, EvalSameBytes};
const Operator kShape = {"SHAPE", 77, {kExact}, EvalShape};

}  // namespace lutra::conformance::oracle
