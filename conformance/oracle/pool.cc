// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kAveragePool2D = {"AVERAGE_POOL_2D", 1, {lutra::oracle::kExact}, NotWritten};
const Operator kMaxPool2D = {"MAX_POOL_2D", 17, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
