// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

namespace lutra::oracle {
namespace {

void NotWritten(const Node& node, const Rule&) { node.Refuse("not written"); }

}  // namespace

const Operator kEqual = {"EQUAL", 71, {lutra::oracle::kExact}, NotWritten};
const Operator kNotEqual = {"NOT_EQUAL", 72, {lutra::oracle::kExact}, NotWritten};
const Operator kGreater = {"GREATER", 61, {lutra::oracle::kExact}, NotWritten};
const Operator kGreaterEqual = {"GREATER_EQUAL", 62, {lutra::oracle::kExact}, NotWritten};
const Operator kLess = {"LESS", 58, {lutra::oracle::kExact}, NotWritten};
const Operator kLessEqual = {"LESS_EQUAL", 63, {lutra::oracle::kExact}, NotWritten};
const Operator kMaximum = {"MAXIMUM", 55, {lutra::oracle::kExact}, NotWritten};
const Operator kMinimum = {"MINIMUM", 57, {lutra::oracle::kExact}, NotWritten};
const Operator kArgMax = {"ARG_MAX", 56, {lutra::oracle::kExact}, NotWritten};
const Operator kArgMin = {"ARG_MIN", 79, {lutra::oracle::kExact}, NotWritten};

}  // namespace lutra::oracle
