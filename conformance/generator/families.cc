// SPDX-License-Identifier: Apache-2.0
// Lists the families of each file, in the order of golden/manifest.jsonl. A new file's name is added to the
// list.

#include <functional>

#include "conformance/generator/case.h"

namespace lutra::conformance {

// The list is expanded twice: to declare the families, and to visit them.
#define LUTRA_CASE_FILES                                                                                  \
  kConv2DCases, kDepthwiseConv2DCases, kTransposeConvCases, kFullyConnectedCases, kBatchMatmulCases,      \
      kSvdfCases, kPoolCases, kUnaryCases, kArithmeticCases, kCompareCases, kPreluCases, kSelectCases,    \
      kConvertCases, kSoftmaxCases, kReduceCases, kResizeCases, kCompositeCases, kVariableCases,          \
      kRefusedCases, kLutCases, kSpaceCases, kShapeCases, kPadCases, kJoinCases, kMoveCases, kSliceCases, \
      kGatherCases, kUint8Cases, kLstmCases, kInt16LayerCases, kInt16Cases, kControlFlowCases,            \
      kLogicalCases, kFillCases, kUpdateCases, kMoreInt16Cases, kPoolInt16Cases, kReduceInt16Cases,       \
      kBatchMatmulInt16Cases, kLstmInt16Cases, kSignalSpectrumCases, kSignalStreamCases,                  \
      kSignalFilterBankCases
extern const CaseFamilies LUTRA_CASE_FILES;

namespace {

constexpr std::reference_wrapper<const CaseFamilies> kFiles[] = {LUTRA_CASE_FILES};

}  // namespace

const std::vector<CaseFamily>& AllFamilies() {
  static const std::vector<CaseFamily> families = [] {
    std::vector<CaseFamily> all;
    for (const CaseFamilies& file : kFiles) all.insert(all.end(), file.begin(), file.end());
    return all;
  }();
  return families;
}

}  // namespace lutra::conformance
