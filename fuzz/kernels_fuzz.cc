// SPDX-License-Identifier: Apache-2.0
// Readers: bench/device_log.cc
// Fuzz target: the output of a counted run of run_variants, as `device_results --kernels` reads it.

#include <sstream>

#include "bench/device_log.h"
#include "host/failures.h"
#include "host/result_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lutra::host::ResultFile file;
  try {
    std::istringstream log(std::string(reinterpret_cast<const char*>(data), size));
    file.kernels = lutra::bench::ReadKernelCounts(log, "fuzz.log");
  } catch (const lutra::host::BadInput&) {
    return 0;
  }
  // Results that were read can be written to a result file and read again.
  lutra::host::ParseResultJson(lutra::host::WriteResultJson(file), "written.json");
  return 0;
}
