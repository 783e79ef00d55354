// SPDX-License-Identifier: Apache-2.0
// Every family of cases. A new one: its file, and its name here.

#include "conformance/generator/case.h"

namespace lutra::conformance {

extern const CaseFamily kConv2DCases;
extern const CaseFamily kDepthwiseConv2DCases;
extern const CaseFamily kTransposeConvCases;
extern const CaseFamily kFullyConnectedCases;
extern const CaseFamily kBatchMatmulCases;
extern const CaseFamily kSvdfCases;
// pool.cc
extern const CaseFamily kAveragePool2DCases;
extern const CaseFamily kMaxPool2DCases;
// unary.cc
extern const CaseFamily kLogisticCases;
extern const CaseFamily kTanhCases;
extern const CaseFamily kEluCases;
extern const CaseFamily kReluCases;
extern const CaseFamily kRelu6Cases;
extern const CaseFamily kLeakyReluCases;
extern const CaseFamily kHardSwishCases;
extern const CaseFamily kAbsCases;
// sums.cc
extern const CaseFamily kAddCases;
extern const CaseFamily kSubCases;
// products.cc
extern const CaseFamily kMulCases;
extern const CaseFamily kDivCases;
extern const CaseFamily kSquaredDifferenceCases;
// compare.cc
extern const CaseFamily kEqualCases;
extern const CaseFamily kNotEqualCases;
extern const CaseFamily kGreaterCases;
extern const CaseFamily kGreaterEqualCases;
extern const CaseFamily kLessCases;
extern const CaseFamily kLessEqualCases;
extern const CaseFamily kMaximumCases;
extern const CaseFamily kMinimumCases;
extern const CaseFamily kArgMaxCases;
extern const CaseFamily kArgMinCases;
// prelu.cc
extern const CaseFamily kPreluCases;
// select.cc
extern const CaseFamily kSelectV2Cases;
// convert.cc
extern const CaseFamily kQuantizeCases;
extern const CaseFamily kQuantizeFloatCases;
extern const CaseFamily kDequantizeCases;
extern const CaseFamily kCastCases;
// softmax.cc
extern const CaseFamily kSoftmaxCases;
extern const CaseFamily kLogSoftmaxCases;
extern const CaseFamily kL2NormalizationCases;
// reduce.cc
extern const CaseFamily kMeanCases;
extern const CaseFamily kSumCases;
extern const CaseFamily kReduceMaxCases;
extern const CaseFamily kReduceMinCases;
// resize.cc
extern const CaseFamily kResizeBilinearCases;
extern const CaseFamily kResizeNearestNeighborCases;
// Graphs.
extern const CaseFamily kCompositeCases;
extern const CaseFamily kVariableCases;
// What must not run.
extern const CaseFamily kRefusedCases;
// lut.cc: compressed weights.
extern const CaseFamily kLutCases;
extern const CaseFamily kDecodeLutraCases;
// space.cc
extern const CaseFamily kSpaceToDepthCases;
extern const CaseFamily kDepthToSpaceCases;
extern const CaseFamily kSpaceToBatchNdCases;
extern const CaseFamily kBatchToSpaceNdCases;
// shape.cc
extern const CaseFamily kReshapeCases;
extern const CaseFamily kSqueezeCases;
extern const CaseFamily kExpandDimsCases;
extern const CaseFamily kShapeCases;
// pad.cc
extern const CaseFamily kPadCases;
extern const CaseFamily kPadV2Cases;
extern const CaseFamily kMirrorPadCases;
// join.cc
extern const CaseFamily kConcatenationCases;
extern const CaseFamily kPackCases;
extern const CaseFamily kSplitCases;
extern const CaseFamily kSplitVCases;
extern const CaseFamily kUnpackCases;
// move.cc
extern const CaseFamily kTransposeCases;
extern const CaseFamily kReverseV2Cases;
extern const CaseFamily kBroadcastToCases;
// slice.cc
extern const CaseFamily kSliceCases;
extern const CaseFamily kStridedSliceCases;
// gather.cc
extern const CaseFamily kGatherCases;
extern const CaseFamily kGatherNdCases;

const std::vector<CaseFamily>& AllFamilies() {
  static const std::vector<CaseFamily> families = {kConv2DCases,
                                                   kDepthwiseConv2DCases,
                                                   kTransposeConvCases,
                                                   kFullyConnectedCases,
                                                   kBatchMatmulCases,
                                                   kSvdfCases,
                                                   kAveragePool2DCases,
                                                   kMaxPool2DCases,
                                                   kLogisticCases,
                                                   kTanhCases,
                                                   kEluCases,
                                                   kReluCases,
                                                   kRelu6Cases,
                                                   kLeakyReluCases,
                                                   kHardSwishCases,
                                                   kAbsCases,
                                                   kAddCases,
                                                   kSubCases,
                                                   kMulCases,
                                                   kDivCases,
                                                   kSquaredDifferenceCases,
                                                   kEqualCases,
                                                   kNotEqualCases,
                                                   kGreaterCases,
                                                   kGreaterEqualCases,
                                                   kLessCases,
                                                   kLessEqualCases,
                                                   kMaximumCases,
                                                   kMinimumCases,
                                                   kArgMaxCases,
                                                   kArgMinCases,
                                                   kPreluCases,
                                                   kSelectV2Cases,
                                                   kQuantizeCases,
                                                   kQuantizeFloatCases,
                                                   kDequantizeCases,
                                                   kCastCases,
                                                   kSoftmaxCases,
                                                   kLogSoftmaxCases,
                                                   kL2NormalizationCases,
                                                   kMeanCases,
                                                   kSumCases,
                                                   kReduceMaxCases,
                                                   kReduceMinCases,
                                                   kResizeBilinearCases,
                                                   kResizeNearestNeighborCases,
                                                   kCompositeCases,
                                                   kVariableCases,
                                                   kRefusedCases,
                                                   kLutCases,
                                                   kDecodeLutraCases,
                                                   kSpaceToDepthCases,
                                                   kDepthToSpaceCases,
                                                   kSpaceToBatchNdCases,
                                                   kBatchToSpaceNdCases,
                                                   kReshapeCases,
                                                   kSqueezeCases,
                                                   kExpandDimsCases,
                                                   kShapeCases,
                                                   kPadCases,
                                                   kPadV2Cases,
                                                   kMirrorPadCases,
                                                   kConcatenationCases,
                                                   kPackCases,
                                                   kSplitCases,
                                                   kSplitVCases,
                                                   kUnpackCases,
                                                   kTransposeCases,
                                                   kReverseV2Cases,
                                                   kBroadcastToCases,
                                                   kSliceCases,
                                                   kStridedSliceCases,
                                                   kGatherCases,
                                                   kGatherNdCases};
  return families;
}

}  // namespace lutra::conformance
