// SPDX-License-Identifier: Apache-2.0
// The families of each file, in the order of golden/manifest.jsonl. A new file: its name here, twice.

#include "conformance/generator/case.h"

namespace lutra::conformance {

extern const CaseFamilies kConv2DCases;
extern const CaseFamilies kDepthwiseConv2DCases;
extern const CaseFamilies kTransposeConvCases;
extern const CaseFamilies kFullyConnectedCases;
extern const CaseFamilies kBatchMatmulCases;
extern const CaseFamilies kSvdfCases;
extern const CaseFamilies kPoolCases;
extern const CaseFamilies kUnaryCases;
extern const CaseFamilies kArithmeticCases;
extern const CaseFamilies kCompareCases;
extern const CaseFamilies kPreluCases;
extern const CaseFamilies kSelectCases;
extern const CaseFamilies kConvertCases;
extern const CaseFamilies kSoftmaxCases;
extern const CaseFamilies kReduceCases;
extern const CaseFamilies kResizeCases;
extern const CaseFamilies kCompositeCases;
extern const CaseFamilies kVariableCases;
extern const CaseFamilies kRefusedCases;
extern const CaseFamilies kLutCases;
extern const CaseFamilies kSpaceCases;
extern const CaseFamilies kShapeCases;
extern const CaseFamilies kPadCases;
extern const CaseFamilies kJoinCases;
extern const CaseFamilies kMoveCases;
extern const CaseFamilies kSliceCases;
extern const CaseFamilies kGatherCases;
extern const CaseFamilies kUint8Cases;

namespace {

constexpr const CaseFamilies* kFiles[] = {&kConv2DCases,        &kDepthwiseConv2DCases,
                                          &kTransposeConvCases, &kFullyConnectedCases,
                                          &kBatchMatmulCases,   &kSvdfCases,
                                          &kPoolCases,          &kUnaryCases,
                                          &kArithmeticCases,    &kCompareCases,
                                          &kPreluCases,         &kSelectCases,
                                          &kConvertCases,       &kSoftmaxCases,
                                          &kReduceCases,        &kResizeCases,
                                          &kCompositeCases,     &kVariableCases,
                                          &kRefusedCases,       &kLutCases,
                                          &kSpaceCases,         &kShapeCases,
                                          &kPadCases,           &kJoinCases,
                                          &kMoveCases,          &kSliceCases,
                                          &kGatherCases,        &kUint8Cases};

}  // namespace

const std::vector<CaseFamily>& AllFamilies() {
  static const std::vector<CaseFamily> families = [] {
    std::vector<CaseFamily> all;
    for (const CaseFamilies* file : kFiles) all.insert(all.end(), file->begin(), file->end());
    return all;
  }();
  return families;
}

}  // namespace lutra::conformance
