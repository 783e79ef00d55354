// SPDX-License-Identifier: Apache-2.0
// Strip: a smaller file of the same model, without what no runtime needs.
//
//   const StripResult stripped = Strip(ReadModelFile("in.tflite"));
//   output.Write(stripped.file);
//   fmt::print("{}", StripTable(stripped));
//
// These parts go: names of tensors, subgraphs and operators' debug records, descriptions, calibration ranges
// (min and max beside a scale), shape signatures without an open dimension, operator codes that no operator
// has, metadata that no runtime reads. These stay: names of the graph's inputs and outputs, signatures, and
// the metadata that change what a runtime does. Outputs are the same, byte for byte, and the file is never
// larger.

#pragma once

#include <string>
#include <vector>

#include "compressor/model_editor.h"

namespace lutra::compressor {

struct StripResult {
  std::string path;
  Bytes file;
  int64_t bytes_before = 0;
  int64_t constant_bytes = 0;     // Of the buffers that stayed.
  std::vector<std::string> gone;  // A line each, with counts.
  std::vector<std::string> kept;
};

// Throws BadInput for a model that cannot be written back (as ModelEditor).
StripResult Strip(const host::ModelFile& file);
// The same model, not written yet.
ModelEditor Stripped(const host::ModelFile& file);

std::string StripTable(const StripResult& result);

}  // namespace lutra::compressor
