// SPDX-License-Identifier: Apache-2.0
// Cases at corners of kernels: sizes just beyond a block, height and width treated differently, scales at
// which one precision and the next part. Each was found by a fault that the other cases did not see.

#pragma once

#include "conformance/generator/model_maker.h"
#include "conformance/generator/separate.h"

namespace lutra::conformance {

class Corners {
 public:
  Corners(std::string_view op, const CaseSink& sink)
      : op_(op), sink_(sink), random_(std::string(op) + " corners"), ids_(PrefixOf(op) + "corner.") {}

  Random& random() { return random_; }
  oracle::Bytes Codes(int64_t count) { return MakeCodes(random_, count, Values::kRandom); }
  oracle::Bytes Ramp() { return MakeCodes(random_, 256, Values::kRamp); }
  void Add(const std::string& what, const ModelMaker& maker, std::vector<oracle::Bytes> inputs) {
    sink_({.id = ids_(what),
           .op = op_,
           .model = maker.Finish(),
           .inputs = std::move(inputs),
           .smoke = Smoke::kAlways});
  }

 private:
  std::string op_;
  const CaseSink& sink_;
  Random random_;
  NumberedIds ids_;
};

// corners_windows.cc
void AveragePool2DCorners(Corners* corners);
void Conv2DCorners(Corners* corners);
void DepthwiseConv2DCorners(Corners* corners);
void MaxPool2DCorners(Corners* corners);
void TransposeConvCorners(Corners* corners);
// corners_svdf.cc
void SvdfCorners(Corners* corners);

}  // namespace lutra::conformance
