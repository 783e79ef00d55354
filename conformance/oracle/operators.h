// SPDX-License-Identifier: Apache-2.0
// Every operator that the oracle knows, and the rules that each may follow. A rule's number of cases that
// tell it from the others is what `conformance list --separation` prints.

#pragma once

#include <string_view>
#include <vector>

#include "conformance/oracle/node.h"

namespace lutra::conformance::oracle {

// How to add one: a function and its `const Operator kFoo` in the file of its family, its name here, its
// address in the list of operators.cc.
struct Operator {
  // As in reports: the operator, and what it is applied to where the rules depend on it: "QUANTIZE",
  // "QUANTIZE.float32".
  const char* name;
  int32_t builtin_code;
  // The first is TensorFlow Lite Micro's, with the corrections of the specification.
  std::vector<Rule> rules;
  void (*evaluate)(const Node&, const Rule&);
  // Whether this entry is meant, where several have the same code. Null: it is the only one.
  bool (*is_for)(const Node&) = nullptr;
};

// convolution.cc
extern const Operator kConv2D, kDepthwiseConv2D, kTransposeConv;
// matrix.cc
extern const Operator kFullyConnected, kBatchMatmul, kSvdf;
// sums.cc
extern const Operator kAdd, kSub;
// products.cc
extern const Operator kMul, kDiv, kSquaredDifference;
// compare.cc
extern const Operator kEqual, kNotEqual, kGreater, kGreaterEqual, kLess, kLessEqual, kMaximum, kMinimum,
    kArgMax, kArgMin;
// activation.cc
extern const Operator kRelu, kRelu6, kLeakyRelu, kPrelu, kHardSwish, kAbs;
// table.cc
extern const Operator kLogistic, kTanh, kElu;
// convert.cc
extern const Operator kQuantize, kQuantizeFloat, kDequantize, kCast;
// softmax.cc
extern const Operator kSoftmax, kLogSoftmax;
// pool.cc
extern const Operator kAveragePool2D, kMaxPool2D;
// reduce.cc
extern const Operator kMean, kSum, kReduceMax, kReduceMin, kL2Normalization;
// resize.cc
extern const Operator kResizeBilinear, kResizeNearestNeighbor;
// shape.cc: the same bytes under another shape.
extern const Operator kReshape, kSqueeze, kExpandDims, kShape;
// move.cc: bytes in another order.
extern const Operator kConcatenation, kSplit, kSplitV, kPack, kUnpack, kTranspose, kSlice, kStridedSlice,
    kReverseV2, kBroadcastTo, kGather, kGatherNd, kSelectV2;
// space.cc
extern const Operator kPad, kPadV2, kMirrorPad, kSpaceToDepth, kDepthToSpace, kSpaceToBatchNd,
    kBatchToSpaceNd;

const std::vector<const Operator*>& AllOperators();
// Null if the oracle does not know it.
const Operator* FindOperator(std::string_view name);
// The entry for this node. Throws Unspecified.
const Operator& OperatorOf(const edit::ModelT& model, const Node& node);
// Null if the operator has no rule of that name.
const Rule* FindRule(const Operator& op, std::string_view rule);

}  // namespace lutra::conformance::oracle
