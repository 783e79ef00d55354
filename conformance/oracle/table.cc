// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kLogistic = {"LOGISTIC", 14, {lutra::oracle::kExact}, NotWritten};
const Operator kTanh = {"TANH", 28, {lutra::oracle::kExact}, NotWritten};
const Operator kElu = {"ELU", 111, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
