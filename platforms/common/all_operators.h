// SPDX-License-Identifier: Apache-2.0
// Names all parts that a program needs to run any model: operators, decoders, streaming and row groups.
//
//   lutra::platforms::RunAndReportOptions options = lutra::platforms::AllOperators();
//   options.interpreter.policy = lutra::MemoryPolicy::kFast;
//   return lutra::platforms::RunAndReport(argc, argv, options);

#pragma once

#include "lutra/compression/decode.h"
#include "lutra/diagnosis_text.h"
#include "lutra/ops/ops.h"
#include "lutra/row_groups.h"
#include "lutra/streaming.h"
#include "platforms/common/inference_report.h"

namespace lutra::platforms {

inline RunAndReportOptions AllOperators() {
  return {.ops = AllOps(),
          .interpreter = {.decode = Decode, .streaming = &kStreaming, .row_groups = &kRowGroups},
          .rule_name = [](Rule rule) { return Describe(rule).name; }};
}

}  // namespace lutra::platforms
