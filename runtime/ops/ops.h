// SPDX-License-Identifier: Apache-2.0
// Every operator the runtime has. An application's op list names some of these; AllOps has them all.
// Each op's prepare and eval stand in the file of its family.

#pragma once

#include "lutra/compression/format.h"
#include "lutra/op.h"
#include "lutra/span.h"

namespace lutra {

// Which inputs may be compressed: those that TensorFlow Lite Micro's kernels decompress.
inline constexpr uint32_t kFilterAndBias = 1u << 1 | 1u << 2;

// ops/conv_2d.cc
Status PrepareConv2D(MicroContext& context);
Status EvalConv2D(MicroContext& context);
inline constexpr Op kConv2D = {BuiltinOperator::kConv2D, PrepareConv2D, EvalConv2D, kFilterAndBias};

Status PrepareDepthwiseConv2D(MicroContext& context);
Status EvalDepthwiseConv2D(MicroContext& context);
inline constexpr Op kDepthwiseConv2D = {BuiltinOperator::kDepthwiseConv2D, PrepareDepthwiseConv2D,
                                        EvalDepthwiseConv2D, kFilterAndBias};

// ops/transpose_conv.cc
Status PrepareTransposeConv(MicroContext& context);
Status EvalTransposeConv(MicroContext& context);
inline constexpr Op kTransposeConv = {BuiltinOperator::kTransposeConv, PrepareTransposeConv,
                                      EvalTransposeConv, 1u << 1 | 1u << 3};

// ops/fully_connected.cc
Status PrepareFullyConnected(MicroContext& context);
Status EvalFullyConnected(MicroContext& context);
inline constexpr Op kFullyConnected = {BuiltinOperator::kFullyConnected, PrepareFullyConnected,
                                       EvalFullyConnected, kFilterAndBias};

// ops/batch_matmul.cc
Status PrepareBatchMatmul(MicroContext& context);
Status EvalBatchMatmul(MicroContext& context);
inline constexpr Op kBatchMatmul = {BuiltinOperator::kBatchMatmul, PrepareBatchMatmul, EvalBatchMatmul};

// ops/svdf.cc
Status PrepareSvdf(MicroContext& context);
Status EvalSvdf(MicroContext& context);
inline constexpr Op kSvdf = {BuiltinOperator::kSvdf, PrepareSvdf, EvalSvdf};

// ops/binary.cc
Status PrepareAdd(MicroContext& context);
Status EvalAdd(MicroContext& context);
inline constexpr Op kAdd = {BuiltinOperator::kAdd, PrepareAdd, EvalAdd};

Status PrepareSub(MicroContext& context);
Status EvalSub(MicroContext& context);
inline constexpr Op kSub = {BuiltinOperator::kSub, PrepareSub, EvalSub};

Status PrepareMul(MicroContext& context);
Status EvalMul(MicroContext& context);
inline constexpr Op kMul = {BuiltinOperator::kMul, PrepareMul, EvalMul};

Status PrepareDiv(MicroContext& context);
Status EvalDiv(MicroContext& context);
inline constexpr Op kDiv = {BuiltinOperator::kDiv, PrepareDiv, EvalDiv};

Status PrepareSquaredDifference(MicroContext& context);
Status EvalSquaredDifference(MicroContext& context);
inline constexpr Op kSquaredDifference = {BuiltinOperator::kSquaredDifference, PrepareSquaredDifference,
                                          EvalSquaredDifference};

// ops/compare.cc
Status PrepareEqual(MicroContext& context);
Status EvalEqual(MicroContext& context);
inline constexpr Op kEqual = {BuiltinOperator::kEqual, PrepareEqual, EvalEqual};

Status PrepareNotEqual(MicroContext& context);
Status EvalNotEqual(MicroContext& context);
inline constexpr Op kNotEqual = {BuiltinOperator::kNotEqual, PrepareNotEqual, EvalNotEqual};

Status PrepareGreater(MicroContext& context);
Status EvalGreater(MicroContext& context);
inline constexpr Op kGreater = {BuiltinOperator::kGreater, PrepareGreater, EvalGreater};

Status PrepareGreaterEqual(MicroContext& context);
Status EvalGreaterEqual(MicroContext& context);
inline constexpr Op kGreaterEqual = {BuiltinOperator::kGreaterEqual, PrepareGreaterEqual, EvalGreaterEqual};

Status PrepareLess(MicroContext& context);
Status EvalLess(MicroContext& context);
inline constexpr Op kLess = {BuiltinOperator::kLess, PrepareLess, EvalLess};

Status PrepareLessEqual(MicroContext& context);
Status EvalLessEqual(MicroContext& context);
inline constexpr Op kLessEqual = {BuiltinOperator::kLessEqual, PrepareLessEqual, EvalLessEqual};

// ops/min_max.cc
Status PrepareMaximum(MicroContext& context);
Status EvalMaximum(MicroContext& context);
inline constexpr Op kMaximum = {BuiltinOperator::kMaximum, PrepareMaximum, EvalMaximum};

Status PrepareMinimum(MicroContext& context);
Status EvalMinimum(MicroContext& context);
inline constexpr Op kMinimum = {BuiltinOperator::kMinimum, PrepareMinimum, EvalMinimum};

// ops/select.cc
Status PrepareSelectV2(MicroContext& context);
Status EvalSelectV2(MicroContext& context);
inline constexpr Op kSelectV2 = {BuiltinOperator::kSelectV2, PrepareSelectV2, EvalSelectV2};

// ops/prelu.cc
Status PreparePrelu(MicroContext& context);
Status EvalPrelu(MicroContext& context);
inline constexpr Op kPrelu = {BuiltinOperator::kPrelu, PreparePrelu, EvalPrelu};

// ops/unary.cc
Status PrepareLogistic(MicroContext& context);
Status EvalLogistic(MicroContext& context);
inline constexpr Op kLogistic = {BuiltinOperator::kLogistic, PrepareLogistic, EvalLogistic};

Status PrepareTanh(MicroContext& context);
Status EvalTanh(MicroContext& context);
inline constexpr Op kTanh = {BuiltinOperator::kTanh, PrepareTanh, EvalTanh};

Status PrepareHardSwish(MicroContext& context);
Status EvalHardSwish(MicroContext& context);
inline constexpr Op kHardSwish = {BuiltinOperator::kHardSwish, PrepareHardSwish, EvalHardSwish};

Status PrepareElu(MicroContext& context);
Status EvalElu(MicroContext& context);
inline constexpr Op kElu = {BuiltinOperator::kElu, PrepareElu, EvalElu};

Status PrepareRelu(MicroContext& context);
Status EvalRelu(MicroContext& context);
inline constexpr Op kRelu = {BuiltinOperator::kRelu, PrepareRelu, EvalRelu};

Status PrepareRelu6(MicroContext& context);
Status EvalRelu6(MicroContext& context);
inline constexpr Op kRelu6 = {BuiltinOperator::kRelu6, PrepareRelu6, EvalRelu6};

Status PrepareLeakyRelu(MicroContext& context);
Status EvalLeakyRelu(MicroContext& context);
inline constexpr Op kLeakyRelu = {BuiltinOperator::kLeakyRelu, PrepareLeakyRelu, EvalLeakyRelu};

Status PrepareAbs(MicroContext& context);
Status EvalAbs(MicroContext& context);
inline constexpr Op kAbs = {BuiltinOperator::kAbs, PrepareAbs, EvalAbs};

// ops/convert.cc
Status PrepareQuantize(MicroContext& context);
Status EvalQuantize(MicroContext& context);
inline constexpr Op kQuantize = {BuiltinOperator::kQuantize, PrepareQuantize, EvalQuantize};

Status PrepareDequantize(MicroContext& context);
Status EvalDequantize(MicroContext& context);
inline constexpr Op kDequantize = {BuiltinOperator::kDequantize, PrepareDequantize, EvalDequantize};

Status PrepareCast(MicroContext& context);
Status EvalCast(MicroContext& context);
inline constexpr Op kCast = {BuiltinOperator::kCast, PrepareCast, EvalCast};

// ops/pool.cc
Status PrepareAveragePool2D(MicroContext& context);
Status EvalAveragePool2D(MicroContext& context);
inline constexpr Op kAveragePool2D = {BuiltinOperator::kAveragePool2D, PrepareAveragePool2D,
                                      EvalAveragePool2D};

Status PrepareMaxPool2D(MicroContext& context);
Status EvalMaxPool2D(MicroContext& context);
inline constexpr Op kMaxPool2D = {BuiltinOperator::kMaxPool2D, PrepareMaxPool2D, EvalMaxPool2D};

// ops/reduce.cc
Status PrepareMean(MicroContext& context);
Status EvalMean(MicroContext& context);
inline constexpr Op kMean = {BuiltinOperator::kMean, PrepareMean, EvalMean};

Status PrepareSum(MicroContext& context);
Status EvalSum(MicroContext& context);
inline constexpr Op kSum = {BuiltinOperator::kSum, PrepareSum, EvalSum};

Status PrepareReduceMax(MicroContext& context);
Status EvalReduceMax(MicroContext& context);
inline constexpr Op kReduceMax = {BuiltinOperator::kReduceMax, PrepareReduceMax, EvalReduceMax};

Status PrepareReduceMin(MicroContext& context);
Status EvalReduceMin(MicroContext& context);
inline constexpr Op kReduceMin = {BuiltinOperator::kReduceMin, PrepareReduceMin, EvalReduceMin};

// ops/softmax.cc
Status PrepareSoftmax(MicroContext& context);
Status EvalSoftmax(MicroContext& context);
inline constexpr Op kSoftmax = {BuiltinOperator::kSoftmax, PrepareSoftmax, EvalSoftmax};

Status PrepareLogSoftmax(MicroContext& context);
Status EvalLogSoftmax(MicroContext& context);
inline constexpr Op kLogSoftmax = {BuiltinOperator::kLogSoftmax, PrepareLogSoftmax, EvalLogSoftmax};

// ops/l2_normalization.cc
Status PrepareL2Normalization(MicroContext& context);
Status EvalL2Normalization(MicroContext& context);
inline constexpr Op kL2Normalization = {BuiltinOperator::kL2Normalization, PrepareL2Normalization,
                                        EvalL2Normalization};

// ops/arg_max.cc
Status PrepareArgMax(MicroContext& context);
Status EvalArgMax(MicroContext& context);
inline constexpr Op kArgMax = {BuiltinOperator::kArgMax, PrepareArgMax, EvalArgMax};

Status PrepareArgMin(MicroContext& context);
Status EvalArgMin(MicroContext& context);
inline constexpr Op kArgMin = {BuiltinOperator::kArgMin, PrepareArgMin, EvalArgMin};

// ops/resize.cc
Status PrepareResizeBilinear(MicroContext& context);
Status EvalResizeBilinear(MicroContext& context);
inline constexpr Op kResizeBilinear = {BuiltinOperator::kResizeBilinear, PrepareResizeBilinear,
                                       EvalResizeBilinear};

Status PrepareResizeNearestNeighbor(MicroContext& context);
Status EvalResizeNearestNeighbor(MicroContext& context);
inline constexpr Op kResizeNearestNeighbor = {BuiltinOperator::kResizeNearestNeighbor,
                                              PrepareResizeNearestNeighbor, EvalResizeNearestNeighbor};

// ops/transpose.cc
Status PrepareTranspose(MicroContext& context);
Status EvalTranspose(MicroContext& context);
inline constexpr Op kTranspose = {BuiltinOperator::kTranspose, PrepareTranspose, EvalTranspose};

Status PrepareReverseV2(MicroContext& context);
Status EvalReverseV2(MicroContext& context);
inline constexpr Op kReverseV2 = {BuiltinOperator::kReverseV2, PrepareReverseV2, EvalReverseV2};

// ops/slice.cc
Status PrepareSlice(MicroContext& context);
Status EvalSlice(MicroContext& context);
inline constexpr Op kSlice = {BuiltinOperator::kSlice, PrepareSlice, EvalSlice};

Status PrepareStridedSlice(MicroContext& context);
Status EvalStridedSlice(MicroContext& context);
inline constexpr Op kStridedSlice = {BuiltinOperator::kStridedSlice, PrepareStridedSlice, EvalStridedSlice};

// ops/pad.cc
Status PreparePad(MicroContext& context);
Status EvalPad(MicroContext& context);
inline constexpr Op kPad = {BuiltinOperator::kPad, PreparePad, EvalPad};

Status PreparePadv2(MicroContext& context);
Status EvalPadv2(MicroContext& context);
inline constexpr Op kPadv2 = {BuiltinOperator::kPadv2, PreparePadv2, EvalPadv2};

Status PrepareMirrorPad(MicroContext& context);
Status EvalMirrorPad(MicroContext& context);
inline constexpr Op kMirrorPad = {BuiltinOperator::kMirrorPad, PrepareMirrorPad, EvalMirrorPad};

// ops/concatenation.cc
Status PrepareConcatenation(MicroContext& context);
Status EvalConcatenation(MicroContext& context);
inline constexpr Op kConcatenation = {BuiltinOperator::kConcatenation, PrepareConcatenation,
                                      EvalConcatenation, kAllInputs};

Status PreparePack(MicroContext& context);
Status EvalPack(MicroContext& context);
inline constexpr Op kPack = {BuiltinOperator::kPack, PreparePack, EvalPack};

// ops/split.cc
Status PrepareSplit(MicroContext& context);
Status EvalSplit(MicroContext& context);
inline constexpr Op kSplit = {BuiltinOperator::kSplit, PrepareSplit, EvalSplit};

Status PrepareSplitV(MicroContext& context);
Status EvalSplitV(MicroContext& context);
inline constexpr Op kSplitV = {BuiltinOperator::kSplitV, PrepareSplitV, EvalSplitV};

Status PrepareUnpack(MicroContext& context);
Status EvalUnpack(MicroContext& context);
inline constexpr Op kUnpack = {BuiltinOperator::kUnpack, PrepareUnpack, EvalUnpack};

// ops/space.cc
Status PrepareSpaceToDepth(MicroContext& context);
Status EvalSpaceToDepth(MicroContext& context);
inline constexpr Op kSpaceToDepth = {BuiltinOperator::kSpaceToDepth, PrepareSpaceToDepth, EvalSpaceToDepth};

Status PrepareDepthToSpace(MicroContext& context);
Status EvalDepthToSpace(MicroContext& context);
inline constexpr Op kDepthToSpace = {BuiltinOperator::kDepthToSpace, PrepareDepthToSpace, EvalDepthToSpace};

Status PrepareSpaceToBatchNd(MicroContext& context);
Status EvalSpaceToBatchNd(MicroContext& context);
inline constexpr Op kSpaceToBatchNd = {BuiltinOperator::kSpaceToBatchNd, PrepareSpaceToBatchNd,
                                       EvalSpaceToBatchNd};

Status PrepareBatchToSpaceNd(MicroContext& context);
Status EvalBatchToSpaceNd(MicroContext& context);
inline constexpr Op kBatchToSpaceNd = {BuiltinOperator::kBatchToSpaceNd, PrepareBatchToSpaceNd,
                                       EvalBatchToSpaceNd};

// ops/broadcast_to.cc
Status PrepareBroadcastTo(MicroContext& context);
Status EvalBroadcastTo(MicroContext& context);
inline constexpr Op kBroadcastTo = {BuiltinOperator::kBroadcastTo, PrepareBroadcastTo, EvalBroadcastTo};

// ops/gather.cc
Status PrepareGather(MicroContext& context);
Status EvalGather(MicroContext& context);
inline constexpr Op kGather = {BuiltinOperator::kGather, PrepareGather, EvalGather};

Status PrepareGatherNd(MicroContext& context);
Status EvalGatherNd(MicroContext& context);
inline constexpr Op kGatherNd = {BuiltinOperator::kGatherNd, PrepareGatherNd, EvalGatherNd};

// ops/reshape.cc
Status PrepareReshape(MicroContext& context);
Status EvalReshape(MicroContext& context);
inline constexpr Op kReshape = {BuiltinOperator::kReshape, PrepareReshape, EvalReshape};

Status PrepareSqueeze(MicroContext& context);
Status EvalSqueeze(MicroContext& context);
inline constexpr Op kSqueeze = {BuiltinOperator::kSqueeze, PrepareSqueeze, EvalSqueeze};

Status PrepareExpandDims(MicroContext& context);
Status EvalExpandDims(MicroContext& context);
inline constexpr Op kExpandDims = {BuiltinOperator::kExpandDims, PrepareExpandDims, EvalExpandDims};

// ops/shape.cc
Status PrepareShape(MicroContext& context);
Status EvalShape(MicroContext& context);
inline constexpr Op kShape = {BuiltinOperator::kShape, PrepareShape, EvalShape};

// ops/variables.cc
Status PrepareVarHandle(MicroContext& context);
Status EvalVarHandle(MicroContext& context);
inline constexpr Op kVarHandle = {BuiltinOperator::kVarHandle, PrepareVarHandle, EvalVarHandle};

Status PrepareReadVariable(MicroContext& context);
Status EvalReadVariable(MicroContext& context);
inline constexpr Op kReadVariable = {BuiltinOperator::kReadVariable, PrepareReadVariable, EvalReadVariable};

Status PrepareAssignVariable(MicroContext& context);
Status EvalAssignVariable(MicroContext& context);
inline constexpr Op kAssignVariable = {BuiltinOperator::kAssignVariable, PrepareAssignVariable,
                                       EvalAssignVariable, 1u << 1};

Status PrepareCallOnce(MicroContext& context);
Status EvalCallOnce(MicroContext& context);
inline constexpr Op kCallOnce = {BuiltinOperator::kCallOnce, PrepareCallOnce, EvalCallOnce};

// ops/decode.cc
Status PrepareDecode(MicroContext& context);
Status EvalDecode(MicroContext& context);
inline constexpr Op kDecode = {BuiltinOperator::kCustom, PrepareDecode, EvalDecode, 0, kDecodeCustomCode};

Span<const Op> AllOps();

}  // namespace lutra
