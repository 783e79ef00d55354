// SPDX-License-Identifier: Apache-2.0
// Readers: reports/read_results.cc reports/schema.cc host/result_json.cc host/json_archive.h host/*_fields.h
// Fuzz target: a result file, as make_report and `conformance merge` read it.

#include "host/model_file.h"
#include "host/result_json.h"
#include "reports/read_results.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    lutra::reports::ParseResultFile(text, "fuzz.json");
  } catch (const lutra::host::BadInput&) {
    // A refusal is right.
  }
  std::string written;
  try {
    written = lutra::host::WriteResultJson(lutra::host::ParseResultJson(text, "fuzz.json"));
  } catch (const lutra::host::BadInput&) {
    return 0;
  }
  // A file that was read and written must be readable again.
  lutra::host::ParseResultJson(written, "written.json");
  return 0;
}
