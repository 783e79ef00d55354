// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kSoftmax = {"SOFTMAX", 25, {lutra::oracle::kExact}, NotWritten};
const Operator kLogSoftmax = {"LOG_SOFTMAX", 50, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
