// SPDX-License-Identifier: Apache-2.0
// Readers: bench/device_log.cc bench/tflm_log.cc
// Fuzz target: the output of a device, as `device_results` reads it, for the bundled models and a compressed
// one; and the output of TensorFlow Lite's benchmarks.

#include <sstream>

#include "bench/device_log.h"
#include "bench/tflm_log.h"
#include "host/model_file.h"
#include "host/result_json.h"

namespace {

using lutra::host::ModelResult;

// Results that were read can be written to a result file and read again.
void CheckThatItIsWritable(std::vector<ModelResult> models) {
  const std::string text =
      lutra::host::WriteResultJson(lutra::host::ResultFile{.environment = {}, .models = std::move(models)});
  lutra::host::ParseResultJson(text, "written.json");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<ModelResult> models;
  try {
    std::istringstream log(text);
    lutra::bench::ReadDeviceLog(log, "fuzz.log", {LUTRA_MODELS, LUTRA_FUZZ_MODELS}, &models);
  } catch (const lutra::host::BadInput&) {
    models.clear();
  }
  CheckThatItIsWritable(std::move(models));
  try {
    std::istringstream log(text);
    CheckThatItIsWritable(
        {lutra::bench::ReadTflmLog(log, "sine.log", {LUTRA_MODELS}, {.ticks_per_second = 1000})});
  } catch (const lutra::host::BadInput&) {
  }
  return 0;
}
