// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kConcatenation = {"CONCATENATION", 2, {lutra::oracle::kExact}, NotWritten};
const Operator kSplit = {"SPLIT", 49, {lutra::oracle::kExact}, NotWritten};
const Operator kSplitV = {"SPLIT_V", 102, {lutra::oracle::kExact}, NotWritten};
const Operator kPack = {"PACK", 83, {lutra::oracle::kExact}, NotWritten};
const Operator kUnpack = {"UNPACK", 88, {lutra::oracle::kExact}, NotWritten};
const Operator kTranspose = {"TRANSPOSE", 39, {lutra::oracle::kExact}, NotWritten};
const Operator kSlice = {"SLICE", 65, {lutra::oracle::kExact}, NotWritten};
const Operator kStridedSlice = {"STRIDED_SLICE", 45, {lutra::oracle::kExact}, NotWritten};
const Operator kReverseV2 = {"REVERSE_V2", 105, {lutra::oracle::kExact}, NotWritten};
const Operator kBroadcastTo = {"BROADCAST_TO", 130, {lutra::oracle::kExact}, NotWritten};
const Operator kGather = {"GATHER", 36, {lutra::oracle::kExact}, NotWritten};
const Operator kGatherNd = {"GATHER_ND", 107, {lutra::oracle::kExact}, NotWritten};
const Operator kSelectV2 = {"SELECT_V2", 123, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
