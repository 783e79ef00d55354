// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kQuantize = {"QUANTIZE", 114, {lutra::oracle::kExact}, NotWritten};
const Operator kQuantizeFloat = {"QUANTIZE.float32", 114, {lutra::oracle::kExact}, NotWritten};
const Operator kDequantize = {"DEQUANTIZE", 6, {lutra::oracle::kExact}, NotWritten};
const Operator kCast = {"CAST", 53, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
