// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kResizeBilinear = {"RESIZE_BILINEAR", 23, {lutra::oracle::kExact}, NotWritten};
const Operator kResizeNearestNeighbor = {"RESIZE_NEAREST_NEIGHBOR", 97, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
