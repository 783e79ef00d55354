// SPDX-License-Identifier: Apache-2.0
// Auto: chooses the widths of a model's tensors by the answers of the model.
//
//   AutoOptions options;
//   options.goal = {.kind = SolverGoal::kKeepLabels};
//   const AutoResult result = Auto(ReadModelFile("in.tflite"), data, options);
//   if (result.summary.reaches_goal) output.Write(result.file);

#pragma once

#include <string>
#include <vector>

#include "compressor/accuracy/search.h"
#include "host/compression_result.h"

namespace lutra::compressor {

struct AutoResult {
  host::AutoSummary summary;
  Bytes file;
  BinPlan plan;               // The settings of the summary.
  std::string decoding_text;  // The summary's decoding, in words.
};

// Without labels in `data`, the model's own answers are the labels. Throws BadInput for data that are no
// classes of the model, and for a model that is compressed already.
AutoResult Auto(const host::ModelFile& file, const Dataset& data, const AutoOptions& options);

std::string AutoTable(const AutoResult& result);
// Each tensor's widths; the file of --sensitivity. The summary has them.
std::string SensitivityTable(const host::AutoSummary& summary);
std::string SensitivityJson(const host::AutoSummary& summary);
std::string AutoJson(const AutoResult& result);

}  // namespace lutra::compressor
