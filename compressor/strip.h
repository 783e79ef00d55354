// SPDX-License-Identifier: Apache-2.0
// Strip: makes a smaller file of the same model, without parts that no runtime needs.
//
//   const StripResult stripped = Strip(ReadModelFile("in.tflite"));
//   output.Write(stripped.file);
//   fmt::print("{}", StripTable(stripped));
//
// It removes names of tensors, subgraphs and operators' debug records, descriptions, calibration ranges (min
// and max beside a scale), shape signatures without an open dimension, operator codes that no operator has,
// metadata that no runtime reads, and the scales and zero points of biases where they mean nothing: those of
// CONV_2D and DEPTHWISE_CONV_2D, and of a FULLY_CONNECTED whose weights have one scale, by which runtimes
// take a scale of 0. It keeps names of the graph's inputs and outputs, signatures, and the metadata that
// change what a runtime does. Outputs are the same, byte for byte, and the file is never larger.

#pragma once

#include <string>
#include <vector>

#include "compressor/model_editor.h"

namespace lutra::compressor {

struct StripOptions {
  bool names = true;              // Of tensors and subgraphs, and descriptions.
  bool bias_quantization = true;  // Of biases. Models that are binned later need it: it weighs errors.
};

struct StripResult {
  std::string path;
  Bytes file;
  int64_t bytes_before = 0;
  int64_t constant_bytes = 0;     // Of the buffers that stayed.
  std::vector<std::string> gone;  // A line each, with counts.
  std::vector<std::string> kept;
};

// Throws BadInput for a model that cannot be written back (as ModelEditor).
StripResult Strip(const host::ModelFile& file, const StripOptions& options = {});
// Returns the same model, not written yet. `gone`: what goes, a line each.
ModelEditor Stripped(const host::ModelFile& file, const StripOptions& options = {},
                     std::vector<std::string>* gone = nullptr);

std::string StripTable(const StripResult& result);
// "stripped: 2 names of tensors of 7 bytes, ..."; nothing went: empty.
std::string StrippedText(const std::vector<std::string>& gone);

}  // namespace lutra::compressor
