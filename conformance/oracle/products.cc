// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kMul = {"MUL", 18, {lutra::oracle::kExact}, NotWritten};
const Operator kDiv = {"DIV", 42, {lutra::oracle::kExact}, NotWritten};
const Operator kSquaredDifference = {"SQUARED_DIFFERENCE", 99, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
