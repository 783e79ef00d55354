// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kReshape = {"RESHAPE", 22, {lutra::oracle::kExact}, NotWritten};
const Operator kSqueeze = {"SQUEEZE", 43, {lutra::oracle::kExact}, NotWritten};
const Operator kExpandDims = {"EXPAND_DIMS", 70, {lutra::oracle::kExact}, NotWritten};
const Operator kShape = {"SHAPE", 77, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
