// SPDX-License-Identifier: Apache-2.0
// LOGICAL_AND, LOGICAL_OR and LOGICAL_NOT work on truth values: every byte but 0 is true.

#include "conformance/oracle/broadcast.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

void RequireBool(const Node& node) {
  for (int i = 0; i < node.input_count(); ++i) {
    if (node.input(i).type != kBool) node.Refuse("an operand that is no BOOL");
  }
  if (node.output(0).type != kBool) node.Refuse("an operand that is no BOOL");
}

void EvalAnd(const Node& node, const ArithmeticRule&) {
  RequireBool(node);
  node.Put(0, ForEachPair(node, [](int64_t a, int64_t b, size_t) { return int64_t{a != 0 && b != 0}; }));
}

void EvalOr(const Node& node, const ArithmeticRule&) {
  RequireBool(node);
  node.Put(0, ForEachPair(node, [](int64_t a, int64_t b, size_t) { return int64_t{a != 0 || b != 0}; }));
}

void EvalNot(const Node& node, const ArithmeticRule&) {
  RequireBool(node);
  Codes values = node.Get(0);
  for (int64_t& value : values) value = value == 0 ? 1 : 0;
  node.Put(0, values);
}

constexpr Operator kLogicalRows[] = {
    {BuiltinOperator::LOGICAL_AND, {"--", "-"}, {kExact}, EvalAnd},
    {BuiltinOperator::LOGICAL_NOT, {"-", "-"}, {kExact}, EvalNot},
    {BuiltinOperator::LOGICAL_OR, {"--", "-"}, {kExact}, EvalOr},
};

}  // namespace

const OperatorFamily kLogicalOperators = kLogicalRows;

}  // namespace lutra::conformance::oracle
