// SPDX-License-Identifier: Apache-2.0
// FILL and ZEROS_LIKE repeat one element. BROADCAST_ARGS gives the shape to which two shapes broadcast.

#include "conformance/oracle/axes.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

void EvalFill(const Node& node, const ArithmeticRule&) {
  const edit::TensorT& output = node.output(0);
  const Codes dims = node.Get(0);
  if (dims != Codes(output.shape.begin(), output.shape.end())) node.Refuse("an output of another shape");
  if (ElementCount(node.input(1).shape) != 1) node.Refuse("not one value");
  PutTaken(node, 1, std::vector<int64_t>(static_cast<size_t>(ElementCount(output.shape)), 0), 0);
}

// Elements are code 0 in int8, too, whatever the zero point.
void EvalZerosLike(const Node& node, const ArithmeticRule&) {
  if (node.input(0).shape != node.output(0).shape) node.Refuse("an output of another shape");
  node.PutBytes(0, SpaceFor(node, 0, 0));
}

void EvalBroadcastArgs(const Node& node, const ArithmeticRule&) {
  Codes a = node.Get(0), b = node.Get(1);
  const size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  for (size_t d = 0; d < rank; ++d) {
    if (a[d] != b[d] && a[d] != 1 && b[d] != 1) node.Refuse("shapes that do not broadcast");
    if (a[d] == 1) a[d] = b[d];
  }
  node.Put(0, a);
}

constexpr Operator kFillRows[] = {
    {BuiltinOperator::FILL, {"px", "x"}, {kExact}, EvalFill},
    {BuiltinOperator::ZEROS_LIKE, {"x", "x"}, {kExact}, EvalZerosLike},
    {BuiltinOperator::BROADCAST_ARGS, {"--", "-"}, {kExact}, EvalBroadcastArgs},
};

}  // namespace

const OperatorFamily kFillOperators = kFillRows;

}  // namespace lutra::conformance::oracle
