// SPDX-License-Identifier: Apache-2.0
// Readers: compressor/settings.cc
// Fuzz target: the JSON of `compress bin --settings`, for the bundled sine.tflite. Accepted settings must be
// the same after writing and reading.

#include <cstdlib>

#include "compressor/gap9/nntool/rules.h"
#include "compressor/settings.h"
#include "host/model_file.h"

namespace lutra::compressor {

// Settings point to these rules. Reading and writing does not call them, so the target needs no binning.
BinnedTensor BinAsNntool(const TensorInfo&, const BinSettings&) { abort(); }
NntoolCount CountAsNntool(const Model&, int, int, int, const BinnedTensor&) { abort(); }

}  // namespace lutra::compressor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lutra::compressor::BinPlan;
  static const lutra::host::ModelFile* const file =
      new lutra::host::ModelFile(lutra::host::ReadModelFile(LUTRA_MODELS "/sine.tflite"));
  BinPlan plan;
  try {
    plan =
        lutra::compressor::ParsePlan({reinterpret_cast<const char*>(data), size}, "fuzz.json", file->model);
  } catch (const lutra::host::BadInput&) {
    return 0;
  }
  if (lutra::compressor::ParsePlan(lutra::compressor::WritePlan(plan), "written.json", file->model) != plan) {
    abort();
  }
  return 0;
}
