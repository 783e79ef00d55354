// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kMean = {"MEAN", 40, {lutra::oracle::kExact}, NotWritten};
const Operator kSum = {"SUM", 74, {lutra::oracle::kExact}, NotWritten};
const Operator kReduceMax = {"REDUCE_MAX", 82, {lutra::oracle::kExact}, NotWritten};
const Operator kReduceMin = {"REDUCE_MIN", 89, {lutra::oracle::kExact}, NotWritten};
const Operator kL2Normalization = {"L2_NORMALIZATION", 11, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
