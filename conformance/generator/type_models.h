// SPDX-License-Identifier: Apache-2.0
// Models of one operator whose operands have any type, to find out which types a runtime takes.
//
//   for (const edit::ModelT& model : ModelsOfType(*oracle::FindOperator("ADD"), oracle::kInt16)) ...
//
// Types are those of the first activation; where the operator has none, of its first input. INT4 stands for
// weights of that type beside activations of INT8.

#pragma once

#include <span>
#include <vector>

#include "conformance/generator/case.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance {

// Lists them in the order of tables.
std::span<const int8_t> ModelTypes();

// The oracle's operators without their variants, and those of float32 alone; sorted by name. Operators of
// state and control flow, which take any type, are not among them.
const std::vector<const oracle::Operator*>& TypedOperators();

// Returns models that differ in the bias, or in the type or scale of the output. A runtime takes the type if
// it takes one of them.
std::vector<edit::ModelT> ModelsOfType(const oracle::Operator& op, int8_t type);

// The model as a case, with inputs that every operator takes: small numbers above zero.
Case CaseOf(const edit::ModelT& model);

// A model of the operator in which one operand, elsewhere a constant, is an input of the graph.
struct ComputedOperand {
  int input;
  Case test;
};
std::vector<ComputedOperand> ComputedOperands(const oracle::Operator& op);

}  // namespace lutra::conformance
