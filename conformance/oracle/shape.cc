// SPDX-License-Identifier: Apache-2.0
// Operators that give their input's bytes another shape, and SHAPE, which gives the shape itself.

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// The file has the output's shape; operands and options that repeat it are not read.
void EvalSameBytes(const Node& node, const ArithmeticRule&) {
  if (node.input(0).type != node.output(0).type) node.Refuse("an output of another type");
  node.PutBytes(0, node.GetBytes(0));
}

void EvalShape(const Node& node, const ArithmeticRule&) {
  const Shape& shape = node.input(0).shape;
  node.Put(0, Codes(shape.begin(), shape.end()));
}

constexpr Operator kShapeRows[] = {
    {BuiltinOperator::RESHAPE, {"x", "x"}, {kExact}, EvalSameBytes},
    {BuiltinOperator::SQUEEZE, {"x", "x"}, {kExact}, EvalSameBytes},
    {BuiltinOperator::EXPAND_DIMS, {"xp", "x"}, {kExact}, EvalSameBytes},
    {BuiltinOperator::SHAPE, {"x", "-"}, {kExact}, EvalShape},
};

}  // namespace

const OperatorFamily kShapeOperators = kShapeRows;

}  // namespace lutra::conformance::oracle
