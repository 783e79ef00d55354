// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/operators.h"

#include "conformance/oracle/model.h"

namespace lutra::conformance::oracle {

const std::vector<const Operator*>& AllOperators() {
  static const std::vector<const Operator*> operators = {
      &kAbs,
      &kAdd,
      &kArgMax,
      &kArgMin,
      &kAveragePool2D,
      &kBatchMatmul,
      &kBatchToSpaceNd,
      &kBroadcastTo,
      &kCast,
      &kConcatenation,
      &kConv2D,
      &kDepthToSpace,
      &kDepthwiseConv2D,
      &kDequantize,
      &kDiv,
      &kElu,
      &kEqual,
      &kExpandDims,
      &kFullyConnected,
      &kGather,
      &kGatherNd,
      &kGreater,
      &kGreaterEqual,
      &kHardSwish,
      &kL2Normalization,
      &kLeakyRelu,
      &kLess,
      &kLessEqual,
      &kLogSoftmax,
      &kLogistic,
      &kMaxPool2D,
      &kMaximum,
      &kMean,
      &kMinimum,
      &kMirrorPad,
      &kMul,
      &kNotEqual,
      &kPack,
      &kPad,
      &kPadV2,
      &kPrelu,
      &kQuantize,
      &kQuantizeFloat,
      &kReduceMax,
      &kReduceMin,
      &kRelu,
      &kRelu6,
      &kReshape,
      &kResizeBilinear,
      &kResizeNearestNeighbor,
      &kReverseV2,
      &kSelectV2,
      &kShape,
      &kSlice,
      &kSoftmax,
      &kSpaceToBatchNd,
      &kSpaceToDepth,
      &kSplit,
      &kSplitV,
      &kSquaredDifference,
      &kSqueeze,
      &kStridedSlice,
      &kSub,
      &kSum,
      &kSvdf,
      &kTanh,
      &kTranspose,
      &kTransposeConv,
      &kUnpack,
  };
  return operators;
}

const Operator* FindOperator(std::string_view name) {
  for (const Operator* op : AllOperators()) {
    if (op->name == name) return op;
  }
  return nullptr;
}

const Operator& OperatorOf(const edit::ModelT& model, const Node& node) {
  const int32_t code = CodeOf(model, node.op());
  for (const Operator* op : AllOperators()) {
    if (op->builtin_code == code && (op->is_for == nullptr || op->is_for(node))) return *op;
  }
  throw Unspecified("operator code " + std::to_string(code) + " is not among the oracle's");
}

const Rule* FindRule(const Operator& op, std::string_view rule) {
  for (const Rule& candidate : op.rules) {
    if (candidate.name == rule) return &candidate;
  }
  return nullptr;
}

}  // namespace lutra::conformance::oracle
