// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kPad = {"PAD", 34, {lutra::oracle::kExact}, NotWritten};
const Operator kPadV2 = {"PADV2", 60, {lutra::oracle::kExact}, NotWritten};
const Operator kMirrorPad = {"MIRROR_PAD", 100, {lutra::oracle::kExact}, NotWritten};
const Operator kSpaceToDepth = {"SPACE_TO_DEPTH", 26, {lutra::oracle::kExact}, NotWritten};
const Operator kDepthToSpace = {"DEPTH_TO_SPACE", 5, {lutra::oracle::kExact}, NotWritten};
const Operator kSpaceToBatchNd = {"SPACE_TO_BATCH_ND", 38, {lutra::oracle::kExact}, NotWritten};
const Operator kBatchToSpaceNd = {"BATCH_TO_SPACE_ND", 37, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
