// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kRelu = {"RELU", 19, {lutra::oracle::kExact}, NotWritten};
const Operator kRelu6 = {"RELU6", 21, {lutra::oracle::kExact}, NotWritten};
const Operator kLeakyRelu = {"LEAKY_RELU", 98, {lutra::oracle::kExact}, NotWritten};
const Operator kPrelu = {"PRELU", 54, {lutra::oracle::kExact}, NotWritten};
const Operator kHardSwish = {"HARD_SWISH", 117, {lutra::oracle::kExact}, NotWritten};
const Operator kAbs = {"ABS", 101, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
