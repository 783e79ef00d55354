// SPDX-License-Identifier: Apache-2.0
// Cases at corners of kernels: sizes just beyond a block, heights and widths that differ, scales at which two
// precisions give different codes. Each finds a fault that was planted in a kernel and that no other case
// found.

#pragma once

#include "conformance/generator/series.h"

namespace lutra::conformance {

class Corners : public Series {
 public:
  Corners(const char* op, const CaseSink& sink)
      : Series(op, sink, PrefixOf(op) + "corner.", Smoke::kAlways, std::string(op) + " corners") {}

  oracle::Bytes Codes(int64_t count) { return MakeCodes(random, count, Values::kRandom); }
  oracle::Bytes Ramp() { return MakeCodes(random, 256, Values::kRamp); }
  void Add(const std::string& what, const ModelMaker& maker, std::vector<oracle::Bytes> inputs) {
    Series::Add(what, {.model = maker.Finish(), .inputs = std::move(inputs)});
  }
  using Series::Add;
};

// corners_windows.cc
void AveragePool2DCorners(Corners* corners);
void Conv2DCorners(Corners* corners);
void DepthwiseConv2DCorners(Corners* corners);
void MaxPool2DCorners(Corners* corners);
void TransposeConvCorners(Corners* corners);
// corners_sizes.cc
void MeanOfEqualCodes(Corners* corners);
void LargeConv2D(Corners* corners);
void LargeDepthwiseConv2D(Corners* corners);
void LargePool(Corners* corners, const char* op);
// corners_svdf.cc
void SvdfCorners(Corners* corners);

}  // namespace lutra::conformance
