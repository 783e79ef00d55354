// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kFullyConnected = {"FULLY_CONNECTED", 9, {lutra::oracle::kExact}, NotWritten};
const Operator kBatchMatmul = {"BATCH_MATMUL", 126, {lutra::oracle::kExact}, NotWritten};
const Operator kSvdf = {"SVDF", 27, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
