// SPDX-License-Identifier: Apache-2.0
// Unpack: restores the model as it was before it was compressed, from either form.
//
//   const UnpackResult plain = Unpack(ReadModelFile("compressed.tflite"));
//   const Bytes file = plain.editor.Write();

#pragma once

#include <vector>

#include "compressor/model_editor.h"
#include "compressor/spec.h"

namespace lutra::compressor {

struct UnpackResult {
  ModelEditor editor;
  // Says how each tensor was stored: packing with it gives the compressed model again. Empty if nothing
  // was compressed.
  std::vector<SpecEntry> entries;
};

// Throws BadInput, naming the rule, for a pair of TFLM_DECODE that is broken.
UnpackResult Unpack(const host::ModelFile& file);

}  // namespace lutra::compressor
